"""The tables of calibration by risk and by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv.metrics.risk_calibration import RiskCalibrationResult
from consurv.report.by_risk import clearly_worse, digits_for, group_names

__all__ = ["RiskGroup", "RiskLine", "risk_groups"]


@dataclass(frozen=True)
class RiskLine:
    """Survival of a group at one time: observed with its interval, and predicted.

    Examples
    --------
    >>> line = RiskLine(12.0, 0.5, 0.4, 0.6, 0.7, 0.55, False)
    >>> line.is_observed, line.judgement
    (True, 'closer')
    """

    time: float
    observed: float
    lower: float
    upper: float
    raw: float
    calibrated: float
    is_worse: bool

    @property
    def is_observed(self) -> bool:
        """Whether somebody of the group was under observation until the time."""
        return bool(np.isfinite(self.observed))

    @property
    def percents(self) -> list[str]:
        """What was observed, its interval, and what both predictions said."""
        told = self.observed, self.raw, self.calibrated
        digits = digits_for(*(value for value in told if np.isfinite(value)))
        cells = self.observed, self.lower, self.upper, self.raw, self.calibrated
        return [f"{value:.{digits}%}" for value in cells]

    @property
    def judgement(self) -> str:
        """Say whether the calibrated prediction is closer to what was observed."""
        if self.is_worse:
            return "clearly worse"
        if not self.is_observed:
            return "not known"
        before = abs(self.raw - self.observed)
        after = abs(self.calibrated - self.observed)
        # What is not to be seen in the table is no difference.
        seen = 2 + digits_for(self.observed, self.raw, self.calibrated)
        if round(before, seen) == round(after, seen):
            return "the same"
        return "closer" if after < before else "further"


@dataclass(frozen=True)
class RiskGroup:
    """A group of subjects, with a line for each time.

    Attributes
    ----------
    who : str
    n, n_events : int
    p_values : tuple of float
        That the raw, and the calibrated, survival is right in this group (Holm).
    lines : tuple of RiskLine
    """

    who: str
    n: int
    n_events: int
    p_values: tuple[float, float]
    lines: tuple[RiskLine, ...]


def risk_groups(
    raw: RiskCalibrationResult, calibrated: RiskCalibrationResult
) -> list[RiskGroup]:
    """Return the table of calibration by risk, the highest first, or by group.

    Parameters
    ----------
    raw, calibrated : RiskCalibrationResult
        Of the same subjects in the same groups at the same times.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> from consurv.metrics import risk_calibration
    >>> curves = SurvivalCurves([10.0], np.zeros((40, 1)))
    >>> time = np.linspace(0.25, 10, 40)
    >>> found = risk_calibration((time > 0, time), curves)
    >>> [(group.who, len(group.lines)) for group in risk_groups(found, found)]
    [('all subjects', 4)]
    """
    worse = clearly_worse(raw, calibrated)

    def line(g: int, k: int) -> RiskLine:
        return RiskLine(
            time=float(raw.times[k]),
            observed=float(raw.observed[g, k]),
            lower=float(raw.lower[g, k]),
            upper=float(raw.upper[g, k]),
            raw=float(raw.predicted[g, k]),
            calibrated=float(calibrated.predicted[g, k]),
            is_worse=bool(worse[g, k]),
        )

    return [
        RiskGroup(
            who,
            int(raw.sizes[g]),
            int(raw.events[g]),
            (float(raw.p_values[g]), float(calibrated.p_values[g])),
            tuple(line(g, k) for k in range(len(raw.times))),
        )
        for g, who in enumerate(group_names(raw))
    ]
