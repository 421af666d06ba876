"""Blocks of conformal subjects, and what they contribute to F.

F is the distribution of the scores, and N·F(s) the mass of those that are at most s. A
subject whose time is known (or replaced by one number) puts mass 1 on one score: a
*point*. A censored subject may instead spread its mass by a *law* of T given T > c. The
quantile search (``quantile/search.py``) needs nothing else, and because masses of
blocks add up, the blocks may live anywhere. A *sweep* is a block on its way down the
levels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import Law, LawMass, LevelMass
from consurv.conformal.quantile.questions import Masses, Question
from consurv.conformal.quantile.sketch import FEW_POINTS
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["Block", "Contribution", "CurveBlock", "Data", "Sweep"]

S = TypeVar("S")
# Subjects looked at together, so that all that belongs to them stays in the cache.
_PART = 1 << 15
# A sketch is made from about so many subjects of a block, or, without laws, from this
# share of them, and at least so many.
_SAMPLE = 1 << 14
_SHARE, _LEAST = 1 << 4, 1 << 12
# Scores of a sketch made together.
_TOGETHER = 1 << 18
# Rows whose percentile times are turned over together; of fewer levels each is
# gathered by itself.
_TURNED, _FEW_LEVELS = 1 << 9, 4

Data = tuple[Any, Outcome]


@dataclass(frozen=True)
class Block:
    """Subjects with what was read off their raw curves, and what was observed.

    Parameters
    ----------
    reading : ndarray of n rows
        What the kind of adjustment reads: percentile times (n, P), or else.
    levels : ndarray of shape (P,)
    outcome : Outcome of n subjects
    reference : KaplanMeier, optional
        The curve that speaks for censored subjects; by default that of the block.
    member : bool
        Whether the subjects belong to the sample of *reference*.
    features : optional
        Rows of X, for rules that look at them.
    in_training : bool
        Whether the model was trained on them.
    proportional : bool
        Whether scores are −t/q, which all subjects share as a factor of time, and not
        q − t, which they share as a shift.
    imputer : optional
        A fitted model that the censored ones follow, where it is not the same for all
        blocks: under cross-fitting it never saw them.
    """

    reading: Float
    levels: Float
    outcome: Outcome
    reference: KaplanMeier | None = None
    member: bool = False
    features: Any = None
    in_training: bool = False
    proportional: bool = False
    imputer: Any = None

    @property
    def percentile_times(self) -> Float:
        """The reading, for rules to which it is percentile times (n, P)."""
        return self.reading

    def line(self, q: Float) -> tuple[Float, Float]:
        """Return (offset, rate) of percentile times: the score of t is their line.

        The score is s = (offset − t)/rate, and the time with score s is
        offset − s·rate. For −t/q this is linear in t, where a difference of logarithms,
        which has the same order, would bend; and a change of the unit of time changes
        no bit.
        """
        none = np.broadcast_to(0.0 if self.proportional else 1.0, q.shape)
        return (none, q) if self.proportional else (q, none)

    @cached_property
    def finite(self) -> bool:
        """Whether all percentile times are, so that everybody counts at every level."""
        return not self.reading.size or bool(self.reading.max() < np.inf)

    @cached_property
    def kaplan_meier(self) -> KaplanMeier:
        """The curve to use, estimated on first use."""
        return self.reference or KaplanMeier(self.outcome)

    @property
    def in_sample(self) -> bool:
        """Whether the subjects belong to the sample of ``kaplan_meier``."""
        return self.member or self.reference is None


@dataclass(frozen=True)
class CurveBlock(Block):
    """Subjects with the whole of their raw curves beside the reading."""

    curves: SurvivalCurves | None = None


class Sweep(Protocol):
    """A block on its way down the levels, where a level builds on those above."""

    @property
    def n_subjects(self) -> int:
        """Number of subjects that count at levels where they are finite."""

    @property
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""

    def at(self, p: int) -> LevelMass:
        """Return the mass at the p-th level; levels come in falling order."""

    def learn(self, p: int, shift: float) -> None:
        """Take note of the shift of the p-th level before going on."""


@dataclass(frozen=True)
class Contribution:
    """What the subjects of one block contribute, whatever the shifts of other levels.

    Points for some, laws for others; subjects in neither list contribute nothing and
    are not counted. ``law`` is None where no subject has one. It is a ``Partition``.
    """

    block: Block
    point_rows: Index
    point_times: Float
    law_rows: Index
    law: Law | None

    @classmethod
    def of_points(cls, block: Block, rows: Index, times: Float) -> Contribution:
        """Return a contribution without laws."""
        return cls(block, rows, times, np.empty(0, dtype=np.intp), None)

    @property
    def n_subjects(self) -> int:
        """Number of subjects that contribute."""
        return len(self.point_rows) + len(self.law_rows)

    @property
    def weighted(self) -> bool:
        """Whether subjects do not all count 1."""
        return self.block.outcome.weight is not None

    @property
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""
        if self.block.finite:
            return 0
        rows = np.concatenate([self.point_rows, self.law_rows])
        return int(np.isinf(self.block.percentile_times[rows]).any(axis=1).sum())

    def answer(self, question: Question[S]) -> S:
        """Return the summary that a question asks for."""
        if not question.of_sample:
            return question.answer(self._masses(question.levels, question.of_laws))
        # Points are listed in the next round; with laws a narrow window saves one.
        wanted = _sample_of(self.n_subjects, len(self.law_rows))
        every = max(-(-self.n_subjects // wanted), 1)
        some = slice(None, None, every)
        law = None if self.law is None else self.law.select(some)
        sample = replace(
            self,
            point_rows=self.point_rows[some],
            point_times=self.point_times[some],
            law_rows=self.law_rows[some],
            law=law,
        )
        outline: Any = question.answer(sample._everyone(question.levels))
        if every > 1:
            lists = self.point_rows, self.law_rows
            counts = [self._n_finite(rows, question.levels) for rows in lists]
            outline = outline.standing_for(*counts)
        answer: S = outline
        return answer

    def _n_finite(self, rows: Index, levels: Index) -> Index:
        q = self.block.percentile_times
        if self.block.finite:
            return np.full(len(levels), len(rows))
        counts = [np.count_nonzero(q[rows, p] < np.inf) for p in levels.tolist()]
        return np.array(counts)

    def _everyone(self, levels: Index) -> Masses:
        """Return the mass of all subjects together at some levels at a time."""
        points, laws = slice(0, len(self.point_rows)), slice(0, len(self.law_rows))
        return self._part(points, laws, levels, _TOGETHER)

    def _masses(self, levels: Index, of_laws: bool) -> Masses:
        """Yield the mass of a few subjects at some levels at a time.

        What belongs to them stays in the cache from level to level. Points are left
        out where only laws are asked for.
        """
        none = slice(0, 0)
        for part in _parts(0 if of_laws else len(self.point_rows)):
            yield from self._part(part, none, levels)
        for part in _parts(len(self.law_rows)):
            yield from self._part(none, part, levels)

    def _part(
        self, points: slice, laws: slice, levels: Index, room: int = _PART
    ) -> Masses:
        """Yield the mass of some subjects: many levels at once if they are few."""
        point_q = self._turned(self.point_rows[points], levels)
        law_q = self._turned(self.law_rows[laws], levels)
        size, law = point_q.shape[1] + law_q.shape[1], self.law if law_q.size else None
        alone = not self.block.finite or (law is not None and not law.many_levels)
        step = 1 if alone else max(room // max(size, 1), 1)
        for first in range(0, len(levels), step):
            group = slice(first, first + step)
            mass = self._points(point_q[group], points)
            if law is not None:
                mass = replace(
                    mass,
                    law=self._law(law, law_q[group], laws),
                    law_weights=self._law_weights(law_q[group], laws),
                )
            yield group, mass

    def _turned(self, rows: Index, levels: Index) -> Float:
        """Return percentile times, one row for each level."""
        q = self.block.percentile_times
        turned = np.empty((len(levels), len(rows)))
        if len(levels) < _FEW_LEVELS or not q.flags.c_contiguous:
            # Not by take, which would first copy what is not contiguous, each time.
            for own, p in zip(turned, levels.tolist(), strict=True):
                own[:] = q[rows, p]
            return turned
        every = np.array_equal(levels, np.arange(q.shape[1]))
        for part in _parts(len(rows), _TURNED):  # within the cache
            whole = q.take(rows[part], axis=0)
            turned[:, part] = (whole if every else whole[:, levels]).T
        return turned

    def _points(self, q: Float, part: slice) -> LevelMass:
        """Return the mass of points, made of q; infinite rows do not count."""
        times, events = self.point_times[part], self._events[part]
        if not self.block.finite:
            finite = q[0] < np.inf
            q, times, events = q[:, finite], times[finite], events[finite]
        if self.block.proportional:
            scores = np.divide(-times, q, out=q)
        else:
            scores = np.subtract(q, times, out=q)
        mass = LevelMass(scores, events=None if self._all_events else events)
        if not self.weighted:
            return mass
        weights = self._weights[0][part]
        weights = weights if self.block.finite else weights[finite]
        return replace(mass, weights=weights)

    @cached_property
    def _events(self) -> Bool:
        return self.block.outcome.event[self.point_rows]

    @cached_property
    def _weights(self) -> tuple[Float, Float]:
        """What points and those in laws weigh."""
        weights = self.block.outcome.weights
        return weights[self.point_rows], weights[self.law_rows]

    @cached_property
    def _all_events(self) -> bool:
        return bool(self._events.all())

    def _law_weights(self, q: Float, part: slice) -> Float | None:
        """Return the weights of those in laws; infinite rows do not count."""
        if not self.weighted:
            return None
        weights = self._weights[1][part]
        return weights if self.block.finite else weights[q[0] < np.inf]

    def _law(self, law: Law, q: Float, rows: slice) -> LawMass:
        """Return the mass of laws; infinite rows do not count."""
        if self.block.finite or q.max(initial=0.0) < np.inf:
            return law.at(*self.block.line(q), rows)
        finite = np.flatnonzero(q[0] < np.inf)
        return law.at(*self.block.line(q[:, finite]), finite + rows.start)


def _sample_of(n: int, n_law: int) -> int:
    """Return how many of n subjects a sketch is made from."""
    if n_law:
        return _SAMPLE
    if n <= FEW_POINTS:  # all are listed
        return FEW_POINTS
    return min(max(n // _SHARE, _LEAST), FEW_POINTS)


def _parts(n: int, size: int = _PART) -> list[slice]:
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
