"""Claims about the conformal set (ablation 2) and the percentiles (ablation 3)."""

from __future__ import annotations

from collections.abc import Iterable

from studies.claims.claim import (
    BETTER,
    COMPARABLE,
    SIGNIFICANTLY_BETTER,
    Claim,
    better,
    comparable,
    datasets_of_size,
    judged,
)
from studies.comparison import CellComparison, compare_variants
from studies.measures import CALIBRATION, MEASURES
from studies.results import Results

__all__ = ["conformal_set_claims", "percentile_claims"]

_SETS, _LEVELS = "ablation-conformal-set", "ablation-percentiles"
_OTHERS = tuple(name for name in MEASURES if name not in CALIBRATION)


def conformal_set_claims(results: Results) -> list[Claim]:
    """Return claims 6 and 7."""

    def policies(metrics: Iterable[str], *sizes: str) -> list[CellComparison]:
        datasets = datasets_of_size(results, _SETS, *sizes) if sizes else None
        return compare_variants(
            results,
            _SETS,
            "validation",
            "train+validation",
            metrics=metrics,
            datasets=datasets,
        )

    merged = "train+validation against validation"
    return [
        *(
            judged(
                f"6{letter}",
                f"On {size} datasets policy 2 (train+validation) is better for "
                "calibration",
                f"D-cal and KM-cal: {BETTER}",
                better(policies(CALIBRATION, size), merged),
            )
            for letter, size in (("a", "small"), ("b", "medium"))
        ),
        judged(
            "6c",
            "The policy has no effect on C-index, IBS and MAE-PO",
            COMPARABLE,
            comparable(policies(_OTHERS), merged),
        ),
        judged(
            "7",
            "On large datasets both policies are the same for calibration",
            f"D-cal and KM-cal: {COMPARABLE}",
            comparable(policies(CALIBRATION, "large"), merged),
        ),
    ]


def percentile_claims(results: Results) -> list[Claim]:
    """Return claims 8 and 9."""
    against = [
        cell
        for number in ("9", "39", "49", "99")
        for cell in compare_variants(results, _LEVELS, "19", number)
    ]
    large = compare_variants(
        results,
        _LEVELS,
        "9",
        "19",
        metrics=["km_calibration"],
        datasets=datasets_of_size(results, _LEVELS, "large"),
    )
    return [
        judged(
            "8",
            "The number of percentiles has minimal impact",
            f"9, 39, 49 and 99 against 19, five metrics: {COMPARABLE}",
            comparable(against, "against 19"),
        ),
        judged(
            "9",
            "On large datasets 9 percentiles give a significantly poorer KM-cal",
            f"19 against 9: {SIGNIFICANTLY_BETTER}",
            better(large, "19 against 9", significantly=True),
        ),
    ]
