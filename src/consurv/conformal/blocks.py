"""Blocks of conformal subjects, and what they contribute to F.

F is the distribution of the scores, and N·F(s) the mass of those that are at most s. A
subject whose time is known (or replaced by one number) puts mass 1 on one score: a
*point*. A censored subject may instead spread its mass by a *law* of T given T > c. The
quantile search (``conformal/quantile.py``) needs nothing else, and because masses of
blocks add up, the blocks may live anywhere. A *sweep* is a block on its way down the
levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.masses import EVERYONE, Law, LawMass, LevelMass
from consurv.conformal.questions import Masses, Question
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["Block", "Contribution", "Data", "Sweep", "refer"]

S = TypeVar("S")
# Subjects looked at together, so that all that belongs to them stays in the cache.
_PART = 1 << 14
# A sketch is made from about so many subjects of a block.
_SAMPLE = 1 << 17
_NONE = np.empty(0)

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
    def kaplan_meier(self) -> KaplanMeier:
        """The curve to use, estimated on first use."""
        return self.reference or KaplanMeier(self.outcome)

    @property
    def in_sample(self) -> bool:
        """Whether the subjects belong to the sample of ``kaplan_meier``."""
        return self.member or self.reference is None


def refer(
    blocks: Sequence[Block], wanted: str | KaplanMeier, training: Outcome | None
) -> tuple[KaplanMeier, list[Block]]:
    """Give all blocks one Kaplan–Meier curve for their censored subjects.

    Parameters
    ----------
    blocks : sequence of Block
    wanted : {"train", "conformal"} or KaplanMeier
        Whose outcomes it is made of. Nobody is known to belong to the sample of a
        given one.
    training : Outcome or None
        What the model was trained on; without it the curve is that of the blocks.
    """
    if isinstance(wanted, KaplanMeier):
        curve, members = wanted, [False] * len(blocks)
    elif wanted == "train" and training is not None:
        curve, members = KaplanMeier(training), [block.in_training for block in blocks]
    else:
        everyone = Outcome.concatenate([block.outcome for block in blocks])
        curve, members = KaplanMeier(everyone), [True] * len(blocks)
    pairs = zip(blocks, members, strict=True)
    return curve, [replace(b, reference=curve, member=m) for b, m in pairs]


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
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""
        rows = np.concatenate([self.point_rows, self.law_rows])
        return int(np.isinf(self.block.percentile_times[rows]).any(axis=1).sum())

    def answer(self, question: Question[S]) -> S:
        """Return the summary that a question asks for."""
        if not question.of_sample:
            return question.answer(self._masses(question.levels, question.of_laws))
        every = max(-(-self.n_subjects // _SAMPLE), 1)
        sample: Any = question.answer([self._sample(question.levels, every)])
        if every > 1:
            counts = [self._n_finite(rows, question.levels) for rows in self._lists]
            sample = sample.standing_for(*counts)
        outline: S = sample
        return outline

    @property
    def _lists(self) -> tuple[Index, Index]:
        return self.point_rows, self.law_rows

    def _n_finite(self, rows: Index, levels: Index) -> Index:
        q = self.block.percentile_times
        if self._finite:
            return np.full(len(levels), len(rows))
        counts = [np.count_nonzero(q[rows, p] < np.inf) for p in levels.tolist()]
        return np.array(counts)

    @cached_property
    def _finite(self) -> bool:
        q = self.block.percentile_times
        return not q.size or bool(q.max() < np.inf)

    def _sample(self, levels: Index, every: int) -> list[tuple[int, LevelMass]]:
        """Return one mass for each level, of some of the subjects."""
        some = slice(None, None, every)
        law = None if self.law is None else self.law.select(some)
        points, censored = self.point_rows[some], self.law_rows[some]
        point_q, law_q = self._columns(points, levels), self._columns(censored, levels)
        masses = []
        for i in range(len(levels)):
            mass = self._points(point_q[i], points, self.point_times[some])
            if law is not None:
                mass = replace(mass, law=self._law(law, law_q[i], EVERYONE))
            masses.append((i, mass))
        return masses

    def _masses(self, levels: Index, of_laws: bool) -> Masses:
        """Yield the mass at every level of a few subjects at a time.

        What belongs to them stays in the cache from level to level. Points are left
        out where only laws are asked for.
        """
        for part in _parts(0 if of_laws else len(self.point_rows)):
            rows, times = self.point_rows[part], self.point_times[part]
            columns = self._columns(rows, levels)
            yield [(i, self._points(q, rows, times)) for i, q in enumerate(columns)]
        law = self.law
        if law is None:
            return
        for part in _parts(len(self.law_rows)):
            columns = self._columns(self.law_rows[part], levels)
            masses = (self._law(law, q, part) for q in columns)
            yield [(i, LevelMass(_NONE, mass)) for i, mass in enumerate(masses)]

    def _columns(self, rows: Index, levels: Index) -> Float:
        """Return percentile times, one row for each level."""
        q = self.block.percentile_times.take(rows, axis=0)
        return np.ascontiguousarray(q.T[levels])

    def _points(self, q: Float, rows: Index, times: Float) -> LevelMass:
        """Return the mass of points; infinite rows do not count."""
        events = self.block.outcome.event[rows]
        if not self._finite:
            finite = q < np.inf
            q, times, events = q[finite], times[finite], events[finite]
        scores = -times / q if self.block.proportional else q - times
        return LevelMass(scores, events=None if events.all() else events)

    def _law(self, law: Law, q: Float, rows: slice) -> LawMass:
        """Return the mass of laws; infinite rows do not count."""
        if self._finite or q.max(initial=0.0) < np.inf:
            return law.at(*self.block.line(q), rows)
        finite = np.flatnonzero(q < np.inf)
        return law.at(*self.block.line(q[finite]), finite + (rows.start or 0))


def _parts(n: int) -> list[slice]:
    return [slice(i, min(i + _PART, n)) for i in range(0, n, _PART)]
