"""The monotone cubic: rates of fall at the nodes, the cubic, its inverse and area.

Within a segment of width w the fall from its left node is, with u in [0, 1],

    fall(u) = a u + (3 d - 2 a - b) u^2 + (a + b - 2 d) u^3

where d is the whole fall and a, b are w times the rates of fall at the two ends.
Everything is >= 0, so no sign has to be tested.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consurv._checks import Float

__all__ = ["Cubic", "fall_rates"]

_PRECISION = 4 * np.finfo(np.float64).eps


def fall_rates(times: Float, survival: Float) -> Float:
    """Return ``-dS/dt`` at the nodes by the rule of Fritsch and Butland.

    At a node inside a piece it is the weighted harmonic mean of the slopes on both
    sides, at its ends the three-point formula, as in SciPy's ``PchipInterpolator``.
    A repeated time (a vertical drop) ends one piece and starts the next.

    Parameters
    ----------
    times : array of shape (k,) or (n, k)
    survival : array of shape (n, k)

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> fall_rates(np.array([0.0, 1.0, 2.0]), np.array([[1.0, 0.5, 0.25]])).round(3)
    array([[0.625, 0.333, 0.125]])
    """
    k = survival.shape[1]
    width = np.diff(times)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Not minus np.diff: beside a fall that is next to nothing -0.0 gives NaN below.
        fall = survival[:, :-1] - survival[:, 1:]
        slope = np.where(width > 0, fall / width, 0.0)
    # Two empty segments at either side make the ends of the grid like those of
    # a piece. Node i then lies between the segments i + 1 and i + 2.
    width, slope = _pad(width), _pad(slope)
    w = [width[..., i : i + k] for i in range(4)]
    s = [slope[..., i : i + k] for i in range(4)]
    rates = _inner_rate(w[1], w[2], s[1], s[2])
    # The few ends of pieces: those on the right first, then those on the left.
    for near, far, other in ((1, 0, 2), (2, 3, 1)):
        ends = w[other] == 0
        where = (..., ends) if times.ndim == 1 else ends
        rates[where] = _end_rate(
            w[near][ends], w[far][ends], s[near][where], s[far][where]
        )
    return rates


def _pad(array: Float) -> Float:
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(2, 2)])


def _inner_rate(w0: Float, w1: Float, s0: Float, s1: Float) -> Float:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = ((w0 + 2 * w1) / s0 + (2 * w0 + w1) / s1) / (3 * w0 + 3 * w1)
        return np.asarray(1 / mean)  # a flat side gives 1 / inf = 0


def _end_rate(w0: Float, w1: Float, s0: Float, s1: Float) -> Float:
    """Return the rate at the end of a piece; the next segment is (w1, s1)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = ((2 * w0 + w1) * s0 - w0 * s1) / (w0 + w1)
    return np.where(w1 > 0, np.maximum(rate, 0.0), s0)


class Cubic(NamedTuple):
    """The fall within segments; all three arrays are >= 0.

    Attributes
    ----------
    whole : array
        The fall d from the left node to the right one.
    left, right : array
        The width times the rates of fall at the two nodes, a and b.
    """

    whole: Float
    left: Float
    right: Float

    def coefficients(self) -> tuple[Float, Float, Float]:
        """Return those of u, u^2 and u^3."""
        d, a, b = self
        return a, 3 * d - 2 * a - b, a + b - 2 * d

    def fall(self, u: Float) -> Float:
        """Return the fall from the left node at *u*."""
        first, second, third = self.coefficients()
        return u * (first + u * (second + u * third))

    def slope(self, u: Float) -> Float:
        """Return the derivative of the fall at *u*."""
        first, second, third = self.coefficients()
        return first + u * (2 * second + u * (3 * third))

    def mean_fall(self, u: Float) -> Float:
        """Return the mean of the fall over [0, u]."""
        first, second, third = self.coefficients()
        return u * (first / 2 + u * (second / 3 + u * (third / 4)))

    def solve(self, fall: Float) -> Float:
        """Return u in [0, 1] with the given fall, where 0 <= *fall* <= *whole*.

        Newton's method kept inside a bracket: a step that leaves it, or that is not
        at most half as long as the one before, gives way to a bisection. All arrays
        are one-dimensional, *whole* is > 0; what has converged leaves the loop.
        """
        root = fall / self.whole
        todo = np.arange(root.size)
        cubic, u = self, root.copy()
        low, high, last = np.zeros_like(u), np.ones_like(u), np.ones_like(u)
        while todo.size:
            error = cubic.fall(u) - fall[todo]
            low, high = np.where(error < 0, u, low), np.where(error < 0, high, u)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                new = u - error / cubic.slope(u)
            good = (new >= low) & (new <= high) & (2 * np.abs(new - u) <= last)
            new = np.where(good, new, low + (high - low) / 2)
            last = np.abs(new - u)
            u = root[todo] = new
            go = (last > _PRECISION * u) & (high - low > _PRECISION * u)
            todo, u, cubic = todo[go], u[go], Cubic(*(part[go] for part in cubic))
            low, high, last = low[go], high[go], last[go]
        return root
