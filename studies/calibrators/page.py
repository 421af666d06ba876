"""The page: how often each calibrator is in front, what it costs, what we lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studies.calibrators.cell import OURS, X_CAL
from studies.calibrators.standing import (
    Values,
    of_records,
    places,
    ranks,
    share_in_front,
)

__all__ = ["ERRORS", "METRICS", "label", "of_bed", "page"]

METRICS = {
    "d_calibration": "D-cal",
    "integrated_brier_score": "IBS",
    "km_calibration": "KM-cal",
    "risk_calibration": "by risk",
}
_DECIDING = "d_calibration", "integrated_brier_score"
# How records call a contestant, and readers do.
_LABELS = {"km of pit": "KM of the PIT"}
# Of the test bed: errors of curves against the truth.
ERRORS = {"marginal": 0, "by risk": 1, "ISE": 2}


def label(name: str) -> str:
    """Return what a contestant is called in tables and figures.

    Examples
    --------
    >>> label("km of pit"), label("cloglog")
    ('KM of the PIT', 'cloglog')
    """
    return _LABELS.get(name, name)


def of_bed(
    records: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
    names: Sequence[str],
    error: int,
) -> dict[str, dict[str, list[float]]]:
    """Return one error of the test bed by setting and contestant."""
    found = {}
    for setting, by in records.items():
        if not all(name in by for name in names):
            continue
        shared = set.intersection(*(set(by[name]) for name in names))
        if shared:
            found[setting] = {
                name: [by[name][r][error] for r in sorted(shared)] for name in names
            }
    return found


def page(
    done: Sequence[Mapping[str, Any]],
    failed: Sequence[Mapping[str, Any]],
    bed: Mapping[str, Values],
) -> str:
    """Return the tables in Markdown."""
    real = {
        told: of_records(done, metric, left_out=(X_CAL,))
        for metric, told in METRICS.items()
    }
    deciding = [p for m in _DECIDING for p in places(real[METRICS[m]], OURS)]
    strict = [p for m in _DECIDING for p in places(real[METRICS[m]], OURS, ratio=0.0)]
    known = {f"bed, {error}": values for error, values in bed.items()}
    lines = [
        f"{len(done)} cells of dataset, model and seed; {len(failed)} failed.",
        "",
        f"D-cal and IBS together: our default is best, or less than one standard error "
        f"behind the best of all (raw curves among them), in "
        f"{sum(p.in_front for p in deciding)} of {len(deciding)} pairs "
        f"({share_in_front(deciding):.0%}); with the plain standard error, which takes "
        f"splits as independent, in {share_in_front(strict):.0%}.",
        "",
        *_standing({**real, **known}),
        "",
        *_cost(done),
        "",
        *_losses({**real, **known}),
        *_x_cal(done),
    ]
    return "\n".join(lines) + "\n"


def _standing(tables: Mapping[str, Values]) -> list[str]:
    """Return how often each is in front, and its mean rank."""
    tables = {metric: values for metric, values in tables.items() if values}
    names = sorted(
        {n for values in tables.values() for by in values.values() for n in by}
    )
    head = [f"{metric} ({len(values)})" for metric, values in tables.items()]
    lines = [
        "Share of cells in which a calibrator is in front, and its mean rank:",
        "",
        "| calibrator | " + " | ".join(head) + " |",
        "|---|" + "---|" * len(head),
    ]
    for name in names:
        told = []
        for values in tables.values():
            if all(name in by for by in values.values()):
                share = share_in_front(places(values, name))
                told.append(f"{share:.0%} ({ranks(values)[name].mean():.1f})")
            else:
                told.append("")
        lines.append(f"| {label(name)} | " + " | ".join(told) + " |")
    return lines


def _cost(done: Sequence[Mapping[str, Any]]) -> list[str]:
    names = list(done[0]["seconds"]) if done else []
    lines = [
        "CPU seconds to calibrate and predict, beside the fits (median and largest):",
        "",
        "| calibrator | median | largest |",
        "|---|---|---|",
    ]
    for name in names:
        took = [record["seconds"][name] for record in done if name in record["seconds"]]
        lines.append(f"| {label(name)} | {np.median(took):.3f} | {max(took):.3f} |")
    return lines


def _losses(real: Mapping[str, Values]) -> list[str]:
    lines = ["Where our default is more than one standard error behind:", ""]
    for metric, values in real.items():
        lost = [place for place in places(values, OURS) if not place.in_front]
        for p in sorted(lost, key=lambda place: -place.behind):
            lines.append(
                f"- {metric}, {p.cell}: {p.behind:.4g} ± {p.error:.2g} behind "
                f"{label(p.best)}"
            )
    return lines


def _x_cal(done: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the network trained with X-cal beside that by likelihood, calibrated."""
    rows = [record["scores"] for record in done if X_CAL in record["scores"]]
    if not rows:
        return []
    lines = [
        "",
        f"A log-normal network, {len(rows)} splits in all: trained by likelihood, the "
        "same calibrated by our default, and trained with the loss of X-cal:",
        "",
        "| | " + " | ".join([*METRICS.values(), "C-index"]) + " |",
        "|---|" + "---|" * (len(METRICS) + 1),
    ]
    for name in ("raw", OURS, X_CAL):
        means = [np.mean([r[name][m] for r in rows]) for m in (*METRICS, "c_index")]
        lines.append(f"| {name} | " + " | ".join(f"{v:.4g}" for v in means) + " |")
    return lines
