"""Cumulative hazards of shapes at any time, and times at any cumulative hazard."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.recalibration.shapes import OUTER, Shapes

__all__ = ["hazard_at", "residual_at"]

# log H is kept within these: beyond, survival is 1 or 0 to the last digit.
_LOG_HAZARDS = -40.0, 6.0
# Nodes closer than this are a drop that the floor of times left; slopes stay finite.
_APART = 1e-9


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
    flat, y, base = shapes.nodes.ravel(), shapes.log_hazards, at * k
    place = _locate(flat, base, k, e)
    right = np.clip(place, 1, k - 1)
    e0, e1, y0 = flat[base + right - 1], flat[base + right], y[right - 1]
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
    """Return the residuals e (n, p) at which log H has the given values (n, p)."""
    y, nodes = shapes.log_hazards, shapes.nodes
    right = np.clip(np.searchsorted(y, log_hazard), 1, len(y) - 1)
    e0 = np.take_along_axis(nodes, right - 1, axis=1)
    e1 = np.take_along_axis(nodes, right, axis=1)
    e = e0 + (log_hazard - y[right - 1]) / (y[right] - y[right - 1]) * (e1 - e0)
    outer = OUTER / np.exp(shapes.log_width)[:, None]
    e = np.where(log_hazard < y[0], nodes[:, :1] + (log_hazard - y[0]) / outer, e)
    late = nodes[:, -1:] + (log_hazard - y[-1]) / outer
    return np.where(log_hazard > y[-1], late, e)


def _locate(flat: Float, base: Index, k: int, value: Float) -> Index:
    """Return how many of k sorted nodes from *base* on are at most a value, by row.

    A binary search of all rows at once.
    """
    place, last = base - 1, base + k - 1
    step = 1 << (k.bit_length() - 1)
    while step:
        # Past the last node stands the last: whoever goes on there is brought back.
        further = np.minimum(place + step, last)
        place += step * (flat.take(further, mode="clip") <= value)
        step >>= 1
    return np.minimum(place, last) - base + 1
