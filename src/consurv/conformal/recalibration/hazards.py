"""Cumulative hazards of shapes at any time, and times at any cumulative hazard."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.recalibration.shapes import OUTER, Shapes

__all__ = ["hazard_at", "residual_at"]

# log H is kept within these: beyond, survival is 1 or 0 to the last digit.
_LOG_HAZARDS = -40.0, 6.0
# Equal cells in which a node is guessed: each has one of 48 nodes or none.
_GUESSES = 256
# Nodes closer than this are a drop that the floor of times left; slopes stay finite.
_APART = 1e-9
# A time on a node, but for rounding, belongs to the cell that begins there: whole times
# do at every second look.
_TIED = 1e-10


def hazard_at(
    shapes: Shapes, e: Float, rows: Index | None = None
) -> tuple[Float, Float]:
    """Return H and dH/de, each of shape (m,), at one residual e for each row.

    log H is linear between the nodes. Outside them it has the slope of the curve's
    middle half: a Weibull tail.

    Parameters
    ----------
    shapes : Shapes
    e : ndarray of shape (m,)
        log t less the log median.
    rows : ndarray of shape (m,), optional
        Of which subjects; by default of all.
    """
    n, k = shapes.nodes.shape
    at = np.arange(n) if rows is None else rows
    flat, y = shapes.nodes.T.ravel(), shapes.log_hazards
    place = _locate(flat, at, n, k, e + _TIED)
    right = np.clip(place, 1, k - 1)
    e0, e1 = (flat.take(node * n + at) for node in (right - 1, right))
    y0 = y[right - 1]
    slope = (y[right] - y0) / np.maximum(e1 - e0, _APART)
    log_hazard = y0 + slope * (e - e0)
    outside = np.flatnonzero((place == 0) | (place == k))
    if outside.size:
        early = place[outside] == 0
        slope[outside] = outer = OUTER / np.exp(shapes.log_width[at[outside]])
        node = np.where(early, e0[outside], e1[outside])
        last = np.where(early, y[0], y[-1])
        log_hazard[outside] = last + outer * (e[outside] - node)
    hazard = np.exp(np.clip(log_hazard, *_LOG_HAZARDS))
    return hazard, hazard * slope


def residual_at(shapes: Shapes, log_hazard: Float) -> Float:
    """Return the residuals e (n, p) at which log H has the given values (n, p).

    Values that are one row, broadcast, are looked for once.
    """
    y, nodes, wanted = shapes.log_hazards, shapes.nodes, log_hazard.T
    n = len(nodes)
    if log_hazard.strides[0] == 0:
        wanted = wanted[:, :1]
    left = _left_node(y, wanted)
    part = wanted - y.take(left)
    part /= np.diff(y).take(left)
    np.clip(part, 0.0, 1.0, out=part)
    place = left * n + np.arange(n)
    flat = nodes.T.ravel()
    e: Float = flat.take(place)
    place += n
    e += part * (flat.take(place) - e)
    outer = np.exp(shapes.log_width) / OUTER
    for outside, end in ((wanted < y[0], 0), (wanted > y[-1], -1)):
        if outside.any():
            beyond = nodes[:, end] + (wanted - y[end]) * outer
            np.copyto(e, beyond, where=outside)
    return e.T


def _left_node(y: Float, wanted: Float) -> Index:
    """Return the last node at or before each value; the first and last but one at most.

    A first guess is looked up in equal cells, and mostly right: a binary search of
    values in no order takes some times longer, if they are more than the cells.
    """
    if wanted.size <= _GUESSES:
        found = np.searchsorted(y, wanted, side="right") - 1
        return np.clip(found, 0, len(y) - 2)
    per_unit = (_GUESSES - 1) / (y[-1] - y[0])
    starts = y[0] + np.arange(_GUESSES) / per_unit
    guess = np.clip(np.searchsorted(y, starts, side="right") - 1, 0, len(y) - 2)
    cell = wanted - y[0]
    cell *= per_unit
    np.clip(cell, 0, _GUESSES - 1, out=cell)
    left: Index = guess.take(cell.astype(np.intp))
    ends = np.append(y[1:-1], np.inf)
    while (further := wanted >= ends.take(left)).any():
        left += further
    # A cell that begins on a node but for rounding was guessed one too far.
    left -= (wanted < y.take(left)) & (left > 0)
    return left


def _locate(flat: Float, rows: Index, n: int, k: int, value: Float) -> Index:
    """Return how many of the k sorted nodes of each row are at most its value.

    A binary search of all rows at once, in nodes x subjects.
    """
    place, last = rows - n, rows + (k - 1) * n
    step = 1 << (k.bit_length() - 1)
    while step:
        # Past the last node stands the last: whoever goes on there is brought back.
        further = np.minimum(place + step * n, last)
        place += step * n * (flat.take(further, mode="clip") <= value)
        step >>= 1
    return (np.minimum(place, last) - rows) // n + 1
