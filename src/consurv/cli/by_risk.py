"""Calibration by risk and by group in the words of the commands."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from consurv.cli.scores import Scores
from consurv.metrics import METRICS, RiskCalibrationResult
from consurv.report.by_risk import group_names, harms, percents

__all__ = ["add_group_rows", "harmed", "worst_group"]


def worst_group(result: RiskCalibrationResult) -> str:
    """Say which group has the largest gap, and what was said there.

    Examples
    --------
    >>> from consurv.curves import SurvivalCurves
    >>> from consurv.metrics import risk_calibration
    >>> curves = SurvivalCurves([8], [[0.0]] * 4)
    >>> print(worst_group(risk_calibration(([1, 1, 1, 1], [1, 2, 3, 4]), curves)))
    all subjects at time 4: 50% said, 0% observed
    """
    group, time, _ = result.worst
    place = group, int((result.times == time).argmax())
    said, observed = percents(result.predicted[place], result.observed[place])
    return (
        f"{group_names(result)[group]} at time {time:.4g}: {said} said, "
        f"{observed} observed"
    )


def add_group_rows(
    table: Table, both: Sequence[RiskCalibrationResult], name: str = "risk_calibration"
) -> None:
    """Add lines on calibration by risk or group to a table of raw and calibrated."""
    metric = METRICS[name]
    table.add_row(
        f"{metric.label} × 1000 ({metric.perfect:g} is perfect)",
        *(f"{1000 * float(result):.3f}" for result in both),
    )
    table.add_row("worst group", *map(worst_group, both))


def harmed(raw: Scores, calibrated: Scores) -> list[str]:
    """Return a sentence for each group that is clearly worse off."""
    found = harms(raw.by_risk, calibrated.by_risk)
    if raw.by_group is not None and calibrated.by_group is not None:
        found += harms(raw.by_group, calibrated.by_group)
    return [f"Clearly worse off is {harm}." for harm in found]
