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
from typing import Any, Protocol

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = [
    "Block",
    "Contribution",
    "Data",
    "Law",
    "LawMass",
    "LevelMass",
    "Pieces",
    "State",
    "Sweep",
    "refer",
]

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


@dataclass(frozen=True)
class Pieces:
    """The mass on an interval (lo, hi] as a step and piecewise-linear function.

    ``base`` and ``base_slope`` hold at lo; at ``position[i]`` the mass jumps by
    ``jump[i]`` and its slope changes by ``slope[i]``. Positions come in no order.
    """

    base: float
    base_slope: float
    position: Float
    jump: Float
    slope: Float


class State(Protocol):
    """What a law found out at one score; the search hands it back for the pieces."""

    s: float
    mass: float


class LawMass(Protocol):
    """What n censored subjects add to the mass at one level: Σ P(T ≥ offset − s·rate).

    Offset and rate are those of ``Block.line``.
    """

    n: int
    last_time: float  # no law reaches further; 0 where scores have no unit of time
    most_pieces: int  # how many breakpoints there are in all

    def sketch(self, size: int) -> Float:
        """Return scores that resemble the mass, each of weight 1/size."""

    def coarse_mass(self, s: float) -> float:
        """Return a cheap estimate of the mass."""

    def at(self, s: float, above: Any) -> Any:
        """Return the State at s; *above* is a known one at a larger score, or None."""

    def n_pieces(self, lo: Any, hi: Any) -> int:
        """Return about how many breakpoints ``pieces`` would list."""

    def pieces(self, lo: Any, hi: Any) -> Pieces:
        """Return the mass between two states; some breakpoints may lie outside."""


@dataclass(frozen=True)
class LevelMass:
    """N·F at one level for one block: the scores of points, the mass of laws.

    ``fixed`` is mass that is there whatever the score; ``n_fixed`` subjects are neither
    points nor in the law, and contribute no more than their part of it. ``events`` are
    the scores of observed events, where the points are more than those.
    """

    points: Float
    law: LawMass | None = None
    fixed: float = 0.0
    n_fixed: int = 0
    events: Float | None = None

    @property
    def n(self) -> int:
        """Number of subjects."""
        in_law = 0 if self.law is None else self.law.n
        return len(self.points) + in_law + self.n_fixed

    def events_until(self, s: float) -> int:
        """Return how many observed events have scores of at most *s*."""
        events = self.points if self.events is None else self.events
        return int(np.count_nonzero(events <= s))


class Law(Protocol):
    """The laws of T given T > c of the censored subjects of a block."""

    def at(self, offset: Float, rate: Float) -> LawMass:
        """Return the mass for scores on these lines, one per subject."""

    def select(self, rows: Bool) -> Law:
        """Return the laws of some of the subjects."""


class Sweep(Protocol):
    """A block on its way down the levels, where a level may build on those above."""

    learns: bool  # whether a level depends on those above it

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
    are not counted. ``law`` is None where no subject has one.
    """

    learns = False
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

    def at(self, p: int) -> LevelMass:
        """Return the mass at the p-th level; infinite rows do not count."""
        q = np.ascontiguousarray(self.block.percentile_times[:, p])
        offset, rate = self.block.line(q)
        rows, times, law_rows, law = (
            self.point_rows,
            self.point_times,
            self.law_rows,
            self.law,
        )
        if q.size and q.max() == np.inf:
            finite = q[rows] < np.inf
            rows, times = rows[finite], times[finite]
            finite = q[law_rows] < np.inf
            law_rows = law_rows[finite]
            law = law if law is None or finite.all() else law.select(finite)
        points = (offset[rows] - times) / rate[rows]
        events = points[self.block.outcome.event[rows]]
        if law is None:
            return LevelMass(points, events=events)
        at_level = law.at(offset[law_rows], rate[law_rows])
        return LevelMass(points, at_level, events=events)

    def learn(self, p: int, shift: float) -> None:
        """Do nothing."""
