"""Vertical drops of raw curves, made continuous."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float

__all__ = ["spread_drops"]

# Times this close together, as a share, are one drop.
_SAME = 1e-9


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
