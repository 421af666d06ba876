"""C-index and D-calibration of raw against calibrated curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.curves import SurvivalCurves
from consurv.metrics import concordance_of_risk, d_calibration
from consurv.metrics.d_calibration import DCalibrationResult
from consurv.outcome import Outcome

__all__ = ["Scores", "ScoresInParts"]


@dataclass(frozen=True)
class Scores:
    """What is shown before and after the adjustment."""

    c_index: float
    d_cal: DCalibrationResult


class ScoresInParts:
    """Scores of curves that come block by block and are not kept.

    All that the two metrics need of a curve are its median and its value at the
    subject's own time.

    Examples
    --------
    >>> y = Outcome(time=[1, 2], event=[1, 1])
    >>> parts = ScoresInParts()
    >>> parts.add(SurvivalCurves([4], [[0.0]]), y[:1])
    >>> parts.add(SurvivalCurves([8], [[0.0]]), y[1:])
    >>> parts.scores(y).c_index
    1.0
    """

    def __init__(self) -> None:
        self._medians: list[Float] = []
        self._survival: list[Float] = []

    def add(self, curves: SurvivalCurves, y: Outcome) -> None:
        """Take the curves of the next subjects and their outcomes."""
        self._medians.append(curves.median())
        self._survival.append(curves.survival_at_observed(y.time))

    def scores(self, y: Outcome) -> Scores:
        """Return the scores of all subjects together."""
        survival = np.concatenate(self._survival)
        at_own_times = SurvivalCurves(y.time[:, None], survival[:, None])
        return Scores(
            c_index=float(concordance_of_risk(y, -np.concatenate(self._medians))),
            d_cal=d_calibration(y, at_own_times),
        )
