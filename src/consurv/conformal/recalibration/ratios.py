"""Stage (b): hazard ratios by cell of cumulative hazard and by risk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.conformal.recalibration.risk import RiskScale

__all__ = ["BORDERS", "HazardRatios", "curvature"]

# Where cells of H = −log S begin: fine where early events decide, and the last one goes
# on for ever.
BORDERS = np.concatenate(
    [[0.0], -np.log([0.99, 0.975, 0.95, *np.arange(9, 0, -1) / 10])]
)
# No ratio leaves e^±8: a thousandfold error is no matter of calibration.
_STEEPEST = 8.0


def curvature(score: Float) -> Float:
    """Return the quadratic of a normal score that is orthogonal to 1 and to it."""
    bent: Float = (score**2 - 1) / np.sqrt(2)
    return bent


@dataclass(frozen=True)
class HazardRatios:
    """log ratio = a_m + b_m z + c (z² − 1)/√2 in cell m, at the score z of a subject.

    Attributes
    ----------
    borders : ndarray of shape (M,)
        H where the cells begin, from 0.
    levels, slopes : ndarray of shape (M,)
        a and b.
    bend : float
        c.
    risk : RiskScale
    """

    borders: Float
    levels: Float
    slopes: Float
    bend: float
    risk: RiskScale

    @classmethod
    def none(cls, risk: RiskScale) -> HazardRatios:
        """Return ratios that change nothing."""
        zeros = np.zeros(len(BORDERS))
        return cls(BORDERS, zeros, zeros, 0.0, risk)

    @property
    def is_none(self) -> bool:
        """Whether they change nothing."""
        return not (self.levels.any() or self.slopes.any() or self.bend)

    def ratios(self, score: Float) -> Float:
        """Return the ratios (n, M) at scores (n,)."""
        # Cells x subjects: what follows runs along subjects, of which there are more.
        logs = self.levels[:, None] + self.slopes[:, None] * score
        if self.bend:
            logs += self.bend * curvature(score)
        np.clip(logs, -_STEEPEST, _STEEPEST, out=logs)
        return np.exp(logs, out=logs).T

    def adjusted(self, log_median: Float, hazard: Float) -> Float:
        """Return adjusted cumulative hazards (n,) where the mapped ones are given."""
        if self.is_none:
            return hazard
        ratios, reached = self._reached(log_median)
        cell = np.searchsorted(self.borders, hazard, side="right") - 1
        rows, cell = np.arange(len(hazard)), np.maximum(cell, 0)
        inside = hazard - self.borders[cell]
        adjusted: Float = reached[rows, cell] + ratios[rows, cell] * inside
        return adjusted

    def log_mapped(self, log_median: Float, levels: Float) -> Float:
        """Return the logarithms of ``mapped``; without ratios one row for all."""
        if self.is_none:
            row = np.log(-np.log(levels))
            return np.broadcast_to(row, (len(log_median), len(levels)))
        return np.log(self.mapped(log_median, levels))

    def mapped(self, log_median: Float, levels: Float) -> Float:
        """Return mapped cumulative hazards (n, p) of adjusted curves at levels (p,).

        The inverse of ``adjusted``.
        """
        wanted = -np.log(levels)
        if self.is_none:
            return np.broadcast_to(wanted, (len(log_median), len(levels)))
        ratios, reached = (values.T for values in self._reached(log_median))
        passed = reached[1:, None, :] <= wanted[:, None]
        cell = passed.view(np.int8).sum(axis=0, dtype=np.int8).astype(np.intp)
        place = cell * len(log_median) + np.arange(len(log_median))
        found: Float = wanted[:, None] - reached.ravel().take(place)
        found /= ratios.ravel().take(place)
        found += self.borders.take(cell)
        return found.T

    def _reached(self, log_median: Float) -> tuple[Float, Float]:
        """Return ratios and adjusted cumulative hazards where cells begin, (n, M)."""
        ratios = self.ratios(self.risk.at(log_median))
        reached = np.zeros(ratios.shape, order="F")
        for cell, length in enumerate(np.diff(self.borders)):
            np.multiply(ratios[:, cell], length, out=reached[:, cell + 1])
            reached[:, cell + 1] += reached[:, cell]
        return ratios, reached
