"""The searches of all levels: what a round asks, and who of them wants to know."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.quantile.brackets import Bracket, Breakpoints, Nearby, Window
from consurv.conformal.quantile.level_search import (
    PLACES,
    Inside,
    LevelSearch,
    Listed,
)
from consurv.conformal.quantile.masses import to_mass
from consurv.conformal.quantile.sketch import Outline

__all__ = ["Searches"]

# No list of breakpoints of a level is longer, or than such a part of it where the
# bracket is asked about beside another.
_MOST_LISTED, _BESIDE = 1 << 16, 1 << 3


class Searches:
    """The searches of all levels that are still open, and what the others found.

    Parameters
    ----------
    outline : Outline
    ranks : ndarray of int of shape (L,)
    few : int
        Up to so many breakpoints of a level are listed without a search.
    far : bool
        Whether a round takes long.
    """

    def __init__(self, outline: Outline, ranks: Index, few: int, far: bool) -> None:
        n, fixed = outline.n, to_mass(outline.fixed)
        self.scores = np.full(len(n), np.nan)
        self.n_events = np.zeros(len(n), dtype=np.int64)
        self.open: dict[int, LevelSearch] = {}
        # One for each law may lie at the same place.
        self._limit = np.clip(outline.n_law, few, max(few, _MOST_LISTED))
        wanted = np.minimum(ranks, n) - fixed
        # The mass that no score exceeds; it is that of all where none is fixed.
        reach = outline.n_points + to_mass(outline.reach)
        # Near the ends of F a count is surer than in its middle.
        share = np.clip(wanted / np.maximum(n, 1), 0.02, 0.98)
        spread = np.sqrt(outline.variance * 4 * share * (1 - share) + outline.between)
        for i in np.flatnonzero(n).tolist():
            search = LevelSearch(
                float(wanted[i]),
                int(n[i]),
                int(outline.n_law[i]),
                float(outline.last_time[i]),
                (outline.scores[i], outline.weights[i]),
                3 * float(spread[i]),
                bool(outline.straight[i]),
                far,
            )
            if fixed[i] and not 0 < search.target <= reach[i]:
                self.scores[i] = -np.inf if search.target <= 0 else np.inf
                continue
            if outline.n_law[i] and outline.most_pieces[i] <= few:
                search.list_all()
            self.open[i] = search

    def questions(self, columns: Index) -> list[tuple[list[int], Any]]:
        """Return what is to be asked next, with the levels that want to know."""
        windows = [i for i, search in self.open.items() if not search.has_window]
        wanting = [i for i, search in self.open.items() if search.wants_bracket]
        # A level comes as often as it has brackets, one after the other.
        pairs = [(i, ends) for i in wanting for ends in self.open[i].brackets]
        first = [j for i in wanting for j in range(len(self.open[i].brackets))]
        asked: list[tuple[list[int], Any]] = []
        # Those without laws have no places at which to estimate the mass.
        for width in (0, *PLACES):
            some = [i for i in windows if len(self.open[i].places) == width]
            if some:
                lo, hi = np.array([(self.open[i].lo, self.open[i].hi) for i in some]).T
                places = np.array([self.open[i].places for i in some])
                asked.append((some, Window(columns[some], lo, hi, places)))
        if pairs:
            brackets = [i for i, _ in pairs]
            lo, hi = np.array([ends[:2] for _, ends in pairs]).T
            every = [ends.all for _, ends in pairs]
            # What is asked beside is likely not wanted.
            share = np.where(np.array(first) > 0, _BESIDE, 1)
            limit = np.where(every, np.inf, self._limit[brackets] // share)
            asked.append((brackets, Bracket(columns[brackets], lo, hi, limit)))
        return asked

    def see(self, levels: list[int], question: Any, found: Any) -> None:
        """Take in an answer."""
        order = np.argsort(found.level, kind="stable")
        starts = np.searchsorted(found.level[order], np.arange(1, len(levels)))
        rows = np.split(order, starts)
        if isinstance(found, Nearby):
            self._see_windows(levels, found, rows)
        else:
            self._see_brackets(levels, question.limit, found, rows)
        for i in dict.fromkeys(levels):
            search = self.open[i]
            if search.answer is not None:
                self.scores[i], self.n_events[i] = search.answer, search.n_events
                del self.open[i]

    def _see_windows(self, levels: list[int], found: Nearby, rows: list[Index]) -> None:
        for j, i in enumerate(levels):
            self.open[i].see_window(
                int(found.below[j]),
                int(found.events_below[j]),
                found.points[rows[j]],
                found.events[rows[j]],
                found.law[j],
            )

    def _see_brackets(
        self, levels: list[int], limit: Float, found: Breakpoints, rows: list[Index]
    ) -> None:
        rise = np.diff(found.law, axis=1)
        masses = to_mass(np.concatenate([found.law, rise], axis=1)).tolist()
        answers: dict[int, list[Inside]] = {}
        for j, i in enumerate(levels):
            listed = None
            if found.n_pieces[j] <= limit[j]:
                # Bends that cannot be told apart any more are one line.
                last = found.rough[j] and np.isinf(limit[j])
                some = rows[j][:0] if last else rows[j]
                listed = Listed(
                    found.position[some],
                    found.jump[some],
                    found.turn[some],
                    float(found.base_slope[j]),
                    bool(found.straight[j]),
                    bool(found.rough[j]) and not last,
                )
            lower, upper, between = masses[j]
            inside = Inside((lower, upper), between, listed)
            answers.setdefault(i, []).append(inside)
        for i, own in answers.items():
            self.open[i].see_brackets(own)
