"""Subjects elsewhere, with what each question takes along to them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

from consurv._checks import Float
from consurv._warnings import warn
from consurv.conformal.censoring.laws.lookup import SharedCurve
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import (
    BlockQuestion,
    OutcomeCounts,
    Partitions,
)
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Asked", "Letter"]

S = TypeVar("S")
# Of so many different times the driver should not hold more without being told.
_MANY_TIMES = 10**6
# What it holds of each while it works, about.
_BYTES = 30


@dataclass(frozen=True)
class Letter(Generic[S]):
    """A question on its way, with the curve that speaks for the censored."""

    question: BlockQuestion[S]
    reference: KaplanMeier | None
    member: bool

    def answer(self, block: Block) -> S:
        """Return the summary of a block."""
        told = replace(block, reference=self.reference, member=self.member)
        return self.question.answer(told)


@dataclass
class _Count:
    rounds: int = 0
    warned: bool = False


@dataclass
class Asked(Partitions):
    """Subjects whom an engine asks.

    Attributes
    ----------
    levels : ndarray of shape (P,)
    rounds : int
        How often they were asked.
    """

    levels: Float
    _reference: KaplanMeier | None = field(default=None, init=False)
    _member: bool = field(default=False, init=False)
    _count: _Count = field(default_factory=_Count, init=False)

    @abstractmethod
    def _send(self, letter: Letter[S]) -> S:
        """Return the merged answers of all blocks."""

    @property
    def rounds(self) -> int:
        """How often they were asked, whatever curve they were given meanwhile."""
        return self._count.rounds

    @property
    def outcomes(self) -> OutcomeCounts:
        """Numbers of subjects and events by time."""
        counts = super().outcomes
        n = len(counts.times)
        if n > _MANY_TIMES and not self._count.warned:
            self._count.warned = True
            warn(
                f"X has {n:,} different observed times, which take about "
                f"{n * _BYTES / 1e6:,.0f} MB of memory here; "
                "conformalize(..., resolution=) moves them up to multiples of a number "
                "of yours, such as 1 for whole days, and holds less",
                UserWarning,
            )
        return counts

    def ask(self, question: BlockQuestion[S]) -> S:
        """Return the summary of all subjects: one round."""
        self._count.rounds += 1
        return self._send(Letter(question, self._reference, self._member))

    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> Self:
        referred: Any = object.__new__(type(self))
        referred.__dict__.update(self.__dict__)
        # The model was not trained on them: who is None belongs to no sample.
        referred._reference, referred._member = SharedCurve.of(curve), bool(member)
        found: Self = referred
        return found

    @property
    def has_reference(self) -> bool:
        """Whether all blocks have been given a curve."""
        return self._reference is not None
