"""The law of the true times: Weibull, with a covariate that nobody sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

__all__ = ["Baseline"]

Float = NDArray[np.float64]

# Gauss-Hermite: the average over a standard normal z, exact to rounding here.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(48)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class Baseline:
    """The law of U = scale · exp(hidden · z) · E^(1/shape).

    z is standard normal and E standard exponential. Without the hidden covariate z
    the law is Weibull.

    Examples
    --------
    >>> base = Baseline(shape=2.0, scale=10.0)
    >>> base.quantile(base.survival(np.array([5.0])))
    array([5.])
    """

    shape: float = 1.5
    scale: float = 10.0
    hidden: float = 0.0

    def survival(self, t: Float) -> Float:
        """Return P(U > t), the hidden covariate averaged out."""
        hazard = (t / self.scale) ** self.shape
        if not self.hidden:
            return np.exp(-hazard)
        total = np.zeros_like(hazard)
        for z, weight in zip(_NODES, _WEIGHTS, strict=True):
            total += weight * np.exp(-hazard * np.exp(-self.shape * self.hidden * z))
        return total

    def quantile(self, levels: Float) -> Float:
        """Return the times at which the survival falls to levels in [0, 1]."""
        if self.hidden:
            return np.array([_root(self, float(level)) for level in levels])
        with np.errstate(divide="ignore"):  # level 0 is reached at infinity
            return self.scale * (-np.log(levels)) ** (1 / self.shape)


@cache
def _root(law: Baseline, level: float) -> float:
    if level <= 0:
        return np.inf
    if level >= 1:
        return 0.0

    def excess(log_time: float) -> float:
        return float(law.survival(np.exp(np.array(log_time)))) - level

    return float(np.exp(brentq(excess, -40, 40, xtol=1e-13)))
