"""F and its quantiles: the smallest s with N·F(s) ≥ k at every level, found exactly.

With censored subjects spread over a law, F has up to N·M jumps (M event times), far
too many to list. The search lists only those in a tiny interval that is proven to hold
the answer. It asks partitions of the subjects (``questions.py``), about all levels at
once, in a few rounds:

1. a sketch, a few draws of each law beside the points, gives a window around s;
2. in the window the points are listed and the mass of the laws is close to a parabola
   through three cheap estimates, which predicts a bracket (lo, hi];
3. the exact mass at both ends shows mass(lo) < k ≤ mass(hi), or corrects the prediction
   for another round, and the breakpoints between, listed, are walked through.

Cost: O(N) per level and round; memory: what lies in the windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.level_search import LevelSearch, Listed
from consurv.conformal.questions import (
    Bracket,
    Breakpoints,
    Outline,
    Partition,
    Sketch,
    Window,
    ask,
    to_mass,
)

__all__ = ["Quantiles", "conformal_quantiles", "rank", "smallest_scores"]

# Up to so many breakpoints are listed without a search.
FEW_PIECES = 1 << 14
# Enough to cut down to the rounding through the exponents of all floats.
MAX_ROUNDS = 2200


class Quantiles(NamedTuple):
    """The conformal quantile of the scores at each of P levels.

    Attributes
    ----------
    scores : ndarray of shape (P,)
        NaN where no subject counts. Where part of the mass is fixed, -inf if that alone
        reaches k and inf if the mass nowhere does.
    ranks, n, n_events : ndarray of int of shape (P,)
        k, the subjects that count, and the events among them with scores up to it.
    rounds : int
        How often partitions were asked.
    """

    scores: Float
    ranks: Index
    n: Index
    n_events: Index
    rounds: int


def rank(level: float, n: int) -> int:
    """Return k = ⌈ρ(N + 1)⌉, guarded against the rounding of ρ.

    >>> rank(0.55, 99), rank(0.1 + 0.2, 9), rank(0.95, 18)
    (55, 3, 19)
    """
    return int(np.ceil(level * (n + 1) * (1 - 1e-13)))


def conformal_quantiles(
    partitions: Sequence[Partition], columns: Index, levels: Float
) -> Quantiles:
    """Return the smallest score at which the mass reaches k = ⌈ρ(N + 1)⌉.

    Where k > N it is the largest score.

    Parameters
    ----------
    partitions : sequence of Partition
        Any split of the subjects, in any order.
    columns : ndarray of int of shape (P,)
        What partitions call the levels.
    levels : ndarray of shape (P,)
    """
    outline = ask(partitions, Sketch(columns))
    pairs = zip(levels.tolist(), outline.n.tolist(), strict=True)
    ranks = np.array([rank(level, n) for level, n in pairs])
    return _search(partitions, columns, outline, ranks)


def smallest_scores(
    partitions: Sequence[Partition], columns: Index, ranks: Index
) -> Float:
    """Return the smallest score at which the mass of all partitions reaches each rank.

    Examples
    --------
    >>> from consurv.conformal.masses import LevelMass
    >>> parts = [LevelMass(np.array([3.0, 1.0])), LevelMass(np.array([2.0]))]
    >>> smallest_scores(parts, np.array([0]), np.array([2]))
    array([2.])
    """
    outline = ask(partitions, Sketch(columns))
    return _search(partitions, columns, outline, ranks).scores


def _search(
    partitions: Sequence[Partition], columns: Index, outline: Outline, ranks: Index
) -> Quantiles:
    n, scores = outline.n, np.full(len(columns), np.nan)
    n_events = np.zeros(len(columns), dtype=np.int64)
    searches: dict[int, LevelSearch] = {}
    fixed = to_mass(outline.fixed)
    reach = outline.n_points + to_mass(outline.reach)
    for i in np.flatnonzero(n).tolist():
        wanted = min(int(ranks[i]), int(n[i])) - float(fixed[i])
        search = _begin(outline, i, wanted, float(reach[i]) if fixed[i] else np.inf)
        if isinstance(search, LevelSearch):
            searches[i] = search
        else:
            scores[i] = search
    round_ = _Rounds(partitions, columns, outline)
    while searches:
        round_.ask(searches)
        for i, search in list(searches.items()):
            if search.answer is not None:
                scores[i], n_events[i] = search.answer, search.n_events
                del searches[i]
    return Quantiles(scores, ranks, n, n_events, round_.count)


def _begin(
    outline: Outline, i: int, wanted: float, reach: float
) -> LevelSearch | float:
    """Return the search of one level, or its end where nothing is to be searched.

    *reach* is the mass that no score exceeds; infinite where it is that of all.
    """
    search = LevelSearch(
        wanted,
        int(outline.n[i]),
        int(outline.n_law[i]),
        float(outline.last_time[i]),
        (outline.scores[i], outline.weights[i]),
        3 * float(np.sqrt(outline.variance[i])),
    )
    if reach < np.inf and not 0 < search.target <= reach:
        return -np.inf if search.target <= 0 else np.inf
    if outline.n_law[i] and outline.most_pieces[i] <= FEW_PIECES:
        search.list_all()
    return search


class _Rounds:
    """Asks partitions what the searches of all levels want to know."""

    def __init__(
        self, partitions: Sequence[Partition], columns: Index, outline: Outline
    ) -> None:
        self._partitions, self._columns = partitions, columns
        # One for each law may lie at the same place.
        self._limit = np.maximum(FEW_PIECES, outline.n_law)
        self.count = 1  # with the sketch

    def ask(self, searches: dict[int, LevelSearch]) -> None:
        """Ask once, about all levels that are still open."""
        self.count += 1
        if self.count > MAX_ROUNDS:
            raise RuntimeError(f"no quantile after {MAX_ROUNDS} rounds")
        windows = [i for i, search in searches.items() if not search.has_window]
        brackets = [i for i, search in searches.items() if search.wants_bracket]
        # Those without laws have no places at which to estimate the mass.
        for width in (0, 3):
            some = [i for i in windows if len(searches[i].places) == width]
            if some:
                self._windows(searches, some)
        if brackets:
            self._brackets(searches, brackets)

    def _windows(self, searches: dict[int, LevelSearch], levels: list[int]) -> None:
        question = Window(
            self._columns[levels],
            np.array([searches[i].lo for i in levels]),
            np.array([searches[i].hi for i in levels]),
            np.array([searches[i].places for i in levels]),
        )
        found = ask(self._partitions, question)
        rows = _by_level(found.level, len(levels))
        for j, i in enumerate(levels):
            searches[i].see_window(
                int(found.below[j]),
                int(found.events_below[j]),
                found.points[rows[j]],
                found.events[rows[j]],
                found.law[j],
            )

    def _brackets(self, searches: dict[int, LevelSearch], levels: list[int]) -> None:
        ends = [searches[i].bracket for i in levels]
        limit = np.where([end.all for end in ends], np.inf, self._limit[levels])
        question = Bracket(
            self._columns[levels],
            np.array([end.lo for end in ends]),
            np.array([end.hi for end in ends]),
            limit,
        )
        found = ask(self._partitions, question)
        rows = _by_level(found.level, len(levels))
        mass = to_mass(found.law)
        rise = to_mass(found.law[:, 1] - found.law[:, 0])
        for j, i in enumerate(levels):
            listed = None
            if found.n_pieces[j] <= limit[j]:
                listed = _listed(found, rows[j], j)
            lower, upper = mass[j].tolist()
            searches[i].see_bracket((lower, upper), float(rise[j]), listed)


def _by_level(level: Index, n: int) -> list[Index]:
    """Return the entries of each level."""
    order = np.argsort(level, kind="stable")
    return np.split(order, np.searchsorted(level[order], np.arange(1, n)))


def _listed(found: Breakpoints, rows: Index, j: int) -> Listed:
    return Listed(
        found.position[rows],
        found.jump[rows],
        found.turn[rows],
        float(found.base_slope[j]),
        bool(found.straight[j]),
    )
