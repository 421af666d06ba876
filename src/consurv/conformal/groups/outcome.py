"""Outcomes that know which group each subject belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from consurv._checks import Index
from consurv._labels import Label, Labels, codes_of
from consurv.outcome import Outcome

__all__ = ["GroupedOutcome"]


class GroupedOutcome(Outcome):
    """Outcomes with the number of each subject's group.

    Splits, folds and workers take rows of outcomes, so the groups go where the subjects
    go. Parts that nobody has seen together number their groups each in its own way:
    ``labels`` are those that the numbers count.

    Examples
    --------
    >>> y = GroupedOutcome.of_labels(Outcome([1, 2, 3], [1, 0, 1]), ["a", "b", "b"])
    >>> y[1:].group, y[1:].labels
    (array([1, 1]), ('a', 'b'))
    """

    __slots__ = ("group", "labels")

    group: Index
    labels: tuple[Label, ...]

    @classmethod
    def of_groups(
        cls, outcome: Outcome, group: Index, labels: Sequence[Label]
    ) -> GroupedOutcome:
        """Return the same outcomes with the numbers of their groups."""
        grouped = object.__new__(cls)
        for name in Outcome.__slots__:
            object.__setattr__(grouped, name, getattr(outcome, name))
        object.__setattr__(grouped, "group", group)
        object.__setattr__(grouped, "labels", tuple(labels))
        return grouped

    @classmethod
    def of_labels(
        cls, outcome: Outcome, labels: Labels | Sequence[Label]
    ) -> GroupedOutcome:
        """Return the same outcomes with groups by their labels, one for each."""
        codes, known = pd.factorize(np.asarray(labels, dtype=object))
        return cls.of_groups(outcome, codes, known.tolist())

    @classmethod
    def concatenate(cls, parts: Sequence[Any]) -> GroupedOutcome:
        """Return the subjects of all parts, their groups numbered in one way."""
        known = tuple(dict.fromkeys(label for part in parts for label in part.labels))
        codes = np.concatenate([part.codes(known) for part in parts])
        return cls.of_groups(Outcome.concatenate(parts), codes, known)

    def codes(self, known: Sequence[Label]) -> Index:
        """Return the place of each subject's group among those known, −1 for none."""
        own: Labels = np.array(self.labels, dtype=object)
        return codes_of(own, known)[self.group]

    def __getitem__(self, rows: Any) -> GroupedOutcome:
        part = super().__getitem__(rows)
        some = rows[0] if isinstance(rows, tuple) else rows
        group = np.atleast_1d(self.group[some])
        return GroupedOutcome.of_groups(part, group, self.labels)

    def __reduce__(self) -> tuple[Any, ...]:
        make, values = super().__reduce__()
        return GroupedOutcome.of_groups, (make(*values), self.group, self.labels)
