"""Adding up how far many curves have fallen, without evaluating each of them."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.search import Index

__all__ = ["Falls"]


class Falls:
    """The sum over straight segments of the fall since their start, at M times.

    A segment falls by d from time a to time b. At the times before a it adds nothing,
    from b on it adds d, and at the times inside it adds d (t − a) / (b − a). A sum of
    slopes that is raised at a and lowered again at b costs O(1) per segment, but a
    steep segment leaves its rounding behind for ever. Here no slope is ever taken off
    again. The positions i … m of the times inside are cut where the largest power of
    two divides: the left part lasts to the end of its cell of positions and is added
    up from left to right, as the fall so far; the right part starts at the beginning
    of its cell and is added up from right to left, as the fall still to come. Slopes
    then only meet slopes of segments that share their cell's end, all are positive,
    and a segment still costs O(1). What jumps at the cut is a probability, at most 1.

    Memory is M log2 M numbers.

    Parameters
    ----------
    times : array of shape (M,)
        Strictly ascending.

    Examples
    --------
    >>> falls = Falls(np.array([1.0, 2.0, 3.0]))
    >>> start, stop, fall = np.array([0.0]), np.array([4.0]), np.array([0.8])
    >>> falls.add(start, stop, fall, falls.position(start), falls.position(stop))
    >>> falls.total()
    array([0.2, 0.4, 0.6])
    """

    def __init__(self, times: Float) -> None:
        self.times = times
        # Cells of one position have no slope, so the levels start at two positions.
        n_levels = max(int(times.size - 1).bit_length() - 1, 0)
        self._steps: Float = np.zeros(times.size + 1)
        self._slopes: Float = np.zeros((n_levels, times.size))

    def position(self, time: Float) -> Index:
        """Return the position of the first of the times that is not before *time*."""
        # In order, neighbours are looked up from the same few places of memory, which
        # saves more than sorting costs.
        order = np.argsort(time, axis=None)
        found = np.empty(time.size, dtype=np.intp)
        found[order] = np.searchsorted(self.times, time.ravel()[order], side="left")
        return found.reshape(time.shape)

    def add(
        self, start: Float, stop: Float, fall: Float, first: Index, end: Index
    ) -> None:
        """Add segments; all arrays have one shape.

        Parameters
        ----------
        start, stop, fall : array
            a ≤ b and d ≥ 0; where a = b the fall is a vertical drop. An infinite b
            is only allowed where d = 0.
        first, end : array of int
            ``position(start)`` and ``position(stop)``.
        """
        inside = (first < end) & (fall > 0)
        np.add.at(self._steps, end[~inside], fall[~inside])
        start, stop, fall = start[inside], stop[inside], fall[inside]
        first, end = first[inside], end[inside]
        last = end - 1
        slope = fall / (stop - start)
        so_far = slope * (self.times[first] - start)
        to_come = slope * (stop - self.times[last])
        # The highest bit in which the first and the last position differ; −1 if none.
        level = np.frexp((first ^ last).astype(np.float64))[1] - 1
        cut = np.where(level < 0, end, (last >> level) << np.maximum(level, 0))
        np.add.at(self._steps, first, so_far)
        np.add.at(self._steps, cut, fall - so_far - to_come)
        np.add.at(self._steps, end, to_come)
        long = level > 0
        row = (level[long] - 1) * np.intp(self.times.size)
        flat = self._slopes.ravel()
        np.add.at(flat, row + first[long], slope[long])
        np.add.at(flat, row + last[long], slope[long])

    def total(self) -> Float:
        """Return the sum at the times, of shape (M,)."""
        n, size = self.times.size, 2 << len(self._slopes)
        # Filled up to a power of two, so that every cell is whole.
        total, gaps, slopes = np.zeros(size), np.zeros(size), np.zeros(size)
        np.cumsum(self._steps[:-1], out=total[:n])
        np.subtract(self.times[1:], self.times[:-1], out=gaps[: n - 1])
        for level, added in enumerate(self._slopes, start=1):
            slopes[:n] = added
            half = 1 << level
            cells = slice(0, -(-n // (2 * half)) * 2 * half)
            s, g, out = (a[cells].reshape(-1, 2, half) for a in (slopes, gaps, total))
            rising = np.cumsum(s[:, 0, :-1], axis=1) * g[:, 0, :-1]
            out[:, 0, 1:] += np.cumsum(rising, axis=1, out=rising)
            rising = np.cumsum(s[:, 1, :0:-1], axis=1) * g[:, 1, -2::-1]
            out[:, 1, -2::-1] -= np.cumsum(rising, axis=1, out=rising)
        return total[:n]
