"""Laws of T given T > c by curves whose levels are those of a stratum.

All curves of a stratum pass the same levels, each at times of its own, and are straight
between. So the mass is piecewise linear, with a bend wherever a node of any subject
comes by. The search narrows its bracket until no bend is left inside, and there two
exact values give the line; the bends themselves tell it where to look.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import (
    UNLISTED,
    AtScore,
    EvenDraws,
    LineMass,
    count_before,
    unroll,
)
from consurv.conformal.quantile.masses import EVERYONE, Pieces

__all__ = ["RecalibratedLaw"]


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

    many_levels = True

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
        # Where nothing is known yet (-1) this is the first node, at time 0.
        moved = np.flatnonzero(
            self.times.ravel().take(rows * self.width + following) < x
        )
        if moved.size:
            index[moved] = self.index(rows[moved], x[moved])
        return index

    def value(self, rows: Index, index: Index, x: Float) -> Float:
        """Return S at x, in the cell that begins at a node."""
        inside = np.minimum(index, self.width - 2)
        place = rows * self.width + inside
        level = self.stratum[rows] * self.width + inside
        times, levels = self.times.ravel(), self.levels.ravel()
        start, upper = times.take(place), levels.take(level)
        with np.errstate(divide="ignore"):
            way = np.minimum((x - start) / (times.take(place + 1) - start), 1.0)
        value: Float = upper - way * (upper - levels.take(level + 1))
        return value

    def fall(self, rows: Index, cell: Index) -> tuple[Float, Float, Float]:
        """Return what P(T ≥ x | T > c) loses in a cell, as a slope, at once, and where.

        The slope is that in time; a cell without width falls at once, at its start.
        """
        last = self.width - 2
        inside = np.minimum(cell, last)
        place = rows * self.width + inside
        level = self.stratum[rows] * self.width + inside
        times, levels = self.times.ravel(), self.levels.ravel()
        start = times.take(place)
        width = times.take(place + 1) - start
        drop = (levels.take(level) - levels.take(level + 1)) / self.at_c[rows]
        drop[cell > last] = 0.0  # past the last node
        slope = np.divide(drop, width, out=np.zeros(len(drop)), where=width > 0)
        return slope, np.where(width > 0, 0.0, drop), start

    @cached_property
    def at_c_cell(self) -> Index:
        """The cell in which each subject is just after c."""
        return self.index(np.arange(self.n), self.c, np.less_equal)

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
    """The mass of recalibrated laws at some levels.

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
        return self.scores(self.law.draws(size))

    def at(self, s: Float, above: AtScore | None) -> AtScore:
        """Return the cells of those past c, -1 for others, and the mass."""
        law = self.law
        x = self.offset - s[:, None] * self.rate
        past = np.flatnonzero(x > law.c)
        rows, x = past if len(s) == 1 else past % self.n, x.ravel()[past]
        if above is None:
            cells = law.index(rows, x)
        else:  # whoever is past c further up is so here
            cells = law.advance(rows, above.found.ravel()[past], x)
        shares, found = np.ones(self.offset.shape), np.full(self.offset.shape, -1)
        shares.ravel()[past] = law.value(rows, cells, x) / law.at_c[rows]
        found.ravel()[past] = cells
        return AtScore(s, self.in_units(shares), found)

    def n_pieces(self, lo: AtScore, hi: AtScore) -> Index:
        """Return how many bends lie in (lo, hi], about."""
        steps: Index = (lo.found - hi.found).sum(axis=1)
        return steps

    def bends(self, lo: AtScore, hi: AtScore) -> Bool:
        """Say at which levels a bend lies in (lo, hi]: then pieces are rough."""
        bent: Bool = (lo.found != hi.found).any(axis=1)
        return bent

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return nothing where it is one line, else its bends to the precision of sums.

        Steep cells drown flat ones in the rounding of slopes that are added up.
        """
        law, bent = self.law, self.bends(lo, hi)
        none = np.zeros(len(self.offset))  # the rise tells the slope
        if not bent.any():
            return Pieces(none, np.empty(0, dtype=np.intp), *np.empty((3, 0)))
        first, last = hi.found[bent].ravel(), lo.found[bent].ravel()
        level, rate = np.flatnonzero(bent), self.rate[bent].ravel()
        # Whoever has not been past c starts there, in the cell of c.
        starts = np.flatnonzero((first < 0) & (last >= 0))
        first[starts] = law.at_c_cell[starts % self.n]
        at_c = -law.fall(starts % self.n, first[starts])[0] * rate[starts]
        # The cell m begins at a bend: towards larger scores the one before it holds.
        place, m = unroll(first + 1, last + 1)
        after, jump, time = law.fall(place % self.n, m)
        before = law.fall(place % self.n, m - 1)[0]
        place = np.concatenate([place, starts])
        time = np.concatenate([time, law.c[starts % self.n]])
        turn = np.concatenate([(before - after) * rate[place[: len(m)]], at_c])
        jump = np.concatenate([jump, np.zeros(len(starts))])
        position = (self.offset[bent].ravel()[place] - time) / rate[place]
        return Pieces(none, level[place // self.n], position, jump, turn)
