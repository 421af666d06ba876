"""Subjects elsewhere, with what each question takes along to them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

from consurv._checks import Float
from consurv.conformal.censoring.laws.lookup import SharedCurve
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import BlockQuestion, Partitions
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Asked", "Letter"]

S = TypeVar("S")


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
