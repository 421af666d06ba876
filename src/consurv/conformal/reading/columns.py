"""Outcomes that stand in two columns of the table of features."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consurv._features import check_no_repeats
from consurv.conformal.parts.blocks import Data
from consurv.conformal.parts.lattice import Lattice
from consurv.conformal.reading.inputs import as_table, check_data
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "OutcomeColumns",
    "check_there",
    "given_data",
    "given_validation",
    "is_name",
    "on_multiples",
]

_MOST_NAMED = 12


@dataclass(frozen=True)
class OutcomeColumns:
    """Which columns of a table hold the outcomes, and which the features.

    It knows names alone and no rows, so that tables which come part by part are read
    by the same object, one part after the other.

    Parameters
    ----------
    time, event : hashable
        Names of columns.
    features : sequence of names, optional
        By default all other columns.
    resolution : float, optional
        Times are moved up to multiples of it.
    weight : hashable, optional
        The column of the weights.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [60, 70], "months": [5.0, 2.0], "dead": [1, 0]})
    >>> X, y = OutcomeColumns("months", "dead").read(table)
    >>> list(X.columns), y
    (['age'], Outcome(n=2, events=1, last time=5))
    """

    time: Hashable
    event: Hashable
    features: Sequence[Hashable] | None = None
    resolution: float | None = None
    weight: Hashable | None = None

    def __post_init__(self) -> None:
        for name, other in (("time", "event"), ("event", "time")):
            if getattr(self, name) is None:
                raise InvalidInput(
                    f"{other}={getattr(self, other)!r} names a column and {name} none; "
                    "give both, or the outcomes as y"
                )
        if self.time == self.event:
            raise InvalidInput(
                f"time and event are both {self.time!r}; they are two columns"
            )
        if self.weight is not None and self.weight in (self.time, self.event):
            raise InvalidInput(
                f"sample_weight={self.weight!r} names the column of time or event, too"
            )

    @property
    def names(self) -> list[Hashable]:
        """The columns that are no features."""
        names = [self.time, self.event]
        return names if self.weight is None else [*names, self.weight]

    def read(self, table: Any) -> Data:
        """Return features and outcomes of the subjects of a table."""
        table = as_table(table)  # refuses names that stand over two columns
        if not hasattr(table, "columns"):
            raise InvalidInput(
                f"time={self.time!r} and event={self.event!r} name columns, and X is "
                f"a {type(table).__name__} whose columns have no names; give a "
                "DataFrame, or the outcomes as y"
            )
        columns = self.among(list(table.columns))
        try:
            outcome = Outcome(time=table[self.time], event=table[self.event])
        except InvalidInput as error:
            raise InvalidInput(
                f"columns {self.time!r} (time) and {self.event!r} (event): {error}"
            ) from error
        weight = None if self.weight is None else table[self.weight]
        moved = on_multiples(outcome, self.resolution)
        return check_data(table[list(columns.features or ())], moved, weight)

    def among(self, given: list[Hashable]) -> OutcomeColumns:
        """Return the same for a table with these columns: its features are named."""
        check_no_repeats(map(str, given), "X")
        check_there(self.names, given, "")
        return replace(self, features=self._features(given))

    def _features(self, given: list[Hashable]) -> list[Hashable]:
        if self.features is not None:
            check_there(list(self.features), given, " that the model was trained on")
            return list(self.features)
        others = [name for name in given if name not in self.names]
        if not others:
            raise InvalidInput(
                f"X has no columns besides {' and '.join(map(repr, self.names))}: "
                "there is nothing to predict from"
            )
        return others


def on_multiples(outcome: Outcome, resolution: float | None) -> Outcome:
    """Return outcomes whose times are moved up to multiples of a resolution.

    Examples
    --------
    >>> on_multiples(Outcome([0.4, 2.0], [1, 0]), 1.0).time
    array([1., 2.])
    """
    if resolution is None:
        return outcome
    moved = Lattice([resolution]).move(outcome.time)
    return Outcome(moved, outcome.event, outcome.weight)


def given_data(
    X: Any,
    y: Any,
    time: Any,
    event: Any,
    features: Sequence[Hashable] | None = None,
    sample_weight: Any = None,
) -> Data:
    """Return features and outcomes, which are *y* or two columns of *X*.

    Parameters
    ----------
    X : table
    y : outcomes in any form, or None
    time, event : names of columns, or None
    features : sequence of names, optional
        Of the columns that the model was trained on, if it knows.
    sample_weight : array-like of shape (n,), or the name of a column, or None
    """
    if time is None and event is None:
        _check_no_name(sample_weight)
        return check_data(X, y, sample_weight)
    if y is not None:
        raise InvalidInput(
            f"y is given, and time={time!r}, event={event!r} name columns of X, too; "
            "give the outcomes once"
        )
    if sample_weight is None or is_name(sample_weight):
        return OutcomeColumns(time, event, features, weight=sample_weight).read(X)
    return check_data(
        *OutcomeColumns(time, event, features).read(X), sample_weight=sample_weight
    )


def is_name(sample_weight: Any) -> bool:
    """Say whether weights are given as the name of a column."""
    return isinstance(sample_weight, str) or not hasattr(sample_weight, "__len__")


def _check_no_name(sample_weight: Any) -> None:
    if sample_weight is not None and is_name(sample_weight):
        raise InvalidInput(
            f"sample_weight={sample_weight!r} is no array of a weight for each subject;"
            " the name of a column of X goes with time= and event="
        )


def given_validation(
    X_val: Any, y_val: Any, time: Any, event: Any, like: Any, sample_weight: Any = None
) -> tuple[Any, Any]:
    """Return the validation set with its outcomes apart; features as in *like*."""
    if X_val is None or (time is None and event is None):
        return X_val, y_val
    names = getattr(like, "columns", None)
    features = None if names is None else list(names)
    weight = sample_weight if is_name(sample_weight) else None
    return given_data(X_val, y_val, time, event, features, weight)


def check_there(wanted: list[Hashable], given: list[Hashable], which: str) -> None:
    """Refuse a table that lacks columns."""
    known = set(given)
    missing = [name for name in wanted if name not in known]
    if missing:
        raise InvalidInput(
            f"X lacks the columns{which} {_named(missing)}; it has {_named(given)}"
        )


def _named(names: list[Hashable]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(repr, names[:_MOST_NAMED])) + more
