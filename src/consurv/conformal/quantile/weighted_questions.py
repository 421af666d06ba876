"""What the search asks partitions whose subjects do not all count 1.

====================  ==================================================================
``WeightedSketch``    the sum of weights, and scores that resemble F
``Rise``              the exact mass at some places, and how many breakpoints between
``Within``            the points in a bracket, with their weights
``Places``            the breakpoints in a bracket
====================  ==================================================================

Masses are added up in units of a scale of weights, whole numbers, as elsewhere: no sum
depends on how subjects are split or ordered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv._weights import at_ranks
from consurv.conformal.quantile.masses import LevelMass, below_places, carry
from consurv.conformal.quantile.questions import Masses, add, join, joined, least, most

__all__ = [
    "Inside",
    "Places",
    "Positions",
    "Rise",
    "Risen",
    "WeightedOutline",
    "WeightedSketch",
    "Within",
]

# Scores of some subjects at one level that a sketch looks at, and keeps of them; and
# draws of each law.
_SEEN, _KEPT, _DRAWS = 1 << 13, 1 << 8, 1


@dataclass(frozen=True)
class WeightedOutline:
    """How much weight counts at each of L levels, and what the scores look like.

    Attributes
    ----------
    n : ndarray of int of shape (L,)
        Number of subjects.
    total : ndarray of shape (L,)
        The sum of their weights.
    largest : ndarray of shape (L,)
        The largest weight.
    last_time : ndarray of shape (L,)
        How far the laws reach.
    laws : ndarray of bool of shape (L,)
        Whether there are laws.
    listed : ndarray of bool of shape (L,)
        Whether the scores are all that there are.
    level, scores, weights, events : ndarray of shape (K,)
        Level by its place in the question, score, weight and whether it is an event.
    """

    n: Index = field(metadata={"merge": add})
    total: Float = field(metadata={"merge": add})
    largest: Float = field(metadata={"merge": most})
    last_time: Float = field(metadata={"merge": most})
    laws: Bool = field(metadata={"merge": most})
    listed: Bool = field(metadata={"merge": least})
    level: Index = field(metadata={"merge": join})
    scores: Float = field(metadata={"merge": join})
    weights: Float = field(metadata={"merge": join})
    events: Bool = field(metadata={"merge": join})


@dataclass(frozen=True)
class WeightedSketch:
    """Ask for the outline of F; up to ``few`` points without laws are listed."""

    levels: Index
    few: int
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> WeightedOutline:
        """Return the outline of one partition."""
        size = len(self.levels)
        total, largest, last_time = np.zeros((3, size))
        n, found = np.zeros(size, dtype=np.intp), []
        laws, listed = np.zeros(size, dtype=np.bool_), np.ones(size, dtype=np.bool_)
        for group, mass in masses:
            weights, law_weights = _weights(mass)
            both = np.concatenate([weights, law_weights])
            n[group] += len(both)
            total[group] += both.sum()
            largest[group] = np.maximum(largest[group], both.max(initial=0.0))
            if mass.law is not None and mass.n_law:
                last_time[group] = np.maximum(last_time[group], mass.law.last_time)
                laws[group] = True
            if mass.n_law or len(weights) > self.few:
                listed[group] = False
                found += _thinned(mass, weights, law_weights, group.start)
            else:
                points = np.atleast_2d(mass.points)
                level = np.repeat(np.arange(len(points)) + group.start, len(weights))
                rows = np.tile(np.arange(len(weights)), len(points))
                found.append(
                    (level, points.ravel(), weights[rows], _events(mass)[rows])
                )
        columns = joined(found, (int, float, float, bool))
        return WeightedOutline(n, total, largest, last_time, laws, listed, *columns)


def _thinned(
    mass: LevelMass, weights: Float, law_weights: Float, first: int
) -> list[tuple[Index, Float, Float, Bool]]:
    """Return evenly spaced quantiles of the scores of some subjects, level by level."""
    scores, total = np.atleast_2d(mass.points), float(weights.sum() + law_weights.sum())
    if mass.law is not None and mass.n_law:
        drawn = mass.law.sketch(_DRAWS)
        own = np.repeat(law_weights / _DRAWS, _DRAWS)
        scores, weights = np.concatenate([scores, drawn], axis=1), np.r_[weights, own]
    every = -(-len(weights) // _SEEN)
    if every > 1:
        scores, weights = scores[:, ::every], weights[::every]
        weights = weights * (total / float(weights.sum()))
    order = np.argsort(scores, axis=1)
    size = min(_KEPT, scores.shape[1])
    share = total / max(size, 1)
    found = []
    for i, rows in enumerate(order):
        kept = rows[at_ranks(weights[rows], (np.arange(size) + 0.5) * share)]
        level, none = np.full(size, first + i), np.zeros(size, dtype=np.bool_)
        found.append((level, scores[i, kept], np.full(size, share), none))
    return found


@dataclass(frozen=True)
class Risen:
    """The mass at B places of each of L levels.

    Attributes
    ----------
    mass, events : ndarray of int of shape (L, B, 2)
        Of all subjects and of points that are events: whole and units of the scale.
    between, points : ndarray of int of shape (L, B - 1)
        About how many breakpoints lie between neighbouring places, and how many points
        are among them.
    """

    mass: Index = field(metadata={"merge": lambda parts: carry(add(parts))})
    events: Index = field(metadata={"merge": lambda parts: carry(add(parts))})
    between: Index = field(metadata={"merge": add})
    points: Index = field(metadata={"merge": add})


@dataclass(frozen=True)
class Rise:
    """Ask for the mass at ascending places (L, B), in units of ``scale``."""

    levels: Index
    places: Float
    scale: float
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Risen:
        """Return the mass of one partition."""
        size, width = self.places.shape
        mass, events = np.zeros((2, size, width, 2), dtype=np.int64)
        between, points = np.zeros((2, size, width - 1), dtype=np.int64)
        for group, some in masses:
            scores, weights = np.atleast_2d(some.points), _weights(some)[0] / self.scale
            event = some.events
            for i in range(group.start, min(group.stop, size)):
                at = _first_at_or_above(self.places[i], scores[i - group.start])
                mass[i] += (below := below_places(at, width, weights))
                points[i] += np.bincount(at, minlength=width + 1)[1:width]
                if event is not None:
                    below = below_places(at[event], width, weights[event])
                events[i] += below
            if some.law is not None and some.n_law:
                _add_law(some, group, self, mass, between)
            carry(mass)
            carry(events)
        return Risen(mass, events, between + points, points)


def _add_law(
    some: LevelMass, group: slice, asked: Rise, mass: Index, between: Index
) -> None:
    """Add what laws have at the places, from the last to the first."""
    law: Any = some.law
    law.weights, above = _weights(some)[1] / asked.scale, None
    for j in range(asked.places.shape[1])[::-1]:
        at = law.at(asked.places[group, j], above)
        mass[group, j] += at.units
        if above is not None:
            between[group, j] += law.n_pieces(at, above)
        above = at


@dataclass(frozen=True)
class Positions:
    """Breakpoints: level by its place in the question, and score."""

    level: Index = field(metadata={"merge": join})
    score: Float = field(metadata={"merge": join})


@dataclass(frozen=True)
class Places:
    """Ask for the distinct breakpoints in brackets (lo, hi], one a level."""

    levels: Index
    lo: Float
    hi: Float
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Positions:
        """Return those of one partition."""
        found: list[tuple[Index, Float]] = []
        for group, mass in masses:
            lo, hi = self.lo[group], self.hi[group]
            points = np.atleast_2d(mass.points)
            level, row = np.nonzero((points > lo[:, None]) & (points <= hi[:, None]))
            found.append((level + group.start, points[level, row]))
            if mass.law is not None and mass.n_law:
                above = mass.law.at(hi, None)
                pieces = mass.law.pieces(mass.law.at(lo, above), above)
                found.append((pieces.level + group.start, pieces.position))
        level, score = joined(found, (int, float))
        level, score = np.unique(np.stack([level, score]), axis=1)
        return Positions(level.astype(np.intp), score)


@dataclass(frozen=True)
class Inside:
    """Points: level by its place in the question, score, weight, whether an event."""

    level: Index = field(metadata={"merge": join})
    score: Float = field(metadata={"merge": join})
    weight: Float = field(metadata={"merge": join})
    event: Bool = field(metadata={"merge": join})


@dataclass(frozen=True)
class Within:
    """Ask for the points in brackets (lo, hi], one a level."""

    levels: Index
    lo: Float
    hi: Float
    of_sample: ClassVar[bool] = False
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Inside:
        """Return those of one partition."""
        found: list[tuple[Index, Float, Float, Bool]] = []
        for group, mass in masses:
            points = np.atleast_2d(mass.points)
            lo, hi = self.lo[group, None], self.hi[group, None]
            level, row = np.nonzero((points > lo) & (points <= hi))
            weight, event = _weights(mass)[0][row], _events(mass)[row]
            found.append((level + group.start, points[level, row], weight, event))
        return Inside(*joined(found, (int, float, float, bool)))


def _first_at_or_above(places: Float, scores: Float) -> Index:
    """Return the first of a few ascending places that each score does not exceed."""
    at = np.zeros(len(scores), dtype=np.intp)
    for place in places:  # as quick as a search where places are few
        at += ~(scores <= place)
    return at


def _weights(mass: LevelMass) -> tuple[Float, Float]:
    """Return the weights of points and of laws."""
    points, laws = mass.weights, mass.law_weights
    if points is None:
        points = np.ones(np.atleast_2d(mass.points).shape[1])
    return points, np.ones(mass.n_law) if laws is None else laws


def _events(mass: LevelMass) -> Bool:
    if mass.events is None:
        return np.ones(np.atleast_2d(mass.points).shape[1], dtype=np.bool_)
    return mass.events
