"""``"local"``: Kaplan–Meier among subjects of similar risk, then the adjusted curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.laws.law import count_before, unroll
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.censoring.strata import RawMedian, Strata
from consurv.conformal.censoring.sweep import CurveSweep, check_events
from consurv.conformal.parts.blocks import Block, Sweep
from consurv.conformal.parts.partitions import as_partitions
from consurv.conformal.parts.ranks import Cells
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["LocalRule"]


@dataclass(frozen=True)
class LocalRule(CensoringRule):
    """P(T ≥ t | T > c) = K(t⁻)/K(c) up to t*, K(t*)/K(c)·S'(t)/S'(t*) beyond.

    K is the Kaplan–Meier curve of the subject's stratum: subjects of the conformal set
    with about the same raw median. t* is the last time at which enough of them are
    still under observation, and S' the subject's own adjusted curve, as in
    ``"self-consistent"``, which speaks alone where c ≥ t*.

    Parameters
    ----------
    events_per_stratum : int
        There are so many strata that each has about this many events.
    max_strata : int
        But no more than so many.
    at_risk : int
        How many subjects under observation are enough.

    Examples
    --------
    Of four subjects the second is censored at 2, before its median 4:

    >>> from consurv import Outcome, conformal_shifts
    >>> q = [[5.0], [4.0], [6.0], [7.0]]
    >>> y = Outcome(time=[3, 2, 6, 9], event=[1, 0, 1, 1])
    >>> conformal_shifts(q, [0.5], y, censoring="local")
    array([2.])
    """

    events_per_stratum: int = 30
    max_strata: int = 50
    at_risk: int = 5

    def sweeps(
        self, blocks: Sequence[Block], rng: np.random.Generator
    ) -> Sequence[Sweep]:
        """Return a sweep for each block."""
        n_events = check_events(blocks, "local")
        wanted = min(n_events // self.events_per_stratum, self.max_strata)
        subjects, medians = as_partitions(blocks), RawMedian()
        cells = subjects.ask(Cells(medians))
        strata = Strata.find(subjects, medians, cells, wanted)
        place = [strata.of(block) for block in blocks]
        outcome = Outcome.concatenate([block.outcome for block in blocks])
        curves = _StratumCurves(outcome, np.concatenate(place), strata.n, self.at_risk)
        return [
            CurveSweep(block, _Head(curves, where, block.outcome))
            for block, where in zip(blocks, place, strict=True)
        ]


class _StratumCurves:
    """The Kaplan–Meier curves of all strata up to t*, one in each row of a table."""

    def __init__(self, y: Outcome, stratum: Index, n: int, at_risk: int) -> None:
        curves = [_curve(y[stratum == g], at_risk) for g in range(n)]
        self.size = np.array([len(times) for times, _, _ in curves], dtype=np.intp)
        self.end = np.array([end for _, _, end in curves])
        # Rows are filled up with times that are never reached.
        width = max(int(self.size.max()), 1)
        self._times = np.full((n, width), np.inf)
        self._survival = np.zeros((n, width + 1))
        for g, (times, survival, _) in enumerate(curves):
            self._times[g, : len(times)] = times
            self._survival[g, : len(survival)] = survival
        self._after = np.ascontiguousarray(self._survival[:, 1:])

    def index(self, g: Index, x: Float, side: str) -> Index:
        """Return how many event times of stratum g are < x (``"left"``) or ≤ x."""
        reached = np.less if side == "left" else np.less_equal
        return count_before(self._times, g, x, reached)

    def inverse(self, g: Index, level: Float) -> Float:
        """Return the event time of stratum g at which K falls to *level*, or t*."""
        m = count_before(self._after, g, level, np.greater)
        return np.where(m < self.size[g], self.time(g, m), self.end[g])

    def time(self, g: Index, index: Index) -> Float:
        """Return an event time; infinite after the last one."""
        time: Float = self._times[g, np.minimum(index, self._times.shape[1] - 1)]
        return time

    def value(self, g: Index, index: Index) -> Float:
        """Return K after so many event times."""
        value: Float = self._survival[g, index]
        return value


def _curve(y: Outcome, at_risk: int) -> tuple[Float, Float, float]:
    """Return event times and K (1 first) up to t*, and t* (0: nothing is known)."""
    if not y.n_events:
        return np.empty(0), np.ones(1), 0.0
    km = KaplanMeier(y)
    enough = km.times[km.at_risk >= at_risk]
    end = float(enough[-1]) if enough.size else 0.0
    m = int(np.searchsorted(km.event_times, end, side="right"))
    return km.event_times[:m], km.event_survival[: m + 1], end


class _Head:
    """The law between c and t* of the censored subjects of a block."""

    def __init__(self, curves: _StratumCurves, stratum: Index, y: Outcome) -> None:
        self._curves, self._g = curves, stratum[~y.event]
        c = y.time[~y.event]
        self.anchor = np.maximum(c, curves.end[self._g])
        self._at_c = curves.value(self._g, curves.index(self._g, c, "right"))
        at_end = curves.value(self._g, curves.size[self._g])
        with np.errstate(invalid="ignore"):  # K(c) = 0 only where c ≥ t*
            self.weight = np.where(c < self.anchor, at_end / self._at_c, 1.0)

    def before(self, rows: Index, x: Float) -> Float:
        """Return K(x⁻)/K(c)."""
        g = self._g[rows]
        reach = self._curves.value(g, self._curves.index(g, x, "left"))
        return reach / self._at_c[rows]

    def inverse(self, rows: Index, level: Float) -> Float:
        """Return the time at which K/K(c) falls to *level*."""
        return self._curves.inverse(self._g[rows], level * self._at_c[rows])

    def jumps(self, rows: Index, near: Float, far: Float) -> tuple[Index, Float, Float]:
        """Return the event times in [near, far), those before c left out."""
        g, curves = self._g[rows], self._curves
        first, last = curves.index(g, near, "left"), curves.index(g, far, "left")
        row, m = unroll(first, last)
        g, limit = g[row], self._at_c[rows[row]]
        drop = np.minimum(curves.value(g, m), limit) - curves.value(g, m + 1)
        kept = drop > 0
        row, m = row[kept], m[kept]
        return row, curves.time(g[kept], m), drop[kept] / limit[kept]
