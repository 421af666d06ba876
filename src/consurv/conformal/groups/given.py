"""The groups that a user gives: a column of X, or one label for each row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import from_arrow
from consurv._frames import frame_of
from consurv._labels import Labels, as_labels, codes_of, known_labels
from consurv.adapters.adapter import n_rows
from consurv.conformal.blocks import Data
from consurv.conformal.columns import check_there
from consurv.conformal.groups.groups import Groups
from consurv.conformal.groups.making import GroupSet
from consurv.conformal.groups.outcome import GroupedOutcome
from consurv.conformal.inputs import as_table
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "GivenGroups",
    "conformal_groups",
    "given_groups",
    "group_sets",
    "new_rows",
    "without_column",
]


class GivenGroups(NamedTuple):
    """The label of each row, and the column that they come from, if it is one."""

    labels: Labels
    column: str | None

    def label(self, outcome: Outcome, known: tuple[Any, ...]) -> GroupedOutcome:
        """Return the outcomes with the numbers of their groups."""
        return GroupedOutcome.of_groups(outcome, codes_of(self.labels, known))

    def features_of(self, X: Any, features: Any) -> Any:
        """Return X without the column of groups, if it is none of the features."""
        return without_column(as_table(X), self.column, features)

    @property
    def known(self) -> tuple[Any, ...]:
        """The labels that occur."""
        return known_labels(self.labels)


def given_groups(groups: Any, X: Any, name: str = "groups") -> GivenGroups | None:
    """Return the groups of the rows of X; None if none were given.

    Parameters
    ----------
    groups : str, array-like of shape (n,) or None
        The name of a column of *X*, or the labels themselves.
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
            f"groups are for conformal subjects in memory, and X is a "
            f"{type(X).__name__}; read a sample of its rows"
        )
    X = as_table(X)
    if not isinstance(groups, str):
        return GivenGroups(as_labels(groups, name=name, n=n_rows(X)), None)
    if not hasattr(X, "columns"):
        raise InvalidInput(
            f"{name}={groups!r} names a column, and X is a {type(X).__name__} whose "
            "columns have no names; give a DataFrame, or one label for each row"
        )
    check_there([groups], list(X.columns), " of groups")
    return GivenGroups(as_labels(X[groups], name=f"column {groups!r}"), groups)


def conformal_groups(
    X: Any, groups: Any, features: Any, pooling: str
) -> tuple[Any, Callable[[Outcome], Outcome] | None, GroupSet | None]:
    """Return features of conformal subjects, what marks outcomes, and their groups.

    Parameters
    ----------
    X : table
    groups : str, array-like or None
    features : sequence of names, or None if nobody knows them
    pooling : {"partial", "none"}
    """
    given = given_groups(groups, X)
    if given is None:
        return X, None, None
    known = given.known
    return (
        given.features_of(X, features),
        partial(given.label, known=known),
        GroupSet(known, given.column, pooling),
    )


def group_sets(
    data: Data,
    validation: Data | None,
    given: tuple[Any, Any],
    given_validation: tuple[Any, Any],
    pooling: str,
) -> tuple[Data, Data | None, GroupSet | None]:
    """Return training and validation sets whose outcomes know their groups.

    Parameters
    ----------
    data, validation : features and outcomes
    given, given_validation : pairs of groups and X, as the user gave them
    pooling : {"partial", "none"}
    """
    (groups, X), (groups_val, X_val) = given, given_validation
    if groups_val is not None and (groups is None or validation is None):
        raise InvalidInput("groups_val goes with X_val and with groups; give all three")
    found = given_groups(groups, X)
    if found is None:
        return data, validation, None
    known, held = found.known, None
    if validation is not None:
        by_name = isinstance(groups, str) and groups_val is None
        held = given_groups(groups if by_name else groups_val, X_val, "groups_val")
        if held is None:
            raise InvalidInput(
                "X_val has no groups; give groups_val, a label for each of its rows"
            )
        known = known_labels(np.concatenate([found.labels, held.labels]))
        validation = validation[0], held.label(validation[1], known)
    data = data[0], found.label(data[1], known)
    return data, validation, GroupSet(known, found.column, pooling)


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


def without_column(X: Any, column: str | None, features: Any) -> Any:
    """Return a table without the column of groups, if it is no feature.

    Parameters
    ----------
    X : table
    column : str or None
    features : sequence of names, or None if nobody knows them: then it stays
    """
    given = list(getattr(X, "columns", ()))
    if column is None or features is None or column in list(features):
        return X
    return X[[name for name in given if name != column]] if column in given else X
