"""Laws of T given T > c by curves whose levels are those of a stratum.

All curves of a stratum pass the same levels, each at times of its own, and are straight
between. So the mass is piecewise linear, with a bend wherever a node of any subject
comes by. The search narrows its bracket until no bend is left inside, and there two
exact values give the line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.laws.law import (
    UNLISTED,
    AtScore,
    EvenDraws,
    LineMass,
    count_before,
)
from consurv.conformal.masses import EVERYONE, UNIT, Pieces, in_units

__all__ = ["RecalibratedLaw"]

# Subjects evaluated at once, so that their nodes and temporaries stay in the cache.
_BLOCK = 1 << 13
_WHOLE = round(1 / UNIT)


class RecalibratedLaw(EvenDraws):
    """P(T ≥ x | T > c) = S(x⁻)/S(c), and 1 where x ≤ c.

    Parameters
    ----------
    times : ndarray of shape (n, K)
        The nodes of each curve, from time 0 on.
    levels : ndarray of shape (G, K)
        S at the nodes, by stratum, from 1 down to 0.
    stratum : ndarray of shape (n,)
    c : ndarray of shape (n,)
    at_c : ndarray of shape (n,), optional
        S(c), if it is known.
    """

    def __init__(
        self,
        times: Float,
        levels: Float,
        stratum: Index,
        c: Float,
        at_c: Float | None = None,
    ) -> None:
        self.times, self.levels, self.stratum, self.c = times, levels, stratum, c
        self.n, self.width = times.shape
        if at_c is None:
            everyone = np.arange(self.n)
            # Where a curve drops at c, T > c means that the drop is over.
            at_c = self.value(everyone, self.index(everyone, c, np.less_equal), c)
        self.at_c = at_c

    def select(self, rows: Any) -> RecalibratedLaw:
        """Return the laws of some of the subjects."""
        return RecalibratedLaw(
            np.ascontiguousarray(self.times[rows]),
            self.levels,
            self.stratum[rows],
            self.c[rows],
            self.at_c[rows],
        )

    def at(self, offset: Float, rate: Float, rows: Any = EVERYONE) -> _RecalibratedMass:
        """Return the mass of *rows* for scores on these lines."""
        law = self if rows is EVERYONE else self.select(rows)
        return _RecalibratedMass(law, offset, rate)

    def index(self, rows: Index, x: Float, before: np.ufunc = np.less) -> Index:
        """Return how many nodes after the first are before x."""
        # The first node is at time 0, before every x.
        return count_before(self.times, rows, x, before) - 1

    def advance(self, rows: Index, index: Index, x: Float) -> Index:
        """Return ``index`` of later x, from that of earlier ones: few have changed."""
        following = np.minimum(index + 1, self.width - 1)
        moved = np.flatnonzero(
            self.times.ravel().take(rows * self.width + following) < x
        )
        if moved.size:
            index = index.copy()
            index[moved] = self.index(rows[moved], x[moved])
        return index

    def value(self, rows: Index, index: Index, x: Float) -> Float:
        """Return S at x, in the cell that begins at a node."""
        place = rows * self.width + np.minimum(index, self.width - 2)
        level = self.stratum[rows] * self.width + np.minimum(index, self.width - 2)
        times, levels = self.times.ravel(), self.levels.ravel()
        start, upper = times.take(place), levels.take(level)
        with np.errstate(divide="ignore"):
            way = np.minimum((x - start) / (times.take(place + 1) - start), 1.0)
        value: Float = upper - way * (upper - levels.take(level + 1))
        return value

    def inverse(self, level: Float) -> Float:
        """Return the times (n, size) at which the curves fall to levels (n, size)."""
        times = np.empty(level.shape)
        for g in range(len(self.levels)):
            rows = np.flatnonzero(self.stratum == g)
            nodes = self.levels[g]
            cell = np.searchsorted(-nodes, -level[rows], side="left") - 1
            cell = np.clip(cell, 0, self.width - 2)
            drop = np.maximum(nodes[cell] - nodes[cell + 1], np.finfo(float).tiny)
            way = np.clip((nodes[cell] - level[rows]) / drop, 0.0, 1.0)
            start = self.times[rows[:, None], cell]
            stop = self.times[rows[:, None], cell + 1]
            times[rows] = start + way * (stop - start)
        return times


class _RecalibratedMass(LineMass):
    """The mass of recalibrated laws at one level.

    At a score it is known who is past c, and in which cell.
    """

    most_pieces = UNLISTED
    straight = True

    def __init__(self, law: RecalibratedLaw, offset: Float, rate: Float) -> None:
        # Nodes and percentile times may lie light-years out, where nothing happens.
        super().__init__(offset, rate, float(law.c.max(initial=0.0)))
        self.law = law

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        times = self.law.draws(size)
        return ((self.offset[:, None] - times) / self.rate[:, None]).ravel()

    def at(self, s: float, above: AtScore | None) -> AtScore:
        """Return who is past c with their cells, and the mass."""
        law, found, units = self.law, [], 0
        known: list[Any] = [None] * self.n if above is None else above.found
        for start, cells in zip(range(0, self.n, _BLOCK), known, strict=False):
            block = slice(start, start + _BLOCK)
            x = self.offset[block] - s * self.rate[block]
            past = x > law.c[block]
            rows, x = np.flatnonzero(past) + start, x[past]
            # Whoever is past c further up is so here; as many are the same.
            if cells is not None and len(cells) == len(rows):
                cells = law.advance(rows, cells, x)
            else:
                cells = law.index(rows, x)
            reach = law.value(rows, cells, x) / law.at_c[rows]
            units += (len(past) - len(rows)) * _WHOLE + in_units(reach)
            found.append(cells)
        return AtScore(s, units, found)

    def n_pieces(self, lo: AtScore, hi: AtScore) -> int:
        """Return 0; endless while a bend lies in (lo, hi]."""
        same = all(map(np.array_equal, lo.found, hi.found))
        return 0 if same else UNLISTED

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return nothing: it is one line."""
        return Pieces(0.0, *np.empty((3, 0)))
