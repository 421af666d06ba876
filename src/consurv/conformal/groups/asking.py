"""What is asked of subjects with groups, wherever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from consurv._checks import Float, Index
from consurv._labels import Label
from consurv.conformal.groups.differences import counts_by_group
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block, CurveBlock
from consurv.conformal.parts.partitions import BlockQuestion, Partitions
from consurv.conformal.reading.raw_model import rows_of
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = [
    "AskedOfGroup",
    "ComparedGroups",
    "GroupSizes",
    "OfGroup",
    "Sizes",
    "part_of",
]

S = TypeVar("S")


class Sizes(dict[Label, tuple[int, int]]):
    """Numbers of subjects and events by label of their group."""

    @classmethod
    def merged(cls, parts: Sequence[Sizes]) -> Sizes:
        """Return those of all together."""
        whole = cls()
        for part in parts:
            for label, (n, events) in part.items():
                known = whole.get(label, (0, 0))
                whole[label] = known[0] + n, known[1] + events
        return whole


@dataclass(frozen=True)
class GroupSizes:
    """Ask which groups there are, and how large they are.

    Examples
    --------
    >>> y = GroupedOutcome.of_labels(Outcome([1, 2, 3], [1, 0, 1]), ["a", "b", "b"])
    >>> GroupSizes().answer(Block(np.ones((3, 1)), np.array([0.5]), y))
    {'a': (1, 1), 'b': (2, 1)}
    """

    def answer(self, block: Block) -> Sizes:
        """Count those of one block."""
        y = _grouped(block)
        n = len(y.labels)
        sizes = np.bincount(y.group, minlength=n).tolist()
        events = np.bincount(y.group[y.event], minlength=n).tolist()
        found = zip(y.labels, zip(sizes, events, strict=True), strict=True)
        return Sizes({label: counts for label, counts in found if counts[0]})


@dataclass(frozen=True)
class _Compared:
    counts: Float = field(metadata={"merge": sum})


@dataclass(frozen=True)
class ComparedGroups:
    """Ask for events and exposure by group on the pooled adjusted curves.

    Parameters
    ----------
    adjustment : Adjustment
    labels : tuple of G labels
    """

    adjustment: Any
    labels: tuple[Label, ...]

    def answer(self, block: Block) -> _Compared:
        """Return events and exposure (2, G, L) of one block."""
        y = _grouped(block)
        survival = self.adjustment.at_observed(block)
        codes, n = y.codes(self.labels), len(self.labels)
        return _Compared(counts_by_group(survival, y.event, codes, n, y.weights))


@dataclass(frozen=True)
class OfGroup(Generic[S]):
    """Ask the subjects of a group, and those of others as far as they count.

    Parameters
    ----------
    label : label
    weight : float
        Of the subjects of other groups.
    question : BlockQuestion
    """

    label: Label
    weight: float
    question: BlockQuestion[S]

    def answer(self, block: Block) -> S | None:
        """Return the summary of those of one block; None if there is nobody."""
        part = part_of(block, self.label, self.weight)
        return None if part is None else self.question.answer(part)


class AskedOfGroup(Partitions):
    """The subjects of a group where they are, with those of others by weight.

    Parameters
    ----------
    everybody : Partitions
        Elsewhere: those in memory are taken apart instead.
    label : label
    weight : float
        Of the subjects of other groups.
    """

    def __init__(self, everybody: Partitions, label: Label, weight: float) -> None:
        self._everybody, self._label, self._weight = everybody, label, weight
        self.levels, self.n_parts = everybody.levels, everybody.n_parts

    def ask(self, question: BlockQuestion[S]) -> S:
        """Return the summary of the group: one round."""
        found: Any = self._everybody.ask(OfGroup(self._label, self._weight, question))
        summary: S = found
        return summary

    def _referring_to(self, curve: KaplanMeier, member: bool | None) -> AskedOfGroup:
        referred = self._everybody.referring_to(curve, member=member)
        return AskedOfGroup(referred, self._label, self._weight)

    @property
    def has_reference(self) -> bool:
        """Whether all blocks have been given a curve."""
        return self._everybody.has_reference


def part_of(block: Block, label: Label, weight: float) -> Block | None:
    """Return the subjects of a group, and those of others with a weight.

    Parameters
    ----------
    block : Block
        Whose outcomes are grouped.
    label : label
    weight : float
        0 leaves the others out; None is returned if nobody is left.
    """
    own = _grouped(block).codes((label,)) == 0
    if weight:
        y = block.outcome
        weights = y.weights * np.where(own, 1.0, weight)
        return replace(block, outcome=Outcome(y.time, y.event, weights))
    return _take(block, np.flatnonzero(own)) if own.any() else None


def _take(block: Block, rows: Index) -> Block:
    features = block.features
    more: dict[str, Any] = {}
    if isinstance(block, CurveBlock) and block.curves is not None:
        more["curves"] = block.curves[rows]
    return replace(
        block,
        reading=block.reading[rows],
        outcome=block.outcome[rows],
        features=None if features is None else rows_of(features, rows),
        **more,
    )


def _grouped(block: Block) -> GroupedOutcome:
    outcome = block.outcome
    assert isinstance(outcome, GroupedOutcome)
    return outcome
