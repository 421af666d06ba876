"""The columns of a feature table: taken by name, and refused if they are no numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from consurv._cells import explain_objects, explain_text
from consurv._rows import row_number
from consurv.errors import InvalidInput

__all__ = [
    "check_no_repeats",
    "check_numeric",
    "clear_refusals",
    "has_names",
    "in_order",
]


class _WrongType(InvalidInput, TypeError):  # noqa: N818
    """A refusal that is a TypeError too, as scikit-learn asks of estimators."""


def check_no_repeats(names: Iterable[str], source: str) -> None:
    """Refuse a table in which a name stands over two columns.

    Which of them is meant nobody can tell, and to take either may train on the wrong
    one.

    Examples
    --------
    >>> check_no_repeats(["id", "time", "sex", "time"], "trial.csv")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: trial.csv has more than one column called 'time'; \
rename or remove all but one
    """
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        more = f" and {len(twice) - 12} more" if len(twice) > 12 else ""
        raise InvalidInput(
            f"{source} has more than one column called "
            f"{', '.join(map(repr, twice[:12]))}{more}; rename or remove all but one"
        )


# How scikit-learn and pandas begin to refuse tables of which all columns are sparse.
_SPARSE = "Sparse data", "fill value"


@contextmanager
def clear_refusals(X: Any) -> Iterator[None]:
    """Turn what scikit-learn refuses into an error of ours that names the place.

    Examples
    --------
    >>> with clear_refusals([[1.0, float("nan")]]):
    ...     raise ValueError("Input X contains NaN.")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: Input X contains NaN. The first is at row 0, column \
1; drop or fill such cells
    """
    try:
        yield
    except InvalidInput:
        raise
    except (OverflowError, TypeError, ValueError) as error:
        text = str(error)
        if "contains NaN" in text or "contains infinity" in text:
            text = text.splitlines()[0].replace(" for dtype('float64')", "")
            text = f"{text}{_first_gap(X)}; drop or fill such cells"
        elif isinstance(error, OverflowError):
            text = "X holds a number above 1.8e308; drop or correct it"
        elif text.startswith("Cannot cast"):
            kind = getattr(X, "dtype", type(X).__name__)
            text = f"X has dtype {kind}, not numbers; give one number for each cell"
        elif isinstance(X, pd.DataFrame) and text.startswith(_SPARSE):
            text = "X has sparse columns, which are not taken; give X.sparse.to_dense()"
        elif text.startswith("at least one array or dtype"):
            text = "X has no columns; a model needs one feature at least"
        elif text.startswith("setting an array element"):
            text = (
                "X has rows of different length, or lists in its cells (2 dimensions "
                "are wanted); give one number for each cell"
            )
        refusal = _WrongType if isinstance(error, TypeError) else InvalidInput
        raise refusal(" ".join(text.split())) from error


def _first_gap(X: Any) -> str:
    values = pd.DataFrame(X).to_numpy(dtype=np.float64, na_value=np.nan)
    row, column = np.argwhere(~np.isfinite(values))[0]
    named = f"{X.columns[column]!r}" if hasattr(X, "columns") else f"{column}"
    return f" The first is at row {row_number(row)}, column {named}"


def has_names(X: Any, names: Any) -> bool:
    """Say whether a table has these columns in this order; then nothing is to be said.

    scikit-learn's own check takes longer than the prediction of a subject.

    Examples
    --------
    >>> has_names(pd.DataFrame({"a": [1]}), ["a"]), has_names(np.zeros((1, 1)), ["a"])
    (True, False)
    """
    return names is not None and list(getattr(X, "columns", ())) == list(names)


def in_order(X: Any, names: Any) -> Any:
    """Return a table whose columns have these names in this order, whatever it was.

    Anything but a permutation of *names* is left as it is, for others to judge.

    Examples
    --------
    >>> in_order(pd.DataFrame({"b": [1], "a": [2]}), ["a", "b"]).columns.tolist()
    ['a', 'b']
    """
    if names is None or not hasattr(X, "columns"):
        return X
    wanted, given = list(names), list(X.columns)
    same = len(wanted) == len(given) == len(set(given)) and set(wanted) == set(given)
    return X[wanted] if same and wanted != given else X


def check_numeric(X: Any) -> None:
    """Refuse features that are dates, periods or text, with the name of the column.

    Objects that are numbers may pass.

    Examples
    --------
    >>> check_numeric(pd.DataFrame({"sex": ["f", "m"]}))
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: column 'sex' of X holds text, such as 'f', and this \
model takes numbers; encode the table first, such as with make_pipeline(\
TableEncoder(), model)
    """
    if isinstance(X, pd.DataFrame):
        # A table may have thousands of columns: only the others are looked at.
        for i, dtype in enumerate(X.dtypes):
            if not (isinstance(dtype, np.dtype) and dtype.kind in "fiub"):
                _check_values(X.iloc[:, i], f"column {X.columns[i]!r} of X")
    elif hasattr(X, "columns"):  # polars and its like
        for name in X.columns:
            _check_values(X[name], f"column {name!r} of X")
    elif isinstance(X, np.ndarray):
        _check_values(X, "X")


def _check_values(values: Any, name: str) -> None:
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        array = array.astype("M8[s]" if array.dtype.kind == "M" else "m8[s]")
        array = array.astype(object)
    if array.dtype.kind in "SU" and array.size:
        raise InvalidInput(f"{name} holds text, not numbers, {explain_text(array)}")
    if array.dtype.kind != "O":
        return
    found = explain_objects(array)
    if not found.startswith("values"):
        raise InvalidInput(f"{name} holds {found}")
    if any(isinstance(value, bytes) for value in array.flat):
        raise InvalidInput(f"{name} holds text, not numbers, {explain_text(array)}")
    text = [value for value in array.flat if isinstance(value, str)]
    if text and hasattr(values, "name"):
        raise InvalidInput(
            f"{name} holds text, such as {text[0]!r}, and this model takes numbers; "
            "encode the table first, such as with make_pipeline(TableEncoder(), model)"
        )
