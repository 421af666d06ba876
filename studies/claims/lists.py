"""All claims, and the table that shows them."""

from __future__ import annotations

from collections.abc import Sequence

from studies.claims.censoring import censoring_claims
from studies.claims.claim import Claim
from studies.claims.cost import cost_claims
from studies.claims.headline import headline_claims
from studies.claims.objective import objective_claims
from studies.claims.settings import conformal_set_claims, percentile_claims
from studies.results import Results
from studies.tables.table import Table

__all__ = ["ABOUT_CLAIMS", "claims_table", "cost_claims", "metric_claims"]

ABOUT_CLAIMS = (
    "Every claim is held to a criterion that is fixed in code. Comparable and "
    "significant are different questions: intervals over seeds hold the spread between "
    "splits, which a paired test takes out, so two variants can be comparable and yet "
    "differ significantly. KM exact stands for KM-sampling, whose limit it is."
)


def metric_claims(results: Results) -> list[Claim]:
    """Return the claims that rest on metrics, which are the same in every run."""
    return [
        *headline_claims(results),
        *censoring_claims(results),
        *conformal_set_claims(results),
        *percentile_claims(results),
        *objective_claims(results),
    ]


def claims_table(claims: Sequence[Claim], name: str, title: str) -> Table:
    """Return a line for each claim."""
    rows = tuple(
        (c.number, c.claim, c.verdict, c.evidence, c.criterion) for c in claims
    )
    columns = ("no.", "the paper says", "outcome", "what was found", "criterion")
    return Table(name, title, "", columns, rows, ABOUT_CLAIMS)
