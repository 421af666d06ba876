"""The columns of a feature table: taken by name, and refused if they are no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from consurv._cells import explain_objects
from consurv.errors import InvalidInput

__all__ = ["check_numeric", "has_names", "in_order"]


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
    if array.dtype.kind != "O":
        return
    found = explain_objects(array)
    if not found.startswith("values"):
        raise InvalidInput(f"{name} holds {found}")
    text = [value for value in array.flat if isinstance(value, str)]
    if text and hasattr(values, "name"):
        raise InvalidInput(
            f"{name} holds text, such as {text[0]!r}, and this model takes numbers; "
            "encode the table first, such as with make_pipeline(TableEncoder(), model)"
        )
