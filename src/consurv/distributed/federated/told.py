"""Subjects of whom only counts are known, as those who make adjustments see them."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, TypeVar

from consurv._checks import Float
from consurv.conformal.censoring.rules import CensoringRule
from consurv.conformal.parts.partitions import (
    BlockQuestion,
    OutcomeCounts,
    Outcomes,
    Partitions,
)
from consurv.conformal.quantile.found import Shifts
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["Told", "ToldRule"]

S = TypeVar("S")


class Told(Partitions):
    """All that is known of them is known already.

    Parameters
    ----------
    levels : ndarray of shape (P,)
    outcomes : OutcomeCounts
    n_parts : int
        How many sites told of them.
    """

    def __init__(self, levels: Float, outcomes: OutcomeCounts, n_parts: int) -> None:
        self.levels, self.n_parts = levels, n_parts
        self._known = {Outcomes(): outcomes}

    def open(self, questions: Any) -> None:
        """Ask nothing."""

    def ask(self, question: BlockQuestion[S]) -> S:
        """Refuse: nobody can be asked any more."""
        raise NotImplementedError(f"nobody answers {type(question).__name__}")

    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> Self:
        return copy(self)

    @property
    def has_reference(self) -> bool:
        """A curve is made of their outcomes."""
        return True


class ToldRule(CensoringRule):
    """The shifts that were found, wherever and however."""

    anywhere = True

    def __init__(self, found: Shifts) -> None:
        self._found = found

    def shifts(self, blocks: Any) -> Shifts:
        """Return them."""
        return self._found
