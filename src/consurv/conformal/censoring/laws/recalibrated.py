"""Laws of T given T > c by curves whose levels are those of a stratum.

All curves of a stratum pass the same levels, each at times of its own, and are straight
between. So the mass is piecewise linear, with a bend wherever a node of any subject
comes by. The search narrows its bracket until no bend is left inside, and there two
exact values give the line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import (
    UNLISTED,
    EvenDraws,
    RememberedMass,
    count_before,
    one_line,
)
from consurv.conformal.mass import Pieces
from consurv.conformal.scores import DIFFERENCE, Score

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
    """

    def __init__(self, times: Float, levels: Float, stratum: Index, c: Float) -> None:
        self.times, self.levels, self.stratum, self.c = times, levels, stratum, c
        self.n, self.width = times.shape
        everyone = np.arange(self.n)
        # Where a curve drops at c, T > c means that the drop is over.
        self.at_c = self.value(everyone, self.index(everyone, c, np.less_equal), c)

    def select(self, rows: Bool) -> RecalibratedLaw:
        """Return the laws of some of the subjects."""
        return RecalibratedLaw(
            self.times[rows], self.levels, self.stratum[rows], self.c[rows]
        )

    def at(self, q: Float, score: Score = DIFFERENCE) -> _RecalibratedMass:
        """Return the mass for percentile times *q*."""
        return _RecalibratedMass(self, q, score)

    def index(self, rows: Index, x: Float, before: np.ufunc = np.less) -> Index:
        """Return how many nodes after the first are before x."""
        # The first node is at time 0, before every x.
        return count_before(self.times, rows, lambda time: before(time, x)) - 1

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


class _State(NamedTuple):
    """What holds at one score: who is past c, their cells, and the mass."""

    rows: Index
    cells: Index
    mass: float


class _RecalibratedMass(RememberedMass):
    """The mass of recalibrated laws at one level."""

    def __init__(self, law: RecalibratedLaw, q: Float, score: Score) -> None:
        super().__init__(q, score)
        self.law = law
        # Nodes and percentile times may lie light-years out, where nothing happens.
        self.last_time = float(law.c.max(initial=0.0))

    def _draws(self, size: int) -> Float:
        return self.law.draws(size)

    def n_pieces(self, lo: float, hi: float) -> int:
        """Return 0; endless while a bend lies in (lo, hi]."""
        if np.isinf(lo) or np.isinf(hi):
            return UNLISTED
        near, far = self._at(hi), self._at(lo)
        # Whoever is past c at hi is so at lo; as many are the same.
        same = len(near.rows) == len(far.rows)
        return 0 if same and np.array_equal(near.cells, far.cells) else UNLISTED

    def pieces(self, lo: float, hi: float) -> Pieces:
        """Return one line."""
        return one_line((lo, hi), (self.mass(lo), self.mass(hi)), self.n)

    def _evaluate(self, s: float) -> _State:
        x = self.score.reach(self.q, s)
        rows = np.flatnonzero(x > self.law.c)
        x = x[rows]
        index = self.law.index(rows, x)
        reach = self.law.value(rows, index, x) / self.law.at_c[rows]
        return _State(rows, index, self.n - len(rows) + float(reach.sum()))
