"""Percentile times: the exact inverse of the curves."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.interpolate import segment_cubic
from consurv.curves.nodes import Nodes, tail_percentile_time
from consurv.curves.pchip import Cubic
from consurv.curves.search import Index, last_index, pick

__all__ = ["percentile_times"]


def percentile_times(nodes: Nodes, levels: Float) -> Float:
    """Return q(ρ) = inf{t : S(t) ≤ ρ} of each curve.

    Parameters
    ----------
    nodes : Nodes of n curves
    levels : array of shape (p,) or (n, p)
        In [0, 1), in any order; common to all curves, or a row for each. Level 0 is
        where a curve ends.

    Returns
    -------
    array of shape (n, p)
        +inf where a curve never comes down to the level.

    Examples
    --------
    >>> nodes = Nodes(np.array([0.0, 4.0]), np.array([[1.0, 0.5]]), "linear")
    >>> percentile_times(nodes, np.array([0.75, 0.25]))
    array([[2., 6.]])
    """
    out = np.empty((nodes.survival.shape[0], levels.shape[-1]))
    for rows, block in nodes.blocks(levels.shape[-1]):
        out[rows] = _invert(block, levels if levels.ndim == 1 else levels[rows])
    return out


def _invert(block: Nodes, levels: Float) -> Float:
    last = block.survival.shape[1] - 1
    # The level is reached in the segment that starts at the last node above it.
    index = last_index(block.survival, levels, np.greater)
    after = np.minimum(index + 1, last)
    time = pick(block.times, after)
    if block.interpolation != "step":
        time = _time_within(block, levels, index, after, time)
    tail = index == last
    if tail.any():
        row = np.nonzero(tail)[0]
        last_time = block.times[..., -1]
        time[tail] = tail_percentile_time(
            last_time if last_time.ndim == 0 else last_time[row],
            block.survival[row, -1],
            np.broadcast_to(levels, tail.shape)[tail],
        )
    return time


def _time_within(
    block: Nodes, levels: Float, index: Index, after: Index, stop: Float
) -> Float:
    """Return the times inside the segments; meaningless in the tail."""
    start, lower = pick(block.times, index), pick(block.survival, after)
    upper = pick(block.survival, index)
    if block.interpolation == "pchip":
        cubic = segment_cubic(block, index, after)
        return _cubic_time(cubic, start, stop, upper - levels, levels - lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = (upper - levels) / (upper - lower)
        time = np.minimum(start + u * (stop - start), stop)
    # At the right node exactly, so that S(q(ρ)) ≤ ρ holds there to the last bit; an
    # infinite node time is reached by no level before it.
    np.copyto(time, stop, where=(u >= 1) | np.isinf(stop))
    return time


def _cubic_time(
    cubic: Cubic, start: Float, stop: Float, above: Float, below: Float
) -> Float:
    """Return the times in pchip segments at *above*, *below* from the two nodes.

    Solved from the nearer node, because the curve may be flat at either and u is
    only determined well by the smaller of the two distances.
    """
    inside = cubic.whole > 0  # not the tail
    t0, t1, d0, d1 = (part[inside] for part in (start, stop, above, below))
    whole, left, right = (part[inside] for part in cubic)
    late = d1 < d0
    near = Cubic(whole, np.where(late, right, left), np.where(late, left, right))
    step = near.solve(np.minimum(d0, d1)) * (t1 - t0)
    time = stop.copy()
    time[inside] = np.clip(np.where(late, t1 - step, t0 + step), t0, t1)
    return time
