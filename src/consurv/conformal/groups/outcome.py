"""Outcomes that know which group each subject belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.outcome import Outcome

__all__ = ["GroupedOutcome"]


class GroupedOutcome(Outcome):
    """Outcomes with the number of each subject's group.

    Splits, folds and workers take rows of outcomes, so the groups go where the subjects
    go.

    Examples
    --------
    >>> y = GroupedOutcome.of_groups(Outcome([1, 2, 3], [1, 0, 1]), np.array([0, 1, 1]))
    >>> y[1:].group
    array([1, 1])
    """

    __slots__ = ("group",)

    group: Index

    @classmethod
    def of_groups(cls, outcome: Outcome, group: Index) -> GroupedOutcome:
        """Return the same outcomes with the numbers of their groups."""
        grouped = object.__new__(cls)
        for name in Outcome.__slots__:
            object.__setattr__(grouped, name, getattr(outcome, name))
        object.__setattr__(grouped, "group", group)
        return grouped

    def __getitem__(self, rows: Any) -> GroupedOutcome:
        part = super().__getitem__(rows)
        some = rows[0] if isinstance(rows, tuple) else rows
        return GroupedOutcome.of_groups(part, np.atleast_1d(self.group[some]))

    def __reduce__(self) -> tuple[Any, ...]:
        make, values = super().__reduce__()
        return GroupedOutcome.of_groups, (make(*values), self.group)
