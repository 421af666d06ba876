"""Observed times of one site on fewer points, until no count is too small."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float
from consurv.errors import InvalidInput

__all__ = ["coarser"]


def coarser(times: Float, event: Bool, minimum: int) -> Float:
    """Return times moved up to later ones, so that counts by time are not small.

    At each time that is left there are no events or *minimum* of them, and no
    censored subjects or *minimum* of them.

    Examples
    --------
    >>> coarser(np.array([1.0, 1, 2, 2, 3, 4, 4]), np.ones(7, dtype=bool), 3)
    array([2., 2., 2., 2., 4., 4., 4.])
    """
    points = np.unique(times)
    flags = ~event, event
    counts = np.array([[np.sum(some & (times == t)) for some in flags] for t in points])
    ends, sums = [], []
    size = np.zeros(2, dtype=np.int64)
    for t, count in zip(points, counts, strict=True):
        size = size + count
        if _enough(size, minimum):
            ends.append(t)
            sums.append(size)
            size = np.zeros(2, dtype=np.int64)
    while size.any() and not _enough(size, minimum) and ends:
        # Too few are left: those before join them, at the last time of all.
        ends.pop()
        size = size + sums.pop()
    if size.any():
        if not _enough(size, minimum):
            raise InvalidInput(
                f"{int(size.sum())} subjects with {int(size[1])} events are too few to "
                f"be told of with a minimum of {minimum}, however coarse the lattice"
            )
        ends.append(points[-1])
    moved: Float = np.array(ends)[np.searchsorted(ends, times)]
    return moved


def _enough(
    size: np.ndarray[tuple[int, ...], np.dtype[np.int64]], minimum: int
) -> bool:
    return bool(((size == 0) | (size >= minimum)).all() and size.any())
