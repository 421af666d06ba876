"""What the quantile search asks partitions of subjects, and what they answer.

A partition answers a question about many levels at once with a small summary of plain
arrays. Summaries of partitions merge into that of all their subjects: counts and units
add up, lists are joined. So partitions may live anywhere, and no two are ever put
together.

====================  ==================================================================
``Sketch``            how many subjects count, and quantiles that resemble F
``Window``            the points in a window, and about the mass of laws at some places
``Bracket``           the exact mass of laws at both ends, and its breakpoints between
====================  ==================================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import UNIT, LevelMass, Pieces, carry

__all__ = [
    "FEW_POINTS",
    "QUANTILES",
    "Bracket",
    "Breakpoints",
    "Masses",
    "Nearby",
    "Outline",
    "Partition",
    "Question",
    "Sketch",
    "Window",
    "add",
    "ask",
    "ask_all",
    "join",
    "joined",
    "least",
    "merge",
    "most",
]

# For some subjects at a time their mass at some levels, these by their place in a
# question; all together are those of the partition.
Masses = Iterable[tuple[slice, LevelMass]]
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
# Up to so many points are listed at once, where there are no laws.
FEW_POINTS = 1 << 14
# Quantiles of one partition at one level.
QUANTILES = 1 << 10
# A sketch has one score per subject, and more only up to so many in all.
_FEW_SCORES = 1 << 12
# Breakpoints at the same place become one where a list is longer.
_LONG = 1 << 10
_TRIED = 1 << 8


class Question(Protocol[S_co]):
    """Something asked about some levels."""

    # Whether a sample of the subjects is enough, and whether only those count that
    # follow laws.
    of_sample: ClassVar[bool]
    of_laws: ClassVar[bool]

    @property
    def levels(self) -> Index:
        """The levels, as partitions call them."""

    def answer(self, masses: Masses) -> S_co:
        """Return the summary of a partition from the mass of its subjects."""


class Partition(Protocol):
    """Some conformal subjects, wherever they are."""

    def answer(self, question: Question[S]) -> S:
        """Return the summary for them."""


def add(parts: Sequence[Any]) -> Any:
    """Return the sum of arrays of partitions."""
    return np.sum(parts, axis=0)


def _carry(parts: Sequence[Any]) -> Any:
    return carry(np.sum(parts, axis=0))


def join(parts: Sequence[Any]) -> Any:
    """Return arrays of partitions one after another."""
    return np.concatenate(parts)


def _beside(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts, axis=1)


def most(parts: Sequence[Any]) -> Any:
    """Return the largest of each."""
    return np.max(parts, axis=0)


def least(parts: Sequence[Any]) -> Any:
    """Return the least of each."""
    return np.min(parts, axis=0)


def merge(summaries: Sequence[S], how: Any = None) -> S:
    """Return the summary of all subjects together, or else as *how* puts them.

    Examples
    --------
    >>> part = Nearby(below=np.array([3]), events_below=np.array([1]),
    ...               law=np.array([[0.5]]), level=np.array([0]),
    ...               points=np.array([2.5]), events=np.array([True]))
    >>> merge([part, part]).below, merge([part, part]).points
    (array([6]), array([2.5, 2.5]))
    """
    first: Any = summaries[0]
    if len(summaries) == 1:
        return summaries[0]
    if hasattr(first, "merged"):  # it knows better
        merged_by_itself: S = type(first).merged(summaries)
        return merged_by_itself
    columns = {f: [getattr(s, f.name) for s in summaries] for f in fields(first)}
    merged: S = type(first)(
        **{f.name: (how or f.metadata["merge"])(columns[f]) for f in columns}
    )
    return merged


def ask(partitions: Sequence[Partition], question: Question[S]) -> S:
    """Return the answer of all partitions together."""
    return merge([partition.answer(question) for partition in partitions])


def ask_all(partitions: Sequence[Any], questions: Sequence[Question[Any]]) -> list[Any]:
    """Return the answers of all partitions to several questions, in one round.

    A partition that has a long way to go takes all of them at once.
    """
    answers = [
        partition.answer_all(questions)
        if hasattr(partition, "answer_all")
        else [partition.answer(question) for question in questions]
        for partition in partitions
    ]
    return [merge(some) for some in zip(*answers, strict=True)]


@dataclass(frozen=True)
class Outline:
    """How many subjects count at each of L levels, and what their scores look like.

    Attributes
    ----------
    n_points, n_law, n_fixed : ndarray of int of shape (L,)
        Subjects by what they contribute.
    most_pieces, last_time : ndarray of shape (L,)
        Breakpoints of the laws, and how far they reach.
    fixed, reach : ndarray of int of shape (L, 2)
        Mass that is there whatever the score, and what laws come to at last.
    scores, weights : ndarray of shape (L, Q)
        Quantiles, and how many subjects each stands for.
    events : ndarray of bool of shape (L, Q)
        Which of them are events, where they are listed.
    variance : ndarray of shape (L,)
        Of the mass that they show.
    listed : ndarray of bool of shape (L,)
        Whether they are all scores that there are; those of weight 0 are none.
    """

    n_points: Index = field(metadata={"merge": add})
    n_law: Index = field(metadata={"merge": add})
    n_fixed: Index = field(metadata={"merge": add})
    most_pieces: Float = field(metadata={"merge": add})
    last_time: Float = field(metadata={"merge": most})
    fixed: Index = field(metadata={"merge": _carry})
    reach: Index = field(metadata={"merge": _carry})
    scores: Float = field(metadata={"merge": _beside})
    weights: Float = field(metadata={"merge": _beside})
    events: Bool = field(metadata={"merge": _beside})
    variance: Float = field(metadata={"merge": add})
    listed: Bool = field(metadata={"merge": least})

    @property
    def n(self) -> Index:
        """Number of subjects."""
        return self.n_points + self.n_law + self.n_fixed

    def standing_for(self, n_points: Index, n_law: Index) -> Outline:
        """Return the outline of so many subjects, of whom these are a sample."""
        drawn = np.maximum(self.n_points + self.n_law, 1)
        share = (n_points + n_law) / drawn
        reach = np.stack([n_law, np.zeros_like(n_law)], axis=1)
        return replace(
            self,
            n_points=n_points,
            n_law=n_law,
            most_pieces=self.most_pieces * share,
            reach=reach,
            weights=self.weights * share[:, None],
            variance=share**2 * (self.variance + drawn / 4),
            listed=np.zeros_like(self.listed),
        )


@dataclass(frozen=True)
class Sketch:
    """Ask for the outline of F.

    A partition lists up to ``few`` points where it has no laws, and otherwise gives
    ``size`` quantiles of a level.
    """

    levels: Index
    few: int = FEW_POINTS
    size: int = QUANTILES
    of_sample: ClassVar[bool] = True
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Outline:
        """Return the outline of one partition, whose levels come with all subjects."""
        parts = [_outline(mass, self.few, self.size) for _, mass in masses]
        width = max(part.scores.shape[1] for part in parts)
        return merge([_padded(part, width) for part in parts], join)


def _outline(mass: LevelMass, few: int, quantiles: int) -> Outline:
    law, points = mass.law, np.atleast_2d(mass.points)
    size, n_law = len(points), mass.n_law
    n = total = points.shape[1] + n_law
    listed = not n_law and n <= few
    draws = 1 if listed else min(max(_FEW_SCORES // max(n, 1), 1), 16)
    scores = np.repeat(points, draws, axis=1) if draws > 1 else points
    events = np.zeros((1, quantiles), dtype=np.bool_)
    if listed:
        events = np.ones((1, n), np.bool_) if mass.events is None else mass.events
    else:
        if n_law and law is not None:
            scores = np.concatenate([scores, law.sketch(draws)], axis=1)
            scores.sort(axis=1)
        else:
            scores = np.sort(scores, axis=1)
        total = scores.shape[1] / draws  # the mass of some laws is less than 1
        places = (np.arange(quantiles) + 0.5) * (scores.shape[1] / quantiles)
        scores = scores[:, places.astype(np.intp)]
    reach = np.array([[n_law, 0]])
    if law is not None and mass.fixed:
        reach = law.at(np.full(size, np.inf), None).units
    fixed = divmod(round(mass.fixed / UNIT), round(1 / UNIT))
    return Outline(
        np.full(size, points.shape[1]),
        np.full(size, n_law),
        np.full(size, mass.n_fixed),
        np.full(size, float(law.most_pieces) if law is not None else 0.0),
        np.full(size, law.last_time if law is not None else 0.0),
        np.tile(fixed, (size, 1)),
        np.tile(reach, (size // len(reach), 1)),
        scores,
        np.broadcast_to(total / max(scores.shape[1], 1), scores.shape),
        np.broadcast_to(events, scores.shape),
        # One draw in each of so many strata: the error of a subject's mass is uniform
        # within a stratum.
        np.full(size, n_law / 12 / draws**2),
        np.full(size, listed),
    )


def _padded(part: Outline, width: int) -> Outline:
    """Return an outline with more scores, of weight 0: infinite ones did not count."""
    missing = (0, 0), (0, width - part.scores.shape[1])
    if not missing[1][1]:
        return part
    found = part.scores.shape[1] > 0
    return replace(
        part,
        scores=np.pad(part.scores, missing, mode="edge" if found else "constant"),
        weights=np.pad(part.weights, missing),
        events=np.pad(part.events, missing),
    )


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
                found.append((level + group.start, points.ravel()[place], events))
            if law.size and mass.law is not None and mass.n_law:
                law[group] += mass.law.coarse_masses(self.places[group])
        return Nearby(below, events_below, law, *joined(found, (0, 0.0, True)))


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
    level, position, jump, turn : ndarray of shape (K,)
        Breakpoints: level by its place in the question, score, jump and change of
        slope.
    """

    law: Index = field(metadata={"merge": _carry})
    n_pieces: Index = field(metadata={"merge": add})
    base_slope: Float = field(metadata={"merge": add})
    straight: Bool = field(metadata={"merge": most})
    rough: Bool = field(metadata={"merge": most})
    level: Index = field(metadata={"merge": join})
    position: Float = field(metadata={"merge": join})
    jump: Float = field(metadata={"merge": join})
    turn: Float = field(metadata={"merge": join})


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
        level, *columns = joined(found, (0, 0.0, 0.0, 0.0))
        kept = (n_pieces <= self.limit)[level]
        return Breakpoints(
            units,
            n_pieces,
            np.array([math.fsum(parts) for parts in slopes]),
            straight,
            rough,
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
    level = level + first
    if len(listed) > 1 or len(position) <= _LONG:
        return level, position, jump, turn
    some = position[:: len(position) // _TRIED]
    if 2 * len(np.unique(some)) > len(some):  # few share a place
        return level, position, jump, turn
    places, where = np.unique(position, return_inverse=True)
    if 2 * len(places) > len(position):
        return level, position, jump, turn
    jumps: Float = np.bincount(where, jump).astype(np.float64)
    turns: Float = np.bincount(where, turn).astype(np.float64)
    return level[: len(places)], places, jumps, turns


def joined(found: Sequence[Any], like: tuple[Any, ...]) -> list[Any]:
    """Return lists one after another, column by column."""
    return [
        np.concatenate([np.empty(0, type(value)), *(entry[j] for entry in found)])
        for j, value in enumerate(like)
    ]
