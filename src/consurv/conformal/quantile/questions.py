"""What the quantile search asks partitions of subjects, and what they answer.

A partition answers a question about many levels at once with a small summary of plain
arrays. Summaries of partitions merge into that of all their subjects: counts and units
add up, lists are joined. So partitions may live anywhere, and no two are ever put
together.

``sketch.py`` asks how many subjects count and what F looks like, ``brackets.py`` what
lies in windows of scores and how the mass gets through brackets in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from consurv._checks import Index
from consurv.conformal.quantile.masses import LevelMass, carry

__all__ = [
    "Masses",
    "Partition",
    "Question",
    "add",
    "add_units",
    "ask",
    "ask_all",
    "join",
    "joined",
    "least",
    "merge",
    "merge_fields",
    "most",
]

# For some subjects at a time their mass at some levels, these by their place in a
# question; all together are those of the partition.
Masses = Iterable[tuple[slice, LevelMass]]
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class Question(Protocol[S_co]):
    """Something asked about some levels."""

    # Whether a sample of the subjects is enough, and whether only those count that
    # follow laws.
    of_sample: ClassVar[bool]
    of_laws: ClassVar[bool]

    @property
    def levels(self) -> Index:
        """The levels, as partitions call them."""

    def answer(self, masses: Masses) -> S_co:
        """Return the summary of a partition from the mass of its subjects."""


class Partition(Protocol):
    """Some conformal subjects, wherever they are."""

    def answer(self, question: Question[S]) -> S:
        """Return the summary for them."""


def add(parts: Sequence[Any]) -> Any:
    """Return the sum of arrays of partitions."""
    return np.sum(parts, axis=0)


def add_units(parts: Sequence[Any]) -> Any:
    """Return the sum of masses, as whole and units."""
    return carry(np.sum(parts, axis=0))


def join(parts: Sequence[Any]) -> Any:
    """Return arrays of partitions one after another."""
    return np.concatenate(parts)


def most(parts: Sequence[Any]) -> Any:
    """Return the largest of each."""
    return np.max(parts, axis=0)


def least(parts: Sequence[Any]) -> Any:
    """Return the least of each."""
    return np.min(parts, axis=0)


def merge(summaries: Sequence[S], how: Any = None) -> S:
    """Return the summary of all subjects together, or else as *how* puts them.

    Examples
    --------
    >>> from consurv.conformal.quantile.brackets import Nearby
    >>> part = Nearby(below=np.array([3]), events_below=np.array([1]),
    ...               law=np.array([[0.5]]), level=np.array([0]),
    ...               points=np.array([2.5]), events=np.array([True]))
    >>> merge([part, part]).below, merge([part, part]).points
    (array([6]), array([2.5, 2.5]))
    """
    first: Any = summaries[0]
    if len(summaries) == 1:
        return summaries[0]
    if how is None and hasattr(first, "merged"):  # it knows better
        merged_by_itself: S = type(first).merged(summaries)
        return merged_by_itself
    return merge_fields(summaries, how)


def merge_fields(summaries: Sequence[S], how: Any = None) -> S:
    """Return a summary whose fields are merged each by itself."""
    first: Any = summaries[0]
    columns = {f: [getattr(s, f.name) for s in summaries] for f in fields(first)}
    merged: S = type(first)(
        **{f.name: (how or f.metadata["merge"])(columns[f]) for f in columns}
    )
    return merged


def ask(partitions: Sequence[Partition], question: Question[S]) -> S:
    """Return the answer of all partitions together."""
    return merge([partition.answer(question) for partition in partitions])


def ask_all(partitions: Sequence[Any], questions: Sequence[Question[Any]]) -> list[Any]:
    """Return the answers of all partitions to several questions, in one round.

    A partition that has a long way to go takes all of them at once.
    """
    answers = [
        partition.answer_all(questions)
        if hasattr(partition, "answer_all")
        else [partition.answer(question) for question in questions]
        for partition in partitions
    ]
    return [merge(some) for some in zip(*answers, strict=True)]


def joined(found: Sequence[Any], types: tuple[Any, ...]) -> list[Any]:
    """Return lists one after another, column by column."""
    return [
        np.concatenate([np.empty(0, kind), *(entry[j] for entry in found)])
        for j, kind in enumerate(types)
    ]
