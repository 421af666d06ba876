"""The log-logistic law."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, expit, hyp2f1, logit

from consurv._checks import Float
from consurv.curves.representations.law import Law

__all__ = ["LogLogistic"]


class LogLogistic(Law):
    """S(t) = 1 / (1 + (t/α)^k), with location log α and scale 1/k.

    Its mean is infinite where the scale is 1 or more.

    Examples
    --------
    >>> law = LogLogistic(np.log([2.0]), np.array([0.5]))
    >>> law.survival_at(np.array([2.0])), law.area_until(np.array([np.inf]))
    (array([[0.5]]), array([3.14159265]))
    """

    def _survival(self, z: Float) -> Float:
        return np.asarray(expit(-z))

    def _quantile(self, level: Float) -> Float:
        return np.asarray(-logit(level))

    def _mean(self) -> Float:
        with np.errstate(over="ignore", divide="ignore"):
            whole = np.pi * self._scale / np.sin(np.pi * self._scale)
            mean = np.exp(self._location) * whole
        return np.asarray(np.where(self._scale < 1, mean, np.inf))

    def _until(self, t: Float, z: Float) -> Float:
        a = np.minimum(self._scale, 1.0)
        light = self._mean() * betainc(a, 1 - a, expit(z))
        # The same integral where there is no mean to take a part of.
        heavy = (
            t
            * expit(-z)
            * hyp2f1(
                1.0, 1.0, 1 + self._scale, np.where(self._scale < 1, 0.0, expit(z))
            )
        )
        return np.asarray(np.where(self._scale < 1, light, heavy))

    def _beyond(self, t: Float, z: Float) -> Float:
        a = np.minimum(self._scale, 1.0)
        return np.asarray(self._mean() * betainc(1 - a, a, expit(-z)))
