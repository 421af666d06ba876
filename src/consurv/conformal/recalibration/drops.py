"""Vertical drops of raw curves, made continuous."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float

__all__ = ["spread_drops", "spread_start"]

# Times this close together, as a share, are one drop.
_SAME = 1e-9
# A percentile time is 0 below this share of the last one, whatever the unit.
_AT_ONCE = 2.0**-40


def spread_drops(q: Float) -> tuple[Float, Bool]:
    """Spread the drops of curves evenly over the time since the last node before them.

    Survival at the drop itself stays as it is. Without that a likelihood would have
    windows of probability 0 between drops.

    Parameters
    ----------
    q : ndarray of shape (n, K)
        Percentile times at falling levels.

    Returns
    -------
    times : ndarray of shape (n, K)
    stepped : ndarray of shape (n,) of bool
        Which rows had a drop.

    Examples
    --------
    >>> spread_drops(np.array([[2.0, 5, 5, 5, 6]]))
    (array([[2., 3., 4., 5., 6.]]), array([ True]))
    """
    tied = q[:, 1:] <= q[:, :-1] * (1 + _SAME)
    stepped: Bool = np.any(tied, axis=1)
    if not stepped.any():
        return q, stepped
    if stepped.all():
        return _spread(q, tied), stepped
    times = q.copy(order="K")
    times[stepped] = _spread(q[stepped], tied[stepped])
    return times, stepped


def spread_start(q: Float, levels: Float, last: Float) -> Float:
    """Spread what a curve loses at time 0 evenly over the time to its next node.

    Nobody has an event at 0, whatever a model says that may predict times below 0.

    Parameters
    ----------
    q : ndarray of shape (n, K)
        Percentile times.
    levels : ndarray of shape (K,)
        In falling order.
    last : ndarray of shape (n,)
        The last finite time of each row, > 0.

    Examples
    --------
    >>> q, levels = np.array([[0.0, 0, 3, 4]]), np.array([0.9, 0.8, 0.7, 0.5])
    >>> spread_start(q, levels, q[:, -1])
    array([[1., 2., 3., 4.]])
    """
    at_once = _AT_ONCE * last
    rows = np.flatnonzero(q[:, 0] <= at_once)
    if not rows.size:
        return q
    some = q[rows]
    falls = some <= at_once[rows, None]
    first = np.argmin(falls, axis=1)
    rate = some[np.arange(rows.size), first] / (1 - levels[first])
    times = q.copy(order="K")
    times[rows] = np.where(falls, rate[:, None] * (1 - levels), some)
    return times


def _spread(q: Float, tied: Bool) -> Float:
    # By rows, along which runs of ties are followed.
    q, tied = np.ascontiguousarray(q), np.ascontiguousarray(tied)
    n, k = q.shape
    node, edge = np.arange(k), np.ones((n, 1), dtype=np.bool_)
    opens = np.concatenate([edge, ~tied], axis=1)
    closes = np.concatenate([~tied, edge], axis=1)
    first = np.maximum.accumulate(np.where(opens, node, 0), axis=1)
    last = np.minimum.accumulate(np.where(closes, node, k)[:, ::-1], axis=1)[:, ::-1]
    before = np.take_along_axis(q, np.maximum(first - 1, 0), axis=1)
    before = np.where(first > 0, before, 0.0)
    spread: Float = before + (q - before) * (node - first + 1) / (last - first + 1)
    return spread
