"""What lies in windows of scores, and the exact mass of laws in brackets in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import Pieces, carry
from consurv.conformal.quantile.questions import (
    Masses,
    add,
    add_units,
    join,
    joined,
    least,
    merge_fields,
    most,
)

__all__ = ["Bracket", "Breakpoints", "Nearby", "Window"]

# Breakpoints at the same place become one where a list is longer.
_LONG = 1 << 10
_TRIED = 1 << 8
# Of a level by its place in a question: lists are long, and wait for all partitions.
_LEVEL = np.int32
_LISTS = "level", "position", "jump", "turn"


@dataclass(frozen=True)
class Nearby:
    """The points in windows (lo, hi] of L levels, and the mass of laws at B places.

    Attributes
    ----------
    below, events_below : ndarray of int of shape (L,)
        Points at lo or below, and how many of them are events.
    law : ndarray of shape (L, B)
        About the mass of laws.
    level, points, events : ndarray of shape (K,)
        The points in the windows: level by its place in the question, score, and
        whether it is an event.
    """

    below: Index = field(metadata={"merge": add})
    events_below: Index = field(metadata={"merge": add})
    law: Float = field(metadata={"merge": add})
    level: Index = field(metadata={"merge": join})
    points: Float = field(metadata={"merge": join})
    events: Bool = field(metadata={"merge": join})


@dataclass(frozen=True)
class Window:
    """Ask what is in windows (lo, hi], one a level; ``places`` has shape (L, B)."""

    levels: Index
    lo: Float
    hi: Float
    places: Float
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Nearby:
        """Return what one partition has there."""
        size = len(self.levels)
        below, events_below = np.zeros((2, size), dtype=np.int64)
        law, found = np.zeros(self.places.shape), []
        for group, mass in masses:
            points = np.atleast_2d(mass.points)
            if points.size:
                lower = points <= self.lo[group, None]
                place = np.flatnonzero((points <= self.hi[group, None]) ^ lower)
                level, row = np.divmod(place, points.shape[1])
                events = np.ones(len(row), np.bool_)
                below[group] += [np.count_nonzero(some) for some in lower]
                if mass.events is not None:
                    events, lower = mass.events[row], lower & mass.events
                events_below[group] += [np.count_nonzero(some) for some in lower]
                level = (level + group.start).astype(_LEVEL)
                found.append((level, points.ravel()[place], events))
            if law.size and mass.law is not None and mass.n_law:
                law[group] += mass.law.coarse_masses(self.places[group])
        return Nearby(below, events_below, law, *joined(found, (_LEVEL, float, bool)))


@dataclass(frozen=True)
class Breakpoints:
    """The exact mass of laws at both ends of brackets, and how it gets there.

    Attributes
    ----------
    law : ndarray of int of shape (L, 2, 2)
        Mass at lo and hi, as whole and units.
    n_pieces : ndarray of int of shape (L,)
        How many breakpoints there are, about; they are listed if not too many.
    base_slope : ndarray of shape (L,)
        Of the mass at lo.
    straight : ndarray of bool of shape (L,)
        Whether it is a line but for the jumps listed.
    rough : ndarray of bool of shape (L,)
        Whether what is listed is to find the way by, and no more.
    limit : ndarray of shape (L,)
        How many are listed at most.
    level, position, jump, turn : ndarray of shape (K,)
        Breakpoints: level by its place in the question, score, jump and change of
        slope.
    """

    law: Index = field(metadata={"merge": add_units})
    n_pieces: Index = field(metadata={"merge": add})
    base_slope: Float = field(metadata={"merge": add})
    straight: Bool = field(metadata={"merge": most})
    rough: Bool = field(metadata={"merge": most})
    limit: Float = field(metadata={"merge": least})
    level: Index = field(metadata={"merge": join})
    position: Float = field(metadata={"merge": join})
    jump: Float = field(metadata={"merge": join})
    turn: Float = field(metadata={"merge": join})

    @classmethod
    def merged(cls, parts: Sequence[Breakpoints]) -> Breakpoints:
        """Return those of all together; lists that have become too long are dropped."""
        few = add([part.n_pieces for part in parts]) <= least([p.limit for p in parts])
        return merge_fields([part._only(few) for part in parts])

    def _only(self, levels: Bool) -> Breakpoints:
        """Return it with the lists of some levels alone."""
        if levels.all():
            return self
        kept = levels[self.level]
        lists = {name: getattr(self, name)[kept] for name in _LISTS}
        return replace(self, **lists)


@dataclass(frozen=True)
class Bracket:
    """Ask for the mass of laws at the ends of (lo, hi], one a level, and between.

    A partition lists up to ``limit`` breakpoints of a level.
    """

    levels: Index
    lo: Float
    hi: Float
    limit: Float
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = True

    def answer(self, masses: Masses) -> Breakpoints:
        """Return the mass of one partition."""
        size = len(self.levels)
        units = np.zeros((size, 2, 2), dtype=np.int64)
        n_pieces, (straight, rough) = (
            np.zeros(size, np.int64),
            np.zeros((2, size), bool),
        )
        slopes: list[list[float]] = [[] for _ in range(size)]
        found: list[tuple[Index, Float, Float, Float]] = []
        for group, mass in masses:
            law = mass.law
            if law is None or not law.n:
                continue
            hi = law.at(self.hi[group], None)
            lo = law.at(self.lo[group], hi)
            units[group] += np.stack([lo.units, hi.units], axis=1)
            carry(units)
            n_pieces[group] += law.n_pieces(lo, hi)
            straight[group] = law.straight
            rough[group] |= law.bends(lo, hi)
            listed = n_pieces[group] <= self.limit[group]
            if listed.any():
                pieces = law.pieces(lo, hi)
                found.append(_gathered(pieces, listed, group.start))
                for i, slope in enumerate(pieces.base_slope.tolist(), group.start):
                    slopes[i].append(slope)
        level, *columns = joined(found, (_LEVEL, float, float, float))
        kept = (n_pieces <= self.limit)[level]
        return Breakpoints(
            units,
            n_pieces,
            np.array([math.fsum(parts) for parts in slopes]),
            straight,
            rough,
            self.limit,
            level[kept],
            *(column[kept] for column in columns),
        )


def _gathered(
    pieces: Pieces, listed: Bool, first: int
) -> tuple[Index, Float, Float, Float]:
    """Return breakpoints, those at the same place as one if there are many."""
    level, position, jump, turn = (
        pieces.level,
        pieces.position,
        pieces.jump,
        pieces.slope,
    )
    if not listed.all():
        kept = listed[level]
        level, position = level[kept], position[kept]
        jump, turn = jump[kept], turn[kept]
    level = (level + first).astype(_LEVEL)
    if len(position) <= _LONG:
        return level, position, jump, turn
    some = position[:: len(position) // _TRIED]
    if 2 * len(np.unique(some)) > len(some):  # few share a place
        return level, position, jump, turn
    order = np.lexsort((position, level))
    levels, places = level[order], position[order]
    new = (np.diff(levels) != 0) | (np.diff(places) != 0)
    starts = np.flatnonzero(np.append(True, new))
    if 2 * len(starts) > len(position):
        return level, position, jump, turn
    where = np.empty(len(position), dtype=np.intp)
    where[order] = np.append(0, np.cumsum(new))
    jumps: Float = np.bincount(where, jump).astype(np.float64)
    turns: Float = np.bincount(where, turn).astype(np.float64)
    return levels[starts], places[starts], jumps, turns
