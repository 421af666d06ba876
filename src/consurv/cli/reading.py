"""The two tables of ``consurv calibrate``: who is trained on, who is predicted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from consurv._warnings import warn
from consurv.cli.columns import Columns
from consurv.datasets import read_table
from consurv.datasets.table import pick_columns
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Tables", "formulas", "labels_of", "read_tables", "read_training"]

# Ages of fewer subjects may well be all different.
_MANY = 50

# Columns of the results, which an id column cannot be called.
_RESULT_COLUMNS = frozenset(
    ["subject", "time", "survival", "median", "mean", "rearranged", "clipped"]
)


@dataclass(frozen=True)
class Tables:
    """What was read.

    Attributes
    ----------
    X, y : DataFrame and Outcome
        Features and outcomes of the training subjects; with weights, if there are.
    groups : str or Series or None
        Their groups: the feature that holds them, or the column that is none.
    X_new : DataFrame
        The same features of the new subjects, and their groups.
    y_new : Outcome or None
        Their outcomes, if the table has usable ones.
    labels : DataFrame
        The row number ``subject`` of each new subject and its id.
    """

    X: pd.DataFrame
    y: Outcome
    groups: str | pd.Series[Any] | None
    X_new: pd.DataFrame
    y_new: Outcome | None
    labels: pd.DataFrame


def read_tables(train: Path, new: Path, columns: Columns) -> Tables:
    """Read both tables; columns that training does not have are left aside."""
    X, y, groups = read_training(train, columns)
    # No feature is called by that name: training leaves the ids out.
    frame = read_table(new, text=columns.id)
    wanted = X.columns.tolist()
    if isinstance(groups, pd.Series):
        wanted.append(str(groups.name))
    return Tables(
        X,
        y,
        groups,
        X_new=pick_columns(frame, wanted, new.name),
        y_new=_known_outcome(frame, columns, new.name),
        labels=labels_of(frame, columns.id, new.name),
    )


def read_training(
    path: Path, columns: Columns
) -> tuple[pd.DataFrame, Outcome, str | pd.Series[Any] | None]:
    """Return features, outcomes and groups of the subjects to train on."""
    frame = read_table(path)
    columns.check(frame, path.name)
    groups = columns.groups_in(frame)
    gone = {columns.id, *columns.drop} - {columns.weight}
    X = _without(frame, gone)
    y = columns.outcome(X, path.name)
    X = _without(X, {columns.time, columns.event, columns.weight})
    if not y.n_events:
        raise InvalidInput(
            f"{path.name} has no event among its {len(y)} subjects: {columns.event!r} "
            "must be 1 where the event happened"
        )
    if X.shape[1] == 0:
        raise InvalidInput(f"{path.name} has no feature columns besides the outcome")
    _warn_of_ids(X, columns.id, path.name)
    return X, y, groups


def _without(frame: pd.DataFrame, names: set[str | None]) -> pd.DataFrame:
    """Return a table without some columns, which takes no second table."""
    frame = frame.copy(deep=False)
    for name in names.intersection(frame.columns):
        del frame[name]
    return frame


def _warn_of_ids(X: pd.DataFrame, given: str | None, source: str) -> None:
    """Name columns of whole numbers that are another one for every subject."""
    if len(X) < _MANY:
        return
    for name in X.select_dtypes("integer").columns:
        if X[name].is_unique:
            option = f"--id {name}" if given is None else f"--drop {name}"
            warn(
                f"column {name!r} of {source} has another whole number for each of the "
                f"{len(X)} subjects and is taken for a feature; if it only names them, "
                f"give {option}",
                UserWarning,
            )


def formulas(labels: pd.DataFrame) -> int:
    """Return how many ids a spreadsheet would take for formulas.

    Examples
    --------
    >>> formulas(pd.DataFrame({"subject": range(3), "id": ["=A1", "p2", "-3"]}))
    1
    """
    texts = labels.iloc[:, 1:].select_dtypes(exclude="number").astype("string")
    # A number may have a sign.
    formula = r"(?![+-]?[\d.]+(?:[eE][+-]?\d+)?$)[=+@\-\t]"
    return int(sum(texts[name].str.match(formula).sum() for name in texts))


def _known_outcome(frame: pd.DataFrame, columns: Columns, name: str) -> Outcome | None:
    if not {columns.time, columns.event} <= set(frame.columns):
        return None
    if columns.weight is not None and columns.weight not in frame.columns:
        warn(
            f"{name} has no column {columns.weight!r}: its subjects count 1 each in "
            "the scores",
            UserWarning,
        )
        columns = replace(columns, weight=None)
    try:
        return columns.outcome(frame, name)
    except InvalidInput as error:  # predictions do not need them
        warn(f"the new subjects are not scored: {error}", UserWarning)
        return None


def labels_of(frame: pd.DataFrame, id_column: str | None, name: str) -> pd.DataFrame:
    """Return the row number of each subject and its id, if there are ids."""
    labels = pd.DataFrame({"subject": range(len(frame))})
    if id_column is None:
        return labels
    if id_column in _RESULT_COLUMNS or id_column.startswith("t_at_"):
        raise InvalidInput(
            f"the id column cannot be called {id_column!r}, which is a column of the "
            "results; rename it"
        )
    ids = pick_columns(frame, [id_column], name)[id_column]
    # One type for the whole file, whatever a block of rows holds.
    labels[id_column] = ids.astype("string") if ids.dtype == object else ids
    return labels
