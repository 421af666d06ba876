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
from itertools import chain
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.masses import UNIT, LevelMass, Pieces

__all__ = [
    "Bracket",
    "Breakpoints",
    "Masses",
    "Nearby",
    "Outline",
    "Partition",
    "Question",
    "Sketch",
    "Window",
    "ask",
    "merge",
    "to_mass",
]

# For some subjects at a time their mass at levels, these by their place in a question;
# all together are those of the partition.
Masses = Iterable[Sequence[tuple[int, LevelMass]]]
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
# Quantiles of one partition at one level.
_QUANTILES = 1 << 10
# A sketch has one score per subject, and more only up to so many in all.
_FEW_SCORES = 1 << 12
# Breakpoints at the same place become one where a list is longer.
_LONG = 1 << 10
_UNITS = round(1 / UNIT)


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


def _add(parts: Sequence[Any]) -> Any:
    return np.sum(parts, axis=0)


def _carry(parts: Sequence[Any]) -> Any:
    """Add up pairs (whole, units): the units stay below a whole."""
    total = np.sum(parts, axis=0)
    total[..., 0] += total[..., 1] // _UNITS
    total[..., 1] %= _UNITS
    return total


def _join(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts)


def _beside(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts, axis=1)


def _most(parts: Sequence[Any]) -> Any:
    return np.max(parts, axis=0)


def merge(summaries: Sequence[S]) -> S:
    """Return the summary of all subjects together.

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
    merged: S = type(first)(
        **{
            f.name: f.metadata["merge"]([getattr(s, f.name) for s in summaries])
            for f in fields(first)
        }
    )
    return merged


def ask(partitions: Sequence[Partition], question: Question[S]) -> S:
    """Return the answer of all partitions together."""
    return merge([partition.answer(question) for partition in partitions])


def to_mass(units: Any) -> Float:
    """Return masses from pairs (whole, units)."""
    mass: Float = units[..., 0] + units[..., 1] * UNIT
    return mass


def _pair(units: int) -> tuple[int, int]:
    return divmod(units, _UNITS)


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
    variance : ndarray of shape (L,)
        Of the mass that they show.
    """

    n_points: Index = field(metadata={"merge": _add})
    n_law: Index = field(metadata={"merge": _add})
    n_fixed: Index = field(metadata={"merge": _add})
    most_pieces: Float = field(metadata={"merge": _add})
    last_time: Float = field(metadata={"merge": _most})
    fixed: Index = field(metadata={"merge": _carry})
    reach: Index = field(metadata={"merge": _carry})
    scores: Float = field(metadata={"merge": _beside})
    weights: Float = field(metadata={"merge": _beside})
    variance: Float = field(metadata={"merge": _add})

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
        )


@dataclass(frozen=True)
class Sketch:
    """Ask for the outline of F."""

    levels: Index
    of_sample: ClassVar[bool] = True
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Outline:
        """Return the outline of one partition, that has one mass for each level."""
        rows = [_outline(mass) for part in masses for _, mass in part]
        return Outline(*(np.array(column) for column in zip(*rows, strict=True)))


