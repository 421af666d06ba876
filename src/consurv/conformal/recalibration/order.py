"""The order of medians: held where hazard ratios by risk would change it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.isotonic import isotonic_regression

from consurv._checks import Float

__all__ = ["OrderGuard", "hold_order", "kendall"]

# Kendall's tau of adjusted against raw medians that is to be kept.
_TAU = 0.99
# Pairs among so many subjects tell it well enough.
_SUBJECTS = 500
# How far medians are drawn to a rising function of the raw ones, the first that does.
_SHARES = 0.25, 0.5, 0.75, 1.0
# A knot for so many subjects, and how many there are.
_PER_KNOT, _FEWEST, _MOST = 10, 3, 40
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
    """Return Kendall's tau-b, of at most 500 subjects; 1 where all are tied.

    Examples
    --------
    >>> kendall(np.array([1.0, 2, 3]), np.array([2.0, 5, 9]))
    1.0
    """
    some = slice(None, None, max(-(-len(a) // _SUBJECTS), 1))
    a, b = a[some], b[some]
    first, second = np.triu_indices(len(a), 1)
    of_a, of_b = np.sign(a[first] - a[second]), np.sign(b[first] - b[second])
    pairs = np.count_nonzero(of_a) * np.count_nonzero(of_b)
    if not pairs:
        return 1.0
    return float((of_a * of_b).sum() / np.sqrt(pairs))


def _rising(log_median: Float, adjusted: Float) -> tuple[Float, Float]:
    """Return knots of a rising function through means of groups of like medians.

    Where these fall they are pooled: the nearest rising function by least squares.
    """
    order = np.argsort(log_median, kind="stable")
    parts = np.array_split(order, int(np.clip(len(order) // _PER_KNOT, _FEWEST, _MOST)))
    parts = [part for part in parts if part.size]
    sizes = np.array([float(part.size) for part in parts])
    knots, means = (
        np.array([values[part].mean() for part in parts])
        for values in (log_median, adjusted)
    )
    knots, group = np.unique(knots, return_inverse=True)
    weights = np.bincount(group, sizes)
    means = np.bincount(group, sizes * means) / weights
    targets = isotonic_regression(means, sample_weight=weights)
    return knots, targets + _RISE * (knots - knots[0])
