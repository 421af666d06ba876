"""Columns of a table as an encoder wants them: numbers in an array, the others text.

Tables that are not pandas come in through one line of :func:`as_frame`; narwhals would
not save it, since the rest is about pandas' types.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from consurv._checks import Float, check_plain, from_arrow
from consurv._rows import row_number
from consurv.curves.search import row_blocks
from consurv.datasets.stray import DECIMAL_COMMA, name_cells
from consurv.datasets.table import pick_columns
from consurv.errors import InvalidInput

__all__ = ["as_frame", "as_numbers", "as_text", "check_no_date", "text_columns"]

# What pandas calls columns that hold dates or times, and text that means a date.
_DATES = {"date", "datetime", "period", "time", "timedelta"}
# Cells that are no single value; as text each would be a level of its own.
_COLLECTIONS = (dict, list, tuple, set, frozenset, np.ndarray, pd.Series, pd.DataFrame)
_DATE_TEXT = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?"


def as_frame(X: Any) -> pd.DataFrame:
    """Return *X* as a DataFrame with text for names.

    Examples
    --------
    >>> as_frame(np.zeros((3, 2))).columns.tolist()
    ['x0', 'x1']
    """
    check_plain(X, "X")
    X = from_arrow(X)
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "columns"):  # polars and its like
        frame = pd.DataFrame({str(name): X[name].to_list() for name in X.columns})
    else:
        frame = pd.DataFrame(X)
        frame.columns = pd.Index([f"x{i}" for i in range(frame.shape[1])])
    frame = frame.copy(deep=False)  # names of its own, the same cells
    frame.columns = frame.columns.map(str)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InvalidInput(f"two columns are called {twice!r}; rename one")
    return frame


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that do not hold numbers.

    Examples
    --------
    >>> text_columns(pd.DataFrame({"age": [40, 60], "sex": ["f", "m"]}))
    ['sex']
    """
    # A table may have thousands of columns, but has few types.
    kinds = list(frame.dtypes)
    others = {k for k in set(kinds) if not pd.api.types.is_numeric_dtype(k)}
    return [
        name
        for name, kind in zip(frame.columns, kinds, strict=True)
        if kind in others and not _infers_number(frame[name])
    ]


def _infers_number(column: pd.Series[Any]) -> bool:
    # A column of type object may hold numbers alone.
    return pd.api.types.is_numeric_dtype(column.infer_objects())


def as_numbers(frame: pd.DataFrame, names: Sequence[str]) -> Float:
    """Return columns as an array of shape (n, len(names)), NaN where one is missing.

    Raises
    ------
    InvalidInput
        If a value is no number, or infinite.

    Examples
    --------
    >>> as_numbers(pd.DataFrame({"age": [40, None], "male": [True, False]}), ["age"])
    array([[40.],
           [nan]])
    """
    part = pick_columns(frame, names)
    plain = (part.dtypes == np.float64).to_numpy()
    columns = slice(None) if plain.all() else np.flatnonzero(plain)
    values = np.empty(part.shape)
    # No second table beside the first, and both parts of it in the cache.
    for rows in row_blocks(*part.shape):
        values[rows, columns] = part.iloc[rows, columns].to_numpy()
    for j in np.flatnonzero(~plain):
        values[:, j] = _read_numbers(part[names[int(j)]])
    infinite = np.isinf(values)
    if infinite.any():
        column = int(infinite.any(axis=0).argmax())
        row = int(infinite[:, column].argmax())
        raise InvalidInput(
            f"column {names[column]!r} has infinite values, the first at row "
            f"{row_number(row)}; correct or empty them"
        )
    return values


def _read_numbers(column: pd.Series[Any]) -> Float:
    try:
        numbers = column.astype("Float64").to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        cells = column.reset_index(drop=True).dropna().astype(object).map(str)
        stray = cells[pd.to_numeric(cells, errors="coerce").isna()]
        commas = stray.str.fullmatch(DECIMAL_COMMA).to_numpy(dtype=bool).any()
        hint = ", and decimal commas with decimal=',' of pd.read_csv" if commas else ""
        raise InvalidInput(
            f"column {column.name!r} held numbers in training and now holds "
            f"{name_cells(stray)}; correct or empty such cells{hint}"
        ) from error
    return np.asarray(numbers, dtype=np.float64)


def as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of str with NaN where one is missing.

    Examples
    --------
    >>> as_text(pd.Series([1, 2.0, None], dtype=object)).tolist()
    ['1', '2', nan]
    """
    values = column.astype(object).where(column.notna(), np.nan)
    nested = values.map(lambda cell: isinstance(cell, _COLLECTIONS))
    if nested.any():
        kind = type(values[nested].iloc[0]).__name__
        raise InvalidInput(
            f"column {column.name!r} holds a {kind} at "
            f"row {row_number(nested.to_numpy().argmax())}; a cell of a feature is one "
            "number or text: take collections apart into columns, or drop the column"
        )
    # Of type object whatever it holds: pandas makes numbers of a column without text.
    return values.map(_as_level, na_action="ignore").astype(object)


def _as_level(value: Any) -> str:
    # 1 and 1.0 are the same level: a gap turns a column of one into the other.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def check_no_date(column: pd.Series[Any]) -> None:
    """Refuse a column of dates or times.

    Examples
    --------
    >>> check_no_date(pd.Series(["2024-05-01", None], name="visit"))
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: column 'visit' holds dates or times, such as \
'2024-05-01', which are no features; turn them into numbers, such as days since a \
start, or drop the column
    """
    values = column.dropna()
    kind = pd.api.types.infer_dtype(values)
    # By re: the regular expressions of Arrow know no back-references.
    as_text = kind == "string" and all(re.fullmatch(_DATE_TEXT, v) for v in values)
    if kind.removesuffix("64") in _DATES or (as_text and len(values)):
        raise InvalidInput(
            f"column {column.name!r} holds dates or times, such as "
            f"{str(values.iloc[0])!r}, which are no features; turn them into numbers, "
            "such as days since a start, or drop the column"
        )
