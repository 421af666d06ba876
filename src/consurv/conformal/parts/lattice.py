"""A lattice of times, to which all times are moved before anything is counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_floats
from consurv.errors import InvalidInput

__all__ = ["Lattice"]

# A time is on an edge if rounding alone keeps them apart.
_CLOSE = 1e-9
_MOST_POINTS = 1 << 20


@dataclass(frozen=True)
class Lattice:
    """Points of time; each time is moved up to the next of them.

    Parameters
    ----------
    edges : array-like of shape (K,)
        Ascending, above 0. Beyond the last one the lattice goes on in steps as wide
        as the last, so that one edge is a step: 30 is 30, 60, 90, …

    Examples
    --------
    >>> Lattice([30]).move([1, 30, 31, 100])
    array([ 30.,  30.,  60., 120.])
    >>> Lattice([1, 2, 5, 10]).move([0, 3, 10.5, np.inf])
    array([ 0.,  5., 15., inf])
    """

    edges: ArrayLike

    def __post_init__(self) -> None:
        edges = as_floats(self.edges, "edges")
        if edges.ndim != 1 or not edges.size or np.diff(edges, prepend=0).min() <= 0:
            raise InvalidInput(
                f"edges of the lattice must be ascending and above 0: {edges.tolist()}"
            )
        object.__setattr__(self, "edges", edges)

    @cached_property
    def _widths(self) -> Float:
        return np.diff(np.asarray(self.edges), prepend=0.0)

    @cached_property
    def _points(self) -> Float:
        """0 and the edges; a step begins at 0, so that its points are multiples."""
        edges: Float = np.asarray(self.edges)
        return np.append(0.0, edges[: len(edges) if len(edges) > 1 else 0])

    @property
    def step(self) -> float:
        """How wide the last cell is, and all beyond."""
        return float(self._widths[-1])

    @property
    def finest(self) -> float:
        """How wide the narrowest cell is."""
        return float(self._widths.min())

    def move(self, times: ArrayLike) -> Float:
        """Return for each time the first point that is not before it."""
        t = np.asarray(times, dtype=np.float64)
        points, last = self._points, self._points[-1]
        place = np.searchsorted(points, t * (1 - _CLOSE))
        moved = points.take(place, mode="clip")
        beyond = (t > last) & (t < np.inf) & (place == len(points))
        steps = np.ceil((t[beyond] - last) / self.step - _CLOSE)
        moved[beyond] = last + steps * self.step
        moved[t == np.inf] = np.inf
        return moved

    def up_to(self, end: float) -> Float:
        """Return all points above 0 up to *end*.

        Examples
        --------
        >>> Lattice([1, 2, 5]).up_to(11)
        array([ 1.,  2.,  5.,  8., 11.])
        """
        points, last = self._points[1:], self._points[-1]
        n = np.floor((end - last) / self.step + _CLOSE)
        if n > _MOST_POINTS:
            raise InvalidInput(
                f"the lattice has {n:,.0f} points up to {end:g}; name a coarser one"
            )
        more = last + np.arange(1.0, max(n, 0) + 1) * self.step
        return np.concatenate([points[points <= end * (1 + _CLOSE)], more])