def _outline(mass: LevelMass) -> tuple[Any, ...]:
    law, n = mass.law, len(mass.points) + mass.n_law
    size = min(max(_FEW_SCORES // max(n, 1), 1), 16)
    scores = np.sort(mass.sketch(size))
    places = (np.arange(_QUANTILES) + 0.5) * (len(scores) / _QUANTILES)
    quantiles = scores[places.astype(np.intp)] if n else np.zeros(_QUANTILES)
    if law is None:
        most_pieces, last_time, reach = 0.0, 0.0, 0
    else:
        most_pieces, last_time = float(law.most_pieces), law.last_time
        reach = law.at(np.inf, None).units if mass.fixed else law.n * _UNITS
    return (
        len(mass.points),
        mass.n_law,
        mass.n_fixed,
        most_pieces,
        last_time,
        divmod(round(mass.fixed / UNIT), _UNITS),
        divmod(reach, _UNITS),
        quantiles,
        np.full(_QUANTILES, len(scores) / size / _QUANTILES),
        # One draw in each of `size` strata: the error of a subject's mass is uniform
        # within a stratum.
        mass.n_law / 12 / size**2,
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

    below: Index = field(metadata={"merge": _add})
    events_below: Index = field(metadata={"merge": _add})
    law: Float = field(metadata={"merge": _add})
    level: Index = field(metadata={"merge": _join})
    points: Float = field(metadata={"merge": _join})
    events: Bool = field(metadata={"merge": _join})


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
        law = np.zeros(self.places.shape)
        found: list[tuple[int, Float, Bool]] = []
        for i, mass in chain.from_iterable(masses):
            if len(mass.points):
                lower = mass.points <= self.lo[i]
                inside = np.flatnonzero(~lower & (mass.points <= self.hi[i]))
                n_lower = int(np.count_nonzero(lower))
                below[i] += n_lower
                if mass.events is None:
                    events_below[i] += n_lower
                    events = np.ones(len(inside), dtype=np.bool_)
                else:
                    events_below[i] += int(np.count_nonzero(lower & mass.events))
                    events = mass.events[inside]
                found.append((i, mass.points[inside], events))
            if law.size and mass.law is not None and mass.law.n:
                law[i] += mass.law.coarse_masses(self.places[i].tolist())
        return Nearby(below, events_below, law, *_listed(found, (0.0, True)))


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
    level, position, jump, turn : ndarray of shape (K,)
        Breakpoints: level by its place in the question, score, jump and change of
        slope.
    """

    law: Index = field(metadata={"merge": _carry})
    n_pieces: Index = field(metadata={"merge": _add})
    base_slope: Float = field(metadata={"merge": _add})
    straight: Bool = field(metadata={"merge": _most})
    level: Index = field(metadata={"merge": _join})
    position: Float = field(metadata={"merge": _join})
    jump: Float = field(metadata={"merge": _join})
    turn: Float = field(metadata={"merge": _join})


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
        units: list[list[int]] = [[0, 0] for _ in range(size)]
        n_pieces = np.zeros(size, dtype=np.int64)
        slopes: list[list[float]] = [[] for _ in range(size)]
        straight = np.zeros(size, dtype=np.bool_)
        found: list[tuple[int, Float, Float, Float]] = []
        for i, mass in chain.from_iterable(masses):
            law = mass.law
            if law is None or not law.n:
                continue
            hi = law.at(float(self.hi[i]), None)
            lo = law.at(float(self.lo[i]), hi)
            units[i][0] += lo.units
            units[i][1] += hi.units
            n_pieces[i] += law.n_pieces(lo, hi)
            straight[i] = law.straight
            if n_pieces[i] <= self.limit[i]:
                pieces = law.pieces(lo, hi)
                slopes[i].append(pieces.base_slope)
                found.append((i, *_gathered(pieces)))
        kept = [entry for entry in found if n_pieces[entry[0]] <= self.limit[entry[0]]]
        pairs = [[divmod(total, _UNITS) for total in both] for both in units]
        return Breakpoints(
            np.array(pairs, dtype=np.int64).reshape(size, 2, 2),
            n_pieces,
            np.array([math.fsum(parts) for parts in slopes]),
            straight,
            *_listed(kept, (0.0, 0.0, 0.0)),
        )


def _gathered(pieces: Pieces) -> tuple[Float, Float, Float]:
    """Return breakpoints, those at the same place as one if there are many."""
    position, jump, turn = pieces.position, pieces.jump, pieces.slope
    if len(position) <= _LONG:
        return position, jump, turn
    places, where = np.unique(position, return_inverse=True)
    if 2 * len(places) > len(position):
        return position, jump, turn
    jumps: Float = np.bincount(where, jump).astype(np.float64)
    turns: Float = np.bincount(where, turn).astype(np.float64)
    return places, jumps, turns


def _listed(found: Sequence[Any], like: tuple[Any, ...]) -> list[Any]:
    """Return the level of every entry of the lists, and the lists one after another."""
    sizes = [len(entry[1]) for entry in found]
    level = np.repeat(np.array([entry[0] for entry in found], dtype=np.int64), sizes)
    columns = (
        np.concatenate([np.empty(0, type(value)), *(entry[j] for entry in found)])
        for j, value in enumerate(like, start=1)
    )
    return [level, *columns]
