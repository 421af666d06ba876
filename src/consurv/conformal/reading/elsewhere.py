"""Subjects in memory or elsewhere, and what is done to their rows where they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from consurv._checks import Float
from consurv._frames import frame_of
from consurv._labels import as_labels
from consurv._progress import listening
from consurv.adapters.adapter import n_rows
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Block, Data
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.reading.columns import (
    OutcomeColumns,
    check_there,
    given_data,
    is_name,
    on_multiples,
)
from consurv.conformal.reading.inputs import check_enough
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["BlockReader", "Columns", "Subjects", "given_subjects", "new_columns"]

# Progress within a part is of no interest.
_nobody: Callable[[int, int], None] = lambda done, total: None  # noqa: E731
Read = Callable[[Data], Block]


@dataclass(frozen=True)
class BlockReader:
    """Make blocks of tables with some of the rows; it is pickled on its way to them.

    Parameters
    ----------
    columns : OutcomeColumns
    levels : ndarray of shape (P,)
    read : callable
        From features and outcomes to a block.
    group : str, optional
        The column of groups, which may be a feature, too.
    """

    columns: OutcomeColumns
    levels: Float
    read: Read
    group: str | None = None

    @property
    def names(self) -> list[Any]:
        """The columns that are needed."""
        names = [*(self.columns.features or ()), *self.columns.names]
        names += [] if self.group is None else [self.group]
        return list(dict.fromkeys(names))

    def __call__(self, table: pd.DataFrame) -> Block | None:
        """Return the subjects of a table without their features; None if none."""
        if self.columns.weight in table:  # a part may weigh nothing at all
            table = table[table[self.columns.weight] != 0]
        if not n_rows(table):
            return None
        X, outcome = self.columns.read(table)
        if self.group is not None:
            labels = as_labels(table[self.group], name=f"column {self.group!r}")
            outcome = GroupedOutcome.of_labels(outcome, labels)
        with listening(_nobody):
            block = self.read((X, outcome))
        # What was read off the curves is all that anybody asks for.
        return replace(block, features=None)


@dataclass(frozen=True)
class Columns:
    """Numbers that are predicted for rows, as columns with names.

    Parameters
    ----------
    names : list of str
    features : list of names
    predict : callable
        From features to an array with a column for each name.
    """

    names: list[str]
    features: list[Any]
    predict: Callable[[Any], Float]

    def __call__(self, table: pd.DataFrame) -> Float:
        """Return the numbers (n, k) of the rows of a table."""
        if not n_rows(table):
            return np.empty((0, len(self.names)))
        with listening(_nobody):
            return self.predict(table[self.features])


class Subjects(Protocol):
    """Conformal subjects, wherever they are.

    Attributes
    ----------
    features : table
        Whose columns are those of the features; perhaps without rows.
    """

    @property
    def features(self) -> Any:
        """The columns to predict from."""

    def blocks(self, read: Read, levels: Float, *, verbose: bool) -> Any:
        """Give them, as a context, with what is read off their raw curves."""


@dataclass(frozen=True)
class _Here:
    data: Data

    @property
    def features(self) -> Any:
        return self.data[0]

    @contextmanager
    def blocks(
        self, read: Read, levels: Float, *, verbose: bool
    ) -> Iterator[list[Block]]:
        yield [read(self.data)]


@dataclass(frozen=True)
class _There:
    frame: Any
    columns: OutcomeColumns
    group: str | None

    @property
    def features(self) -> Any:
        return pd.DataFrame(columns=list(self.columns.features or ()), dtype=float)

    @contextmanager
    def blocks(
        self, read: Read, levels: Float, *, verbose: bool
    ) -> Iterator[Partitions]:
        reader = BlockReader(self.columns, levels, read, self.group)
        with self.frame.subjects(reader, verbose=verbose) as subjects:
            yield subjects


def given_subjects(
    X: Any,
    y: Any,
    time: Any,
    event: Any,
    features: Sequence[Hashable] | None,
    resolution: float | None = None,
    sample_weight: Any = None,
    mark: Callable[[Outcome], Outcome] | None = None,
    group: str | None = None,
) -> Subjects:
    """Return the subjects of a table in memory or elsewhere.

    Parameters
    ----------
    X : table
    y : outcomes in any form, or None
    time, event : names of columns, or None
    features : sequence of names, optional
        Of the columns that the model was trained on, if it knows.
    resolution : float, optional
        Times are moved up to multiples of it.
    sample_weight : array-like of shape (n,), or the name of a column, or None
    mark : callable, optional
        Gives outcomes in memory something to know, such as groups.
    group : str, optional
        The column of groups where rows are not in memory.
    """
    frame = frame_of(X)
    if frame is None:
        table, outcome = given_data(X, y, time, event, features, sample_weight)
        check_enough(outcome)
        outcome = on_multiples(outcome, resolution)
        return _Here((table, outcome if mark is None else mark(outcome)))
    if y is not None or (time is None and event is None):
        raise InvalidInput(
            f"X is a {type(X).__name__} whose rows are not in memory: its outcomes "
            "are two of its columns; give time= and event=, their names, and no y"
        )
    if not (sample_weight is None or is_name(sample_weight)):
        raise InvalidInput(
            f"X is a {type(X).__name__} whose rows are not in memory: its weights are "
            "one of its columns; give its name as sample_weight"
        )
    columns = OutcomeColumns(time, event, features, resolution, sample_weight)
    return _There(frame, columns.among(frame.names), group)


def new_columns(X: Any, columns: Callable[[], Columns], groups: Any = None) -> Any:
    """Return a table that is elsewhere with more columns, lazily; None if X is here.

    Parameters
    ----------
    X : table
    columns : callable
        Gives what is to be predicted.
    groups : optional
        Refused elsewhere: there they are a column whose name the model knows.
    """
    frame = frame_of(X)
    if frame is None:
        return None
    if groups is not None:
        raise InvalidInput(
            f"X is a {type(X).__name__} whose rows are not in memory: its groups are "
            "the column that fit or conformalize was given; leave groups away"
        )
    wanted = columns()
    check_there(wanted.features, frame.names, " that the model was trained on")
    taken = [name for name in wanted.names if name in frame.names]
    if taken:
        raise InvalidInput(
            f"X has a column {taken[0]!r} already, which is to be predicted; rename or "
            "drop it"
        )
    return frame.with_columns(wanted)
