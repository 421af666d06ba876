"""Ranking and calibration of raw against calibrated curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv._labels import Labels
from consurv.curves import SurvivalCurves
from consurv.metrics import concordance_of_risk, d_calibration
from consurv.metrics.d_calibration import DCalibrationResult
from consurv.metrics.group_calibration import (
    GroupCalibrationResult,
    group_calibration_of_survival,
)
from consurv.metrics.risk_calibration import (
    RiskCalibrationResult,
    risk_calibration_of_survival,
    times_of_events,
)
from consurv.outcome import Outcome

__all__ = ["Scores", "ScoresInParts"]


@dataclass(frozen=True)
class Scores:
    """What is shown before and after the adjustment."""

    c_index: float
    d_cal: DCalibrationResult
    by_risk: RiskCalibrationResult
    by_group: GroupCalibrationResult | None = None


class ScoresInParts:
    """Scores of curves that come block by block and are not kept.

    All that the metrics need of a curve are its median, its value at the subject's own
    time and its values at a few common times.

    Parameters
    ----------
    y : Outcome
        Of all subjects, in the order in which their curves come.

    Examples
    --------
    >>> y = Outcome(time=[1, 2], event=[1, 1])
    >>> parts = ScoresInParts(y)
    >>> parts.add(SurvivalCurves([4], [[0.0]]), y[:1])
    >>> parts.add(SurvivalCurves([8], [[0.0]]), y[1:])
    >>> parts.scores().c_index
    1.0
    """

    def __init__(self, y: Outcome) -> None:
        self._y = y
        # Without an event there are no such times, and no scores in the end.
        self._times: Float = times_of_events(y) if y.n_events else np.empty(0)
        self._medians: list[Float] = []
        self._survival: list[Float] = []
        self._at_times: list[Float] = []

    def add(self, curves: SurvivalCurves, y: Outcome) -> None:
        """Take the curves of the next subjects and their outcomes."""
        self._medians.append(curves.median())
        self._survival.append(curves.survival_at_observed(y.time))
        self._at_times.append(curves.survival_at(self._times))

    @property
    def risk(self) -> Float:
        """Minus the medians of all subjects."""
        risk: Float = -np.concatenate(self._medians)
        return risk

    def scores(self, risk: Float | None = None, groups: Labels | None = None) -> Scores:
        """Return the scores of all subjects together, grouped by *risk*, or by own.

        With *groups* also within these.
        """
        survival = np.concatenate(self._survival)
        at_own_times = SurvivalCurves(self._y.time[:, None], survival[:, None])
        at_times = np.concatenate(self._at_times)
        by_group = None
        if groups is not None:
            by_group = group_calibration_of_survival(
                self._y, at_times, survival, groups=groups, times=self._times
            )
        return Scores(
            by_group=by_group,
            c_index=float(concordance_of_risk(self._y, self.risk)),
            d_cal=d_calibration(self._y, at_own_times),
            by_risk=risk_calibration_of_survival(
                self._y,
                at_times,
                survival,
                risk=self.risk if risk is None else risk,
                times=self._times,
            ),
        )
