"""DLBCL: gene expression in diffuse large B-cell lymphoma."""

from __future__ import annotations

from consurv.datasets.dataset import Dataset
from consurv.datasets.facts import Facts
from consurv.datasets.packaged import SURVSET, survset_table

__all__ = ["DLBCL", "load_dlbcl"]

DLBCL = Facts(
    "DLBCL",
    n=240,
    censored=42.50,
    n_features=(7399,),
    source="DLBCL of the SurvSet package",
    licence="GPL-3.0 (SurvSet)",
    time_unit="years",
    place=SURVSET,
)


def load_dlbcl() -> Dataset:
    """Load the lymphoma microarrays: death, in years, and 7,399 genes.

    Nothing is missing. The five times under 0.001 years are kept, as in the paper.

    Examples
    --------
    >>> load_dlbcl()
    Dataset('DLBCL', n=240, features=7399, censored=42.50%)
    """
    rows = survset_table("DLBCL")
    X = rows.filter(like="num_gene_").rename(columns=lambda c: c.removeprefix("num_"))
    return DLBCL.dataset(X, rows["time"], rows["event"])
