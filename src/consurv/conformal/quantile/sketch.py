"""What F looks like from afar: counts, and quantiles that resemble it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import UNIT, LevelMass
from consurv.conformal.quantile.questions import (
    Masses,
    add,
    add_units,
    join,
    least,
    merge,
    merge_fields,
    most,
)

__all__ = ["FEW_POINTS", "QUANTILES", "Outline", "Sketch", "quantiles_of"]

# Up to so many points are listed at once, where there are no laws.
FEW_POINTS = 1 << 15
# Quantiles of one partition at one level.
QUANTILES = 1 << 10
# A sketch has one score per subject, and more only up to so many in all.
_FEW_SCORES = 1 << 12


def _beside(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True)
class Outline:
    """How many subjects count at each of L levels, and what their scores look like.

    Attributes
    ----------
    n_points, n_law, n_fixed : ndarray of int of shape (L,)
        Subjects by what they contribute.
    most_pieces, last_time : ndarray of shape (L,)
        Breakpoints of the laws, and how far they reach.
    straight : ndarray of bool of shape (L,)
        Whether they do more than jump.
    fixed, reach : ndarray of int of shape (L, 2)
        Mass that is there whatever the score, and what laws come to at last.
    scores, weights : ndarray of shape (L, Q)
        Quantiles, and how many subjects each stands for.
    events : ndarray of bool of shape (L, Q)
        Which of them are events, where they are listed.
    variance, between : ndarray of shape (L,)
        Of the mass that they show, and of what lies between two of them.
    listed : ndarray of bool of shape (L,)
        Whether they are all scores that there are; those of weight 0 are none.
    """

    n_points: Index = field(metadata={"merge": add})
    n_law: Index = field(metadata={"merge": add})
    n_fixed: Index = field(metadata={"merge": add})
    most_pieces: Float = field(metadata={"merge": add})
    last_time: Float = field(metadata={"merge": most})
    straight: Bool = field(metadata={"merge": most})
    fixed: Index = field(metadata={"merge": add_units})
    reach: Index = field(metadata={"merge": add_units})
    scores: Float = field(metadata={"merge": _beside})
    weights: Float = field(metadata={"merge": _beside})
    events: Bool = field(metadata={"merge": _beside})
    variance: Float = field(metadata={"merge": add})
    between: Float = field(metadata={"merge": add})
    listed: Bool = field(metadata={"merge": least})

    @property
    def n(self) -> Index:
        """Number of subjects."""
        return self.n_points + self.n_law + self.n_fixed

    @classmethod
    def merged(cls, parts: Sequence[Outline]) -> Outline:
        """Return the outline of all together, thinned where it has become long."""
        whole = merge_fields(parts)
        size = quantiles_of(int(whole.n.max(initial=0)))
        listed = whole.listed & (whole.n > 0)  # where nobody counts all are listed
        # A few more are not worth the trouble.
        if whole.scores.shape[1] <= 1.5 * size or listed.any():
            return whole
        return whole._thinned(size)

    def _thinned(self, size: int) -> Outline:
        """Return it with so many quantiles of the same weight."""
        scores, weight = np.empty((len(self.scores), size)), self.weights.sum(axis=1)
        for i, own in enumerate(self.scores):
            order = np.argsort(own)
            ranks = np.cumsum(self.weights[i][order])
            places = (np.arange(size) + 0.5) * (ranks[-1] / size)
            scores[i] = own[order[np.searchsorted(ranks, places)]]
        weight /= size
        return replace(
            self,
            scores=scores,
            weights=np.broadcast_to(weight[:, None], scores.shape),
            events=np.zeros(scores.shape, np.bool_),
            between=self.between + weight**2 / 4,
        )

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
            between=share**2 * self.between,
            listed=np.zeros_like(self.listed),
        )


@dataclass(frozen=True)
class Sketch:
    """Ask for the outline of F.

    A partition lists up to ``few`` points where it has no laws, and otherwise gives
    ``size`` quantiles of a level. One of ``many`` that may be alike begins at a place
    of its own: the same place in all of them would be off by the same in all.
    """

    levels: Index
    few: int = FEW_POINTS
    size: int = QUANTILES
    many: bool = False
    of_sample: ClassVar[bool] = True
    of_laws: ClassVar[bool] = False

    def answer(self, masses: Masses) -> Outline:
        """Return the outline of one partition, whose levels come with all subjects."""
        parts = [_outline(mass, self) for _, mass in masses]
        width = max(part.scores.shape[1] for part in parts)
        return merge([_padded(part, width) for part in parts], join)


def _outline(mass: LevelMass, asked: Sketch) -> Outline:
    law, points, quantiles = mass.law, np.atleast_2d(mass.points), asked.size
    size, n_law = len(points), mass.n_law
    n = total = points.shape[1] + n_law
    listed = not n_law and n <= asked.few
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
        phase = _own_phase(scores) if asked.many else 0.5
        places = (np.arange(quantiles) + phase) * (scores.shape[1] / quantiles)
        scores = scores[:, places.astype(np.intp)]
    reach = np.array([[n_law, 0]])
    if law is not None and mass.fixed:
        reach = law.at(np.full(size, np.inf), None).units
    fixed = divmod(round(mass.fixed / UNIT), round(1 / UNIT))
    weight = total / max(scores.shape[1], 1)
    return Outline(
        np.full(size, points.shape[1]),
        np.full(size, n_law),
        np.full(size, mass.n_fixed),
        np.full(size, float(law.most_pieces) if law is not None else 0.0),
        np.full(size, law.last_time if law is not None else 0.0),
        np.full(size, law is not None and law.straight),
        np.tile(fixed, (size, 1)),
        np.tile(reach, (size // len(reach), 1)),
        scores,
        np.broadcast_to(weight, scores.shape),
        np.broadcast_to(events, scores.shape),
        # One draw in each of so many strata: the error of a subject's mass is uniform
        # within a stratum.
        np.full(size, n_law / 12 / draws**2),
        # Up to a place there is one quantile more or less.
        np.full(size, 0.0 if listed else weight**2 / 4),
        np.full(size, listed),
    )


def _own_phase(scores: Float) -> float:
    """Return a number in [0, 1) that differs from part to part.

    The unit of time has no say in it, if it is a power of two.
    """
    return crc32(np.frexp(scores)[0].tobytes()) / 2**32


def quantiles_of(n: int) -> int:
    """Return how many quantiles make a good sketch of n subjects, all told.

    A sketch of m quantiles leaves windows of some n/m points: this many of either.

    Examples
    --------
    >>> quantiles_of(10**6), quantiles_of(10**9)
    (4096, 126491)
    """
    return int(max(1 << 12, 4 * n**0.5))


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
