"""Quantiles of F where subjects do not all count 1: k = ⌈ρ(W + 1)⌉, W the weights' sum.

The mass W·F(s) never falls. Few points are listed and that is all. Otherwise a sketch
says about where the mass reaches k, and rounds of exact masses, at a few places for all
levels at once, narrow a bracket (lo, hi] with mass(lo) < k ≤ mass(hi):

1. the points in it are listed with their weights, once they are not too many: what
   laws add is close to a line, so that the answer is foreseen, and the next places lie
   around it;
2. few breakpoints left in it (or it is as narrow as rounding), these are listed;
3. it holds one of them, which is the answer, or none: there the mass is a line.

Where the answer lies depends on exact masses alone, not on the way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import to_mass
from consurv.conformal.quantile.questions import ask
from consurv.conformal.quantile.search import MAX_ROUNDS, Quantiles, rank
from consurv.conformal.quantile.sketch import FEW_POINTS
from consurv.conformal.quantile.weighted_questions import (
    Places,
    Rise,
    WeightedOutline,
    WeightedSketch,
    Within,
)

__all__ = ["weighted_quantiles"]

# Up to so many breakpoints of a bracket are listed, and so many points before.
_FEW, _MANY = 1 << 12, 1 << 13
# The first places, in widths of what the sketch leaves open; and later ones around what
# is foreseen, in widths of the bracket: where the points are known, and where not.
_FAR = np.array([-1.0, -0.25, 0.25, 1.0])
_NEAR, _ROUGH = np.array([-5e-3, -5e-4, 5e-4, 5e-3]), np.array([-0.2, -0.04, 0.04, 0.2])
# A round that leaves more than this of a bracket has foreseen nothing.
_POOR = 0.4
# Places asked about in a round once so few breakpoints are left, or none is foreseen.
_ALL = 8
# Scores further out are not reached by any law.
_OUTSIDE = 1e290
_EPS = float(np.finfo(np.float64).eps)


def weighted_quantiles(
    partitions: Sequence[Any], columns: Index, levels: Float
) -> Quantiles:
    """Return the smallest score at which the mass reaches k = ⌈ρ(W + 1)⌉.

    Where k > W it is the largest score. Partitions, columns and levels are those of
    ``conformal_quantiles``; weights that are whole numbers give what rows repeated so
    often would give, and with weights of 1 it is the same to rounding.
    """
    n = sum(part.n_subjects for part in partitions)
    few = FEW_POINTS if n <= FEW_POINTS else 0
    outline = ask(partitions, WeightedSketch(columns, few))
    ranks = np.array(
        [rank(*pair) for pair in zip(levels.tolist(), outline.total, strict=True)]
    )
    scale = 2.0 ** np.ceil(np.log2(max(float(outline.largest.max()), 1e-300)))
    searches = [
        _Search(outline, i, float(wanted))
        for i, wanted in enumerate(np.minimum(ranks, outline.total))
    ]
    rounds = 1
    while any(search.answer is None for search in searches):
        rounds += 1
        if rounds > MAX_ROUNDS:
            raise RuntimeError(f"no quantile after {MAX_ROUNDS} rounds")
        _round(partitions, columns, searches, scale)
    return Quantiles(
        np.array([search.answer for search in searches]),
        ranks,
        outline.n,
        np.array([search.n_events for search in searches]),
        rounds,
        ranks > outline.total,
    )


def _round(
    partitions: Sequence[Any], columns: Index, searches: list[_Search], scale: float
) -> None:
    """Ask about all levels that are still open: lists first, then masses."""
    open_ = [i for i, search in enumerate(searches) if search.answer is None]
    ready = [i for i in open_ if searches[i].wants_points]
    if ready:
        points = ask(partitions, Within(columns[ready], *_brackets(searches, ready)))
        for j, i in enumerate(ready):
            own = points.level == j
            found = points.score[own], points.weight[own], points.event[own]
            searches[i].see_points(*found)
    open_ = [i for i in open_ if searches[i].answer is None]
    ready = [i for i in open_ if searches[i].wants_list]
    if ready:
        listed = ask(partitions, Places(columns[ready], *_brackets(searches, ready)))
        for j, i in enumerate(ready):
            searches[i].see_list(listed.score[listed.level == j])
    still = [i for i in open_ if searches[i].answer is None]
    if not still:
        return
    wanted = [searches[i].places() for i in still]
    width = max(map(len, wanted))
    places = np.array([_padded(some, width) for some in wanted])
    risen = ask(partitions, Rise(columns[still], places, scale))
    masses, events = scale * to_mass(risen.mass), scale * to_mass(risen.events)
    for j, i in enumerate(still):
        between = risen.between[j], risen.points[j]
        searches[i].see(places[j], masses[j], events[j], between)


def _brackets(searches: list[_Search], some: list[int]) -> tuple[Float, Float]:
    lo, hi = np.array([(searches[i].lo, searches[i].hi) for i in some]).T
    return lo, hi


def _padded(places: Float, width: int) -> Float:
    return np.pad(places, (0, width - len(places)), mode="edge")


class _Search:
    """What is known of the smallest score with mass(s) ≥ k at one level.

    The mass is below the target at ``lo``, and not at ``hi``.
    """

    def __init__(self, outline: WeightedOutline, level: int, wanted: float) -> None:
        total = float(outline.total[level])
        self._wanted = wanted
        self._target = wanted - (1e-9 + 1e-12 * total)
        self.answer: float | None = None
        self.n_events = 0.0
        self.lo, self.hi = -np.inf, np.inf
        self._mass = 0.0, total
        self._between = self._n_points = self._left = np.inf
        self._laws, self._events_at_lo = bool(outline.laws[level]), 0.0
        self._stops, self._listed = np.empty(0), False
        self._points: tuple[Float, Float] | None = None  # scores, and weights so far
        self._last_time = float(outline.last_time[level])
        own = outline.level == level
        order = np.argsort(outline.scores[own], kind="stable")
        self._scores = outline.scores[own][order]
        self._ranks = np.cumsum(outline.weights[own][order])
        if not total:
            self.answer = np.nan
        elif outline.listed[level]:
            self._take(outline.events[own][order], outline.weights[own][order])
        else:
            self._start(total)

    def _take(self, events: Any, weights: Float) -> None:
        """Find the answer among all points that there are."""
        i = int(np.searchsorted(self._ranks, self._target))
        self.answer = float(self._scores[min(i, len(self._scores) - 1)])
        below = events & (self._scores <= self.answer)
        self.n_events = float(weights[below].sum())

    def _start(self, total: float) -> None:
        """Choose the first places, around where the sketch has the answer."""
        finite = self._scores[np.isfinite(self._scores)]
        ranks = self._target + 0.01 * total * np.arange(-1, 2)
        around = np.minimum(np.searchsorted(self._ranks, ranks), len(self._ranks) - 1)
        near = self._scores[around]
        near = near[np.isfinite(near)] if np.isfinite(near).any() else finite[:1]
        self._guess = float(near[len(near) // 2]) if near.size else 0.0
        reach = float(np.abs(finite).max(initial=0.0)) or 1.0
        self._width = max(float(np.ptp(near)) if near.size else 0.0, 1e-9 * reach)

    @property
    def _nudge(self) -> float:
        """By how much scores that should be equal may differ, and times."""
        ends = np.array([self.lo, self.hi, self._last_time])
        return 16 * _EPS * float(np.abs(ends[np.isfinite(ends)]).max(initial=0.0))

    @property
    def _bracketed(self) -> bool:
        return bool(np.isfinite(self.hi - self.lo))

    @property
    def wants_points(self) -> bool:
        """Whether the points in the bracket are to be listed, with their weights."""
        known = self._listed or self._points is not None
        return self._bracketed and not known and self._n_points <= _MANY

    @property
    def wants_list(self) -> bool:
        """Whether the breakpoints in the bracket are to be listed."""
        if self._listed or not self._bracketed:
            return False
        return self._between <= _FEW or self.hi - self.lo <= 16 * self._nudge

    def see_points(self, scores: Float, weights: Float, events: Bool) -> None:
        """Take in the points in the bracket; without laws, one is the answer."""
        order = np.argsort(scores)
        scores, sums = scores[order], np.cumsum(weights[order])
        self._points = scores, sums
        if self._laws or not len(scores):
            return
        i = int(np.searchsorted(self._mass[0] + sums, self._target))
        self.answer = float(scores[min(i, len(scores) - 1)])
        below = weights[order] * (events[order] & (scores <= self.answer))
        self.n_events = self._events_at_lo + float(below.sum())

    def see_list(self, scores: Float) -> None:
        """Take in the breakpoints in the bracket; the mass is a line between them."""
        self._listed = True
        inside = scores[(scores > self.lo) & (scores <= self.hi)]
        stops = np.concatenate([inside - self._nudge, inside + self._nudge])
        self._positions, self._stops = np.sort(inside), np.unique(stops)
        self._finish()

    def places(self) -> Float:
        """Return where the mass is to be known, ascending."""
        if not self._bracketed:
            return self._guess + self._width * _FAR
        poor = self._left > _POOR
        if self._listed:
            return self._some_stops(poor)
        width, (foreseen, jumps) = self.hi - self.lo, self._foreseen()
        steps = foreseen + width * (_ROUGH if self._points is None else _NEAR)
        if jumps:  # over the target, a nudge to either side
            steps[1:3] = foreseen + self._nudge * np.array([-1.0, 1.0])
        places = [steps]
        if poor:
            tie = self._heaviest() + self._nudge * np.array([-1.0, 1.0])
            places += [tie, self.lo + width * np.array([0.25, 0.5, 0.75])]
        inside = np.unique(np.concatenate(places))
        return inside[(inside > self.lo) & (inside < self.hi)]

    def _some_stops(self, poor: bool) -> Float:
        """Return some places between which there are no breakpoints."""
        stops = self._open_stops()
        if len(stops) <= _ALL:
            return stops
        if poor:
            some = np.linspace(0, len(stops) - 1, _ALL)
        else:
            # As far as sums of so many small steps leave a line.
            reach = max(int(np.sqrt(len(stops)) / 2), 1)
            near = int(np.searchsorted(stops, self._foreseen()[0]))
            some = near + reach * np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
        chosen = np.clip(some, 0, len(stops) - 1).astype(np.intp)
        return stops[np.unique(chosen)]

    def _open_stops(self) -> Float:
        return self._stops[(self._stops > self.lo) & (self._stops < self.hi)]

    def _foreseen(self) -> tuple[float, bool]:
        """Return where the mass reaches the target, and whether it jumps over it.

        If that of laws is a line.
        """
        low, high = self._mass
        lo, width = self.lo, self.hi - self.lo
        if self._points is None:
            return lo + width * _share(self._target - low, high - low), False
        scores, sums = self._points
        first, last = np.searchsorted(scores, [lo, self.hi], side="right")
        start = float(sums[first - 1]) if first else 0.0
        scores, sums = scores[first:last], sums[first:last] - start
        rise = max(high - low - (float(sums[-1]) if len(sums) else 0.0), 0.0)
        line = low + rise * ((scores - lo) / width)
        i = int(np.searchsorted(line + sums, self._target))
        passed = low + (float(sums[i - 1]) if i else 0.0)
        at = lo + width * _share(self._target - passed, rise)
        if i < len(scores) and scores[i] <= at:
            return float(scores[i]), True
        return at, False

    def _heaviest(self) -> float:
        """Return the score in the bracket that the sketch has most often."""
        first = np.searchsorted(self._scores, self.lo, side="right")
        last = np.searchsorted(self._scores, self.hi, side="right")
        if last <= first:
            return self._foreseen()[0]
        scores, counts = np.unique(self._scores[first:last], return_counts=True)
        return float(scores[np.argmax(counts)])

    def see(
        self,
        places: Float,
        mass: Float,
        events: Float,
        between: tuple[Index, Index],
    ) -> None:
        """Take in the mass at ascending places."""
        before = self.hi - self.lo
        reached = mass >= self._target
        first = int(np.argmax(reached)) if reached.any() else len(places)
        if first < len(places) and places[first] < self.hi:
            self.hi, self._mass = float(places[first]), (self._mass[0], mass[first])
            self.n_events = float(events[first])
        if first and places[first - 1] > self.lo:
            self.lo = float(places[first - 1])
            self._mass = float(mass[first - 1]), self._mass[1]
            self._events_at_lo = float(events[first - 1])
        if not self._bracketed:
            self._look_further()
            return
        self._left = (self.hi - self.lo) / before if np.isfinite(before) else 0.0
        if 0 < first < len(places):  # else there are no more than there were
            self._between = float(between[0][first - 1])
            self._n_points = float(between[1][first - 1])
        self._finish()

    def _look_further(self) -> None:
        """Move on, up or down; nothing lies beyond all scores."""
        self._guess = self.lo if np.isinf(self.hi) else self.hi
        self._width *= 30
        if self._width > _OUTSIDE:
            self.answer = -np.inf if np.isinf(self.lo) else float(self._scores[-1])

    def _finish(self) -> None:
        """Give the answer if the bracket holds one breakpoint, or none."""
        if not self._listed or self._open_stops().size:
            return
        inside = self._positions
        inside = inside[(inside > self.lo) & (inside <= self.hi)]
        if inside.size:
            self.answer = float(inside[-1])
            return
        low, high = self._mass
        way = (self._wanted - low) / (high - low)
        self.answer = self.lo + (self.hi - self.lo) * min(max(way, 0.0), 1.0)


def _share(part: float, whole: float) -> float:
    """Return a part of a whole, 0 to 1; half where there is nothing to share."""
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.5
