"""The log-normal law."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from consurv._checks import Float
from consurv.curves.representations.law import Law

__all__ = ["LogNormal"]


class LogNormal(Law):
    """log T is normal with mean location and standard deviation scale.

    Examples
    --------
    >>> law = LogNormal(np.log([2.0]), np.array([1.0]))
    >>> law.percentile_times(np.array([0.5])), law.area_until(np.array([np.inf]))
    (array([[2.]]), array([3.29744254]))
    """

    def _survival(self, z: Float) -> Float:
        return np.asarray(ndtr(-z))

    def _quantile(self, level: Float) -> Float:
        return np.asarray(-ndtri(level))

    def _mean(self) -> Float:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self._location + self._scale**2 / 2))

    def _until(self, t: Float, z: Float) -> Float:
        # E[min(T, t)]: t for those who live on, and the mean of the others.
        return np.asarray(t * ndtr(-z) + self._part(z - self._scale))

    def _beyond(self, t: Float, z: Float) -> Float:
        return np.asarray(self._part(self._scale - z) - t * ndtr(-z))

    def _part(self, w: Float) -> Float:
        log_mean = self._location + self._scale**2 / 2
        return np.asarray(np.exp(log_mean + log_ndtr(w)))
