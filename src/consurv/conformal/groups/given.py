"""The groups that a user gives: a column of X, or one label for each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import from_arrow
from consurv._frames import frame_of
from consurv._labels import Label, Labels, as_labels, codes_of, known_labels
from consurv.adapters.adapter import n_rows
from consurv.conformal.groups.groups import Groups
from consurv.conformal.groups.making import GroupSet
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.columns import check_there, is_name
from consurv.conformal.reading.inputs import as_table
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "GivenGroups",
    "conformal_groups",
    "given_groups",
    "group_sets",
    "labels_of_counted",
    "new_rows",
]


class GivenGroups(NamedTuple):
    """The label of each row, and the column that they come from, if it is one."""

    labels: Labels
    column: str | None

    def label(
        self, outcome: Outcome, known: tuple[Label, ...], given: tuple[Any, Any, Any]
    ) -> GroupedOutcome:
        """Return the outcomes with the numbers of their groups.

        Parameters
        ----------
        outcome : Outcome
        known : tuple of labels
        given : (X, y, sample_weight)
            As the user gave them.
        """
        labels = labels_of_counted(self.labels, outcome, given)
        return GroupedOutcome.of_groups(outcome, codes_of(labels, known), known)

    def features_of(self, X: Any, features: Any) -> Any:
        """Return X without the column of groups, if it is none of the features.

        If nobody knows these (None), it is.
        """
        X = as_table(X)
        given, column = list(getattr(X, "columns", ())), self.column
        if column is None or features is None or column in list(features):
            return X
        return X[[name for name in given if name != column]]


def given_groups(groups: Any, X: Any, name: str = "groups") -> GivenGroups | None:
    """Return the groups of the rows of X; None if none were given.

    Parameters
    ----------
    groups : str, array-like of shape (n,) or None
        The name of a column of *X*, or the labels themselves; a Series with a name is
        a column, too, be it in *X* or not.
    X : table
    name : str
        What they are called where they are refused.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"site": ["a", "b"], "age": [60, 70]})
    >>> given_groups("site", table)
    GivenGroups(labels=array(['a', 'b'], dtype=object), column='site')
    >>> given_groups([1, 2], table).column is None
    True
    """
    if groups is None:
        return None
    if frame_of(X) is not None:
        raise InvalidInput(
            f"groups are for subjects in memory here, and X is a {type(X).__name__}; "
            "read a sample of its rows"
        )
    X = as_table(X)
    if not isinstance(groups, str):
        column = getattr(groups, "name", None)
        labels = as_labels(groups, name=name, n=n_rows(X))
        return GivenGroups(labels, column if isinstance(column, str) else None)
    if not hasattr(X, "columns"):
        raise InvalidInput(
            f"{name}={groups!r} names a column, and X is a {type(X).__name__} whose "
            "columns have no names; give a DataFrame, or one label for each row"
        )
    check_there([groups], list(X.columns), " of groups")
    return GivenGroups(as_labels(X[groups], name=f"column {groups!r}"), groups)


def conformal_groups(
    X: Any, y: Any, groups: Any, features: Any, pooling: str, sample_weight: Any
) -> tuple[Any, Callable[[Outcome], Outcome] | None, GroupSet | None]:
    """Return features of conformal subjects, what marks outcomes, and their groups.

    Of a table that is not in memory nobody knows the labels yet.

    Parameters
    ----------
    X, y, groups, sample_weight
        As the user gave them.
    features : sequence of names, or None if nobody knows them
    pooling : {"partial", "none"}
    """
    frame = None if groups is None else frame_of(X)
    if frame is not None:
        return X, None, GroupSet(None, _column_of(X, groups, frame.names), pooling)
    given = given_groups(groups, X)
    if given is None:
        return X, None, None
    known = known_labels(given.labels)
    return (
        given.features_of(X, features),
        partial(given.label, known=known, given=(X, y, sample_weight)),
        GroupSet(known, given.column, pooling),
    )


def _column_of(X: Any, groups: Any, names: list[Any]) -> str:
    """Return the column of the groups of a table that is not in memory."""
    if not isinstance(groups, str):
        raise InvalidInput(
            f"X is a {type(X).__name__} whose rows are not in memory: its groups are "
            "one of its columns; give its name as groups"
        )
    check_there([groups], names, " of groups")
    return groups


class _Given(NamedTuple):
    """A set as it was read, and X, y and groups as the user gave them."""

    data: Any
    X: Any
    y: Any
    groups: Any


def group_sets(
    training: tuple[Data, Any, Any, Any],
    validation: tuple[Data | None, Any, Any, Any],
    pooling: str,
    sample_weight: Any,
) -> tuple[Data, Data | None, GroupSet | None]:
    """Return training and validation sets whose outcomes know their groups.

    Parameters
    ----------
    training, validation : (data, X, y, groups)
        Features and outcomes as they were read, and what the user gave.
    pooling : {"partial", "none"}
    sample_weight : array-like, name of a column, or None
    """
    first, second = _Given(*training), _Given(*validation)
    if second.groups is not None and (first.groups is None or second.data is None):
        raise InvalidInput("groups_val goes with X_val and with groups; give all three")
    found = given_groups(first.groups, first.X)
    if found is None:
        return first.data, second.data, None
    held = None if second.data is None else _held(first.groups, second)
    labels = [found.labels] if held is None else [found.labels, held.labels]
    known = known_labels(np.concatenate(labels))
    groups = GroupSet(known, found.column, pooling)
    data = _labelled(found, first, known, sample_weight)
    if held is None:
        return data, second.data, groups
    column = sample_weight if is_name(sample_weight) else None
    return data, _labelled(held, second, known, column), groups


def _held(groups: Any, given: _Given) -> GivenGroups:
    """Return the groups of the validation set."""
    by_name = isinstance(groups, str) and given.groups is None
    held = given_groups(groups if by_name else given.groups, given.X, "groups_val")
    if held is None:
        raise InvalidInput(
            "X_val has no groups; give groups_val, a label for each of its rows"
        )
    return held


def _labelled(
    groups: GivenGroups, given: _Given, known: tuple[Label, ...], sample_weight: Any
) -> Data:
    X, outcome = given.data
    return X, groups.label(outcome, known, (given.X, given.y, sample_weight))


def labels_of_counted(
    labels: Labels, outcome: Outcome, given: tuple[Any, Any, Any]
) -> Labels:
    """Return the labels of those who are left where rows of weight 0 were dropped.

    Parameters
    ----------
    labels : array of labels, of all rows
    outcome : Outcome of those who are left
    given : (X, y, sample_weight)
        As the user gave them.
    """
    if len(labels) == len(outcome):
        return labels
    X, y, weight = given
    if weight is not None and is_name(weight):
        weight = from_arrow(X)[weight]
    elif weight is None:
        weight = y.weight  # an Outcome's own
    return labels[np.asarray(weight, dtype=np.float64) > 0]


def new_rows(
    X: Any, groups: Any, known: Groups | None, features: Any
) -> tuple[Any, Labels | None]:
    """Return features and labels of subjects to be predicted.

    Parameters
    ----------
    X : table
    groups : str, array-like or None
        By default the column that the model was conformalized by.
    known : Groups or None
        Those of the model.
    features : sequence of names or None
    """
    column = None if known is None else known.column
    if groups is None and column in list(getattr(from_arrow(X), "columns", ())):
        groups = column
    given = given_groups(groups, X)
    if given is None:
        return X, None
    return given.features_of(X, features), given.labels
