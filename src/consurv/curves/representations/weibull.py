"""The Weibull law."""

from __future__ import annotations

import numpy as np
from scipy.special import gamma, gammainc, gammaincc, gammaln

from consurv._checks import Float
from consurv.curves.representations.law import Law

__all__ = ["Weibull"]


class Weibull(Law):
    """S(t) = exp(−(t/λ)^k), with location log λ and scale 1/k.

    Examples
    --------
    >>> law = Weibull(np.log([2.0]), np.array([1.0]))
    >>> law.survival_at(np.array([2.0])).round(4), law.area_until(np.array([np.inf]))
    (array([[0.3679]]), array([2.]))
    """

    def _survival(self, z: Float) -> Float:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-np.exp(z)))

    def _quantile(self, level: Float) -> Float:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(-np.log(level)))

    def _mean(self) -> Float:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self._location) * gamma(1 + self._scale))

    def _until(self, t: Float, z: Float) -> Float:
        x = np.exp(z)
        part = gammainc(self._scale, x)
        # In logarithms: the gamma function overflows where the part is small.
        area = np.exp(self._location + gammaln(1 + self._scale) + np.log(part))
        near = t * np.exp(-x) / (1 - np.minimum(x / (self._scale + 1), 0.5))
        return np.asarray(np.where(part > 0, np.minimum(area, t), near))

    def _beyond(self, t: Float, z: Float) -> Float:
        return np.asarray(self._mean() * gammaincc(self._scale, np.exp(z)))
