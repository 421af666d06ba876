"""Fast look-ups in a Kaplan–Meier curve with many event times.

``np.searchsorted`` for 10⁵ unsorted queries spends its time in cache misses. A guide
table answers the same question, exactly, in a few vectorised steps: the time axis is
cut into cells, finer where events are dense; the table says how many event times lie
in earlier cells, and the few times of the cell itself are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float, Index
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["KaplanMeierLookup", "SharedCurve", "lookup_of"]

# Cells of the coarse tables: one for each event time, within these limits.
_COARSE_CELLS = (1 << 12, 1 << 14)
_STRETCHES = (1 << 8, 1 << 12)
# Queries that are still open after so many comparisons go to a binary search.
_CROWDED = 8
# Event times that are put in their cells at once.
_TOGETHER = 1 << 16


class KaplanMeierLookup:
    """S(x⁻) of the extended curve for many x: the exact index, or a rough value."""

    def __init__(self, km: KaplanMeier) -> None:
        self.km = km
        self.times, self.survival = km.event_times, km.event_survival
        self._make_guide()
        self._make_tables()

    def _make_guide(self) -> None:
        # Equal stretches of the axis, each cut into two cells per event time in it.
        times = self.times
        self._stretches = _between(len(times), _STRETCHES)
        self._scale = scale = self._stretches / float(times[-1])
        found = _before(lambda t: (t * scale).astype(np.intp), times, self._stretches)
        cells = 2.0 * np.diff(found, append=len(times)) + 1
        self._cells, self._start = cells, np.cumsum(cells) - cells
        # Times pass through the same monotone arithmetic as queries: a time in an
        # earlier cell is smaller than the query, whatever the rounding.
        self._before = _before(self._cell, times, int(cells.sum()))
        self._padded = self.km.nodes

    def _make_tables(self) -> None:
        self._n_coarse = _between(len(self.times), _COARSE_CELLS)
        middles = (np.arange(self._n_coarse) + 0.5) / self._n_coarse
        self._coarse_scale = self._n_coarse / self.km.t_end
        self._coarse = np.append(self.km.survival_before(middles * self.km.t_end), 0.0)
        self._inverse = self.km.percentile_times(middles)

    def _cell(self, x: Float) -> Index:
        place = _place(x, self._scale, self._stretches)
        stretch = place.astype(np.intp)
        place -= stretch
        place *= self._cells.take(stretch, mode="clip")
        place += self._start.take(stretch, mode="clip")
        return place.astype(np.intp)

    def index(self, x: Float, at_least: Index | None = None) -> Index:
        """Return the number of event times < x, elementwise.

        *at_least* are numbers known to be no larger. Where most of them are right,
        starting from them is faster than the guide.
        """
        if at_least is not None:
            rest = np.flatnonzero(self._padded.take(at_least, mode="clip") < x)
            if 2 * rest.size < x.size:
                return self._advance(at_least.copy(), x, rest)
        count = self._before.take(self._cell(x), mode="clip").astype(np.intp)
        rest = np.flatnonzero(self._padded.take(count, mode="clip") < x)
        return self._advance(count, x, rest)

    def _advance(self, count: Index, x: Float, rest: Index) -> Index:
        """Raise the counts in the rows *rest*, where more event times are < x."""
        counts, flat = count.reshape(-1), x.reshape(-1)  # the same numbers in a row
        for _ in range(_CROWDED):
            if not rest.size:
                return count
            step = counts[rest] + 1
            counts[rest] = step
            rest = rest[self._padded.take(step, mode="clip") < flat[rest]]
        counts[rest] = np.searchsorted(self.times, flat[rest])
        return count

    def survival_at(self, t: Float) -> Float:
        """Return S(t) of the extended curve."""
        value = self.survival.take(self.index(np.nextafter(t, np.inf)), mode="clip")
        tail = np.flatnonzero(t > self.km.t_max)
        value[tail] = self.km.survival_at(t[tail])
        return value

    def coarse(self, x: Float) -> Float:
        """Return about S(x⁻), from a small table."""
        cell = _place(x, self._coarse_scale, self._n_coarse).astype(np.intp)
        return self._coarse.take(cell, mode="clip")

    def coarse_inverse(self, level: Float) -> Float:
        """Return about the time at which S falls to *level*, from a small table."""
        return self._inverse.take((level * self._n_coarse).astype(np.intp), mode="clip")


class SharedCurve(KaplanMeier):
    """A curve for many blocks, which share its look-up tables.

    The tables go with the curve: nobody holds them longer than the blocks are asked.

    Examples
    --------
    >>> shared = SharedCurve.of(KaplanMeier(([1, 0], [2, 4])))
    >>> lookup_of(shared) is lookup_of(shared)
    True
    """

    @classmethod
    def of(cls, curve: KaplanMeier) -> Self:
        """Return the same curve; its arrays are not copied."""
        shared = object.__new__(cls)
        shared.__dict__.update(curve.__dict__)
        return shared

    @cached_property
    def lookup(self) -> KaplanMeierLookup:
        """The tables, made on first use."""
        return KaplanMeierLookup(self)


def lookup_of(curve: KaplanMeier) -> KaplanMeierLookup:
    """Return the look-up tables of a curve."""
    if isinstance(curve, SharedCurve):
        return curve.lookup
    return KaplanMeierLookup(curve)


def _before(cell_of: Callable[[Float], Index], times: Float, last: int) -> Index:
    """Return how many ascending times lie in cells before each, up to the last one.

    There may be as many as subjects: little is held beside the result.
    """
    few = len(times) <= np.iinfo(np.int32).max
    before: NDArray[Any] = np.zeros(last + 2, np.int32 if few else np.int64)
    for start in range(0, len(times), _TOGETHER):
        cell = cell_of(times[start : start + _TOGETHER])
        counts = np.bincount(cell - cell[0])
        before[cell[0] + 1 : cell[0] + 1 + len(counts)] += counts.astype(before.dtype)
    np.cumsum(before, dtype=before.dtype, out=before)
    return before[:-1]


def _place(x: Float, scale: float, last: int) -> Float:
    with np.errstate(over="ignore"):  # infinite is as good as huge
        place = x * scale
    np.maximum(place, 0, out=place)
    return np.minimum(place, last, out=place)


def _between(wanted: int, limits: tuple[int, int]) -> int:
    return min(max(wanted, limits[0]), limits[1])
