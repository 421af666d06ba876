"""What raw curves do past the end of their data: a tail that goes on as they came."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index

__all__ = ["continue_past_end", "count_finite"]

# Slopes of log H on log t that a tail may have: a curve that happens to end on a steep
# or flat stretch must not say what comes far beyond it.
_SLOPES = 0.5, 2.0
# A level counts as below the end of a curve from this on: ends come with rounding.
_CLEARLY = 1e-12
# The share of the time that the first quarter of the hazard takes is kept within these,
# so that the slope stays finite.
_SHARES = 1e-6, 0.99


def continue_past_end(
    q: Float, levels: Float, end: Float, t_last: Float
) -> tuple[Float, Float]:
    """Replace the straight tails of curves by Weibull tails.

    The line that a curve follows past its last point says where it must end, not what
    is to be expected. Instead log H goes on in log t with the slope that it had on its
    last three quarters of H = −log S. A curve that stays for ever above some level is
    continued from its last finite time in the same way.

    Parameters
    ----------
    q : ndarray of shape (n, K)
        Percentile times; +inf at some levels, not at all of them.
    levels : ndarray of shape (K,)
        In falling order.
    end : ndarray of shape (n,)
        The level where the data of a curve end; 0 where it goes on for ever.
    t_last : ndarray of shape (n,)
        The time where they end.

    Returns
    -------
    times : ndarray of shape (n, K)
        All finite.
    t_end : ndarray of shape (n,)
        Where the tail begins; +inf where there is none.

    Examples
    --------
    Half of the hazard of a curve that ends at level 0.5 was used up at time 2; it came
    in evenly, so the tail is that of an exponential law:

    >>> levels = np.array([0.5**0.5, 0.5, 0.25])
    >>> end, t_last = np.array([0.5]), np.array([4.0])
    >>> q = np.array([[2, 4, 6.0]])
    >>> times, t_end = continue_past_end(q, levels, end, t_last)
    >>> times.round(12), t_end
    (array([[2., 4., 8.]]), array([4.]))
    """
    n_finite = count_finite(q)
    endless = n_finite < len(levels)
    # Where all mass lies past the end of the data there is nothing to go on from.
    stops = (levels[-1] < end - _CLEARLY) & (end < 1) & (t_last > 0)
    t_end = np.full(len(q), np.inf)
    rows = np.flatnonzero(endless | stops)
    if not rows.size:
        return q, t_end
    last = n_finite[rows] - 1
    level = np.where(endless[rows], levels[last], end[rows])
    stop = np.where(endless[rows], q[rows, last], t_last[rows])
    t_end[rows] = stop
    hazard, reached = -np.log(levels), -np.log(level)
    slope = _slope(q[rows], hazard, reached, stop)
    times = q.copy(order="K")
    below = levels < level[:, None] - _CLEARLY
    tail = stop[:, None] * (hazard / reached[:, None]) ** (1 / slope[:, None])
    before = np.minimum(q[rows], stop[:, None])
    times[rows] = np.where(below, np.maximum(tail, stop[:, None]), before)
    return times, t_end


def count_finite(q: Float) -> Index:
    """Return how many of the times of each row, which never fall, are finite."""
    n, k = q.shape
    if (q[:, -1] < np.inf).all():
        return np.full(n, k)
    counted: Index = np.count_nonzero(q < np.inf, axis=1)
    return counted


def _slope(q: Float, hazard: Float, reached: Float, stop: Float) -> Float:
    """Return the slopes of log H on log t between a quarter of H and all of it."""
    h = np.concatenate([[0.0], hazard])
    t = np.concatenate([np.zeros((len(q), 1)), q], axis=1)
    k = np.clip(np.searchsorted(h, reached / 4, side="right"), 1, len(hazard))
    rows = np.arange(len(q))
    before, after = t[rows, k - 1], t[rows, k]
    share = (reached / 4 - h[k - 1]) / (h[k] - h[k - 1])
    quarter = before + share * (after - before)
    quarter = np.clip(quarter, _SHARES[0] * stop, _SHARES[1] * stop)
    slope: Float = np.clip(np.log(4) / np.log(stop / quarter), *_SLOPES)
    return slope
