"""The order of medians: held where hazard ratios by risk would change it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau
from sklearn.isotonic import isotonic_regression

from consurv._checks import Float

__all__ = ["OrderGuard", "hold_order", "kendall"]

# Kendall's tau of adjusted against raw medians that is to be kept.
_TAU = 0.99
# How far medians are drawn to a rising function of the raw ones, the first that does.
_SHARES = 0.25, 0.5, 0.75, 1.0
# A knot for so many subjects, and how many there are.
_PER_KNOT, _FEWEST, _MOST = 10, 3, 40
# Log medians so close are equal but for rounding.
_ROUNDED = 1e-9
# What makes flat stretches of the rising function rise.
_RISE = 1e-3
# Past its outer knots it goes on for so long: e^50 is more than any unit of time.
_FAR = 50.0


@dataclass(frozen=True)
class OrderGuard:
    """Medians are drawn to a rising function g of the raw ones, by a share.

    Attributes
    ----------
    share : float
        0: not at all.
    log_medians, targets : ndarray of shape (k,)
        The knots of g, raw and adjusted.
    """

    share: float
    log_medians: Float
    targets: Float

    @classmethod
    def none(cls) -> OrderGuard:
        """Return a guard that does nothing."""
        return cls(0.0, np.empty(0), np.empty(0))

    def pull(self, log_median: Float, adjusted: Float) -> Float:
        """Return by how much the log times of each subject are to be moved."""
        aim = np.interp(log_median, self.log_medians, self.targets)
        return self.share * (aim - adjusted)


def hold_order(log_median: Float, adjusted: Float, contrast: float) -> OrderGuard:
    """Return the weakest guard that keeps the order of medians, or nearly so.

    Parameters
    ----------
    log_median, adjusted : ndarray of shape (n,)
        Log medians, raw and adjusted.
    contrast : float
        The slope with which the rising function goes on past its knots.

    Examples
    --------
    >>> raw = np.arange(100.0)
    >>> hold_order(raw, 2 * raw, 1.0).share
    0.0
    >>> hold_order(raw, raw + 9 * np.sin(raw), 1.0).share
    1.0
    """
    if kendall(adjusted, log_median) >= _TAU:
        return OrderGuard.none()
    knots, targets = _rising(log_median, adjusted)
    ends = np.array([-_FAR, _FAR])
    outer = knots[[0, -1]] + ends, targets[[0, -1]] + contrast * ends
    knots, targets = (
        np.concatenate([end[:1], inner, end[1:]])
        for end, inner in zip(outer, (knots, targets), strict=True)
    )
    for share in _SHARES:
        guard = OrderGuard(share, knots, targets)
        held = adjusted + guard.pull(log_median, adjusted)
        if kendall(held, log_median) >= _TAU:
            break
    return guard


def kendall(a: Float, b: Float) -> float:
    """Return Kendall's tau-b; 1 where all are tied.

    Examples
    --------
    >>> kendall(np.array([1.0, 2, 3]), np.array([2.0, 5, 9]))
    1.0
    """
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 1.0
    return float(kendalltau(a, b).statistic)


def _rising(log_median: Float, adjusted: Float) -> tuple[Float, Float]:
    """Return knots of a rising function through means of groups of like medians.

    Where these fall they are pooled: the nearest rising function by least squares.
    Equal medians are in one group, so that neither the order of subjects nor the unit
    of time matters.
    """
    n = len(log_median)
    n_parts = int(np.clip(n // _PER_KNOT, _FEWEST, _MOST))
    ranks = np.searchsorted(np.sort(log_median), log_median - _ROUNDED)
    _, group = np.unique(ranks * n_parts // n, return_inverse=True)
    sizes = np.bincount(group)
    knots, means = (
        np.bincount(group, values) / sizes for values in (log_median, adjusted)
    )
    targets = isotonic_regression(means, sample_weight=sizes)
    return knots, targets + _RISE * (knots - knots[0])
