"""What a subject contributes to F(s), and the interface of the rules that say it.

N·F(s) is the mass of scores q − T that are at most s. A subject whose time is known
(or replaced by one number) puts mass 1 on one score: a *point*. A censored subject may
instead spread its mass by a *law* of T given T > c. A rule splits the subjects of a
block into the two kinds; the quantile search (``conformal/quantile.py``) needs nothing
else, and because masses of blocks add up, the blocks may live anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = [
    "AnyRule",
    "Block",
    "CensoringRule",
    "Contribution",
    "Law",
    "LawMass",
    "LearningRule",
    "LevelMass",
    "Pieces",
    "Sweep",
    "SweepRule",
]

Rows = NDArray[np.intp]


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


class LawMass(Protocol):
    """What n censored subjects add to the mass at one level: Σ P(T ≥ q − s)."""

    n: int
    last_time: float  # no law reaches further

    def sketch(self, size: int) -> Float:
        """Return scores that resemble the mass, each of weight 1/size."""

    def coarse_mass(self, s: float) -> float:
        """Return a cheap estimate of ``mass``."""

    def mass(self, s: float) -> float:
        """Return the mass at s."""

    def n_pieces(self, lo: float, hi: float) -> int:
        """Return about how many breakpoints ``pieces`` would list."""

    def pieces(self, lo: float, hi: float) -> Pieces:
        """Return the mass on (lo, hi]; breakpoints outside by rounding may be in."""


@dataclass(frozen=True)
class LevelMass:
    """N·F at one level for one block: the scores of points, the mass of laws.

    ``fixed`` is mass that is there whatever the score; ``n_fixed`` subjects are neither
    points nor in the law, and contribute no more than their part of it.
    """

    points: Float
    law: LawMass | None = None
    fixed: float = 0.0
    n_fixed: int = 0

    @property
    def n(self) -> int:
        """Number of subjects."""
        in_law = 0 if self.law is None else self.law.n
        return len(self.points) + in_law + self.n_fixed


class Law(Protocol):
    """The laws of T given T > c of the censored subjects of a block."""

    def at(self, q: Float) -> LawMass:
        """Return the mass for percentile times *q*, one per subject."""

    def select(self, rows: NDArray[np.bool_]) -> Law:
        """Return the laws of some of the subjects."""


@dataclass(frozen=True)
class Contribution:
    """What the subjects of one block contribute: points for some, laws for others.

    Subjects in neither list contribute nothing and are not counted. ``law`` is None
    where no subject has one.
    """

    point_rows: Rows
    point_times: Float
    law_rows: Rows
    law: Law | None

    @classmethod
    def of_points(cls, rows: Rows, times: Float) -> Contribution:
        """Return a contribution without laws."""
        return cls(rows, times, np.empty(0, dtype=np.intp), None)

    @property
    def n_subjects(self) -> int:
        """Number of subjects that contribute."""
        return len(self.point_rows) + len(self.law_rows)


@dataclass(frozen=True)
class Block:
    """Some subjects of the conformal set, as a rule sees them.

    Parameters
    ----------
    percentile_times : ndarray of shape (n, P)
    levels : ndarray of shape (P,)
    outcome : Outcome of n subjects
    reference : KaplanMeier, optional
        The curve that speaks for censored subjects; by default that of the block.
    member : bool
        Whether the subjects belong to the sample of *reference*.
    features : optional
        Rows of X, for rules that look at them.
    """

    percentile_times: Float
    levels: Float
    outcome: Outcome
    reference: KaplanMeier | None = None
    member: bool = False
    features: Any = None

    @cached_property
    def kaplan_meier(self) -> KaplanMeier:
        """The curve to use, estimated on first use."""
        return self.reference or KaplanMeier(self.outcome)

    @property
    def in_sample(self) -> bool:
        """Whether the subjects belong to the sample of ``kaplan_meier``."""
        return self.member or self.reference is None


@runtime_checkable
class CensoringRule(Protocol):
    """How censored subjects enter F."""

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return what each subject of a block contributes."""


@runtime_checkable
class LearningRule(Protocol):
    """A rule that looks at all subjects before it says what each contributes."""

    def learn(self, blocks: Sequence[Block]) -> CensoringRule:
        """Return the rule for these blocks."""


class Sweep(Protocol):
    """A block on its way down the levels, where a level may build on those above."""

    learns: bool  # whether a level depends on those above it
    n_subjects: int  # that count at levels where they are finite

    @property
    def n_infinite(self) -> int:
        """Number of subjects that count and are infinite at some level."""

    def at(self, p: int) -> LevelMass:
        """Return the mass at the p-th level; levels come in falling order."""

    def learn(self, p: int, shift: float) -> None:
        """Take note of the shift of the p-th level before going on."""


@runtime_checkable
class SweepRule(Protocol):
    """A rule by which censored subjects follow curves that the shifts make."""

    def start(self, blocks: Sequence[Block]) -> list[Sweep]:
        """Return a sweep for each block."""


AnyRule = CensoringRule | LearningRule | SweepRule
