"""Claims about what censored subjects contribute (ablation 1)."""

from __future__ import annotations

import numpy as np

from studies.claims.claim import (
    BETTER,
    COMPARABLE,
    SIGNIFICANTLY_BETTER,
    Claim,
    Evidence,
    all_pairs,
    better,
    comparable,
    datasets_of_size,
    judged,
)
from studies.comparison import compare_variants
from studies.measures import CALIBRATION, MEASURES
from studies.names import variant_label
from studies.results import Results
from studies.tables.ablation import cell_ranks

__all__ = ["censoring_claims"]

STUDY = "ablation-censoring"
# The exact limit stands for the paper's KM-sampling.
RULES = ["uncensored", "margin", "pseudo-observation", "kaplan-meier"]
_IMPUTING = RULES[1:]
_SAMPLED = "kaplan-meier-sampled"
_LEAST_CENSORED = "VALCT"


def censoring_claims(results: Results) -> list[Claim]:
    """Return claims 1 to 5, and before them what they rest on."""
    small = datasets_of_size(results, STUDY, "small")
    others = [name for name in small if name != _LEAST_CENSORED]
    return [
        judged(
            "0",
            "(ours) KM exact can stand for KM-sampling",
            f"five metrics: {COMPARABLE}",
            comparable(
                compare_variants(results, STUDY, "kaplan-meier", _SAMPLED),
                "exact and sampled",
            ),
        ),
        judged(
            "1",
            "On VALCT (few censored) the rule 'uncensored' is best for calibration",
            "lowest mean rank of the paper's four rules over models × D-cal, KM-cal",
            _best_on_valct(results),
        ),
        judged(
            "2",
            "On the other small datasets margin, PO and KM-sampling are similar for "
            "calibration",
            f"D-cal and KM-cal: {COMPARABLE}",
            comparable(
                all_pairs(results, STUDY, _IMPUTING, CALIBRATION, others),
                ", ".join(others),
            ),
        ),
        _km_wins(results, "3a", "medium"),
        _km_wins(results, "3b", "large"),
        judged(
            "4a",
            "IBS: margin, PO and KM-sampling are comparable",
            COMPARABLE,
            comparable(
                all_pairs(results, STUDY, _IMPUTING, ["integrated_brier_score"]), "IBS"
            ),
        ),
        judged(
            "4b",
            "IBS: margin, PO and KM-sampling are better than 'uncensored'",
            f"each of the three: {BETTER}",
            *(
                _against(results, "uncensored", rule, ["integrated_brier_score"])
                for rule in _IMPUTING
            ),
        ),
        judged(
            "5",
            "MAE-PO: no difference between the four rules",
            COMPARABLE,
            comparable(all_pairs(results, STUDY, RULES, ["mae_po"]), "MAE-PO"),
        ),
    ]


def _best_on_valct(results: Results) -> Evidence:
    datasets = [d for d in results.datasets(STUDY) if d == _LEAST_CENSORED]
    ranks = np.vstack(
        [
            cell_ranks(results, STUDY, RULES, MEASURES[name], datasets)
            for name in CALIBRATION
        ]
    )
    if not len(ranks):
        return Evidence(None, "")
    means = ranks.mean(axis=0)
    texts = [
        f"{variant_label(rule)} {mean:.2f}"
        for rule, mean in zip(RULES, means, strict=True)
    ]
    return Evidence(
        bool(means[0] < means[1:].min()),
        f"mean ranks over {len(ranks)} cells: {', '.join(texts)}",
    )


def _km_wins(results: Results, number: str, size: str) -> Claim:
    datasets = datasets_of_size(results, STUDY, size)
    return judged(
        number,
        f"On {size} datasets KM-sampling is significantly better than each other rule "
        "for calibration",
        f"D-cal and KM-cal, against each: {SIGNIFICANTLY_BETTER}",
        *(
            better(
                compare_variants(
                    results,
                    STUDY,
                    rule,
                    "kaplan-meier",
                    metrics=CALIBRATION,
                    datasets=datasets,
                ),
                f"against {variant_label(rule)}",
                significantly=True,
            )
            for rule in RULES[:-1]
        ),
    )


def _against(results: Results, first: str, second: str, metrics: list[str]) -> Evidence:
    cells = compare_variants(results, STUDY, first, second, metrics=metrics)
    return better(cells, variant_label(second))
