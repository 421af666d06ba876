"""The test whether a group survives as predicted, and Holm's correction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc, chdtrc, ndtri

from consurv._checks import Float
from consurv.metrics._observed import Observed

__all__ = ["holm", "survival_test"]

# Cochran's rule: with fewer expected events, or survivors, χ² rejects too often.
_EXPECTED = 5.0


class _Interval(NamedTuple):
    """Conditional survival over a stretch of time: seen, predicted, among how many."""

    observed: float
    predicted: float
    subjects: float

    @property
    def is_large(self) -> bool:
        p, m = self.predicted, self.subjects
        return m * min(p, 1 - p) >= _EXPECTED

    @property
    def chi_square(self) -> float:
        o, p, m = self
        return (o - p) ** 2 * m / (p * (1 - p))

    @property
    def exact_chi_square(self) -> float:
        """χ² with the same p-value as the exact binomial test."""
        m = round(self.subjects)
        alive = round(self.subjects * self.observed)
        tails = bdtr(alive, m, self.predicted), bdtrc(alive - 1, m, self.predicted)
        return float(ndtri(min(0.5, *tails)) ** 2)  # χ² with 1 degree is z²


def survival_test(seen: Observed, predicted: Float) -> tuple[float, float]:
    """Return χ² of the survival of one group over the times, and its p-value.

    Survival from one time to the next, o = O_k / O_j, is compared with p = E_k / E_j.
    If the predictions are right the differences are nearly independent with variance
    p (1 − p) / m, m the effective number of subjects by Greenwood's formula. The
    variance is that under the predictions, because the observed one is too small just
    where few events make the difference large. A stretch grows over the times until 5
    events and 5 survivors are expected in it; what is left at the end is tested
    exactly and adds the χ² that has this p-value.

    Returns
    -------
    statistic, p_value : float
        NaN if nothing was seen of the group.

    Examples
    --------
    >>> seen = Observed(*np.array([[0.6], [0.0024], [0.51], [0.69], [100.0]]))
    >>> statistic, p_value = survival_test(seen, np.array([0.5]))
    >>> round(statistic, 6), round(p_value, 4)
    (4.0, 0.0455)
    """
    known = int(np.count_nonzero(seen.subjects > 0))  # nothing is seen after nothing
    terms, start, left = [], -1, None
    for k in range(known):
        left = _interval(seen, predicted, start, k)
        if left.is_large:
            terms.append(left.chi_square)
            start, left = k, None
    if left is not None:
        terms.append(left.exact_chi_square)
    if not terms:
        return float("nan"), float("nan")
    statistic = float(np.sum(terms))
    return statistic, float(chdtrc(len(terms), statistic))


def holm(p_values: Float) -> Float:
    """Return p-values by Holm's correction; NaN stays and is not counted.

    Examples
    --------
    >>> holm(np.array([0.5, 0.01, np.nan, 0.03]))
    array([0.5 , 0.03,  nan, 0.06])
    """
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    found: Float = np.full(p_values.size, np.nan)
    found[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return found


def _interval(seen: Observed, predicted: Float, start: int, end: int) -> _Interval:
    """Return the stretch after time number *start* (−1 is time 0) up to *end*."""
    o = seen.survival[end] / (seen.survival[start] if start >= 0 else 1.0)
    p = predicted[end] / (predicted[start] if start >= 0 else 1.0)
    if 0 < o < 1:
        before = _log_variance(seen, start) if start >= 0 else 0.0
        m = (1 - o) / (o * (_log_variance(seen, end) - before))
    else:  # nobody had the event, or everybody
        m = seen.subjects[end]
    return _Interval(float(o), float(p), float(m))


def _log_variance(seen: Observed, k: int) -> float:
    return float(seen.variance[k] / seen.survival[k] ** 2)
