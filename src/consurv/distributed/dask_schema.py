"""Partitions of a Dask DataFrame that are not what the frame says of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas.api import types

from consurv.errors import InvalidInput

__all__ = ["check_partition", "name_partition"]

# A row of the table that Dask prints of columns which are not as expected.
_ROW = re.compile(r"\|\s*('[^|]*'|\"[^|]*\")\s*\|\s*([^|]+?)\s*\|\s*([^|]+?)\s*\|")


def check_partition(table: pd.DataFrame, meta: pd.DataFrame, number: int) -> None:
    """Refuse a partition without the columns of *meta*, or with others of their names.

    Parameters
    ----------
    table : DataFrame
    meta : DataFrame
        Without rows, with the columns that are needed.
    number : int
        Of the partition, for the message.

    Examples
    --------
    >>> check_partition(pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": [1.0]}), 3)
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: partition 3 has another schema: its column 'a' is \
object, and float64 elsewhere
    """
    for name in meta.columns:
        if name not in table.columns:
            raise InvalidInput(
                f"partition {number} lacks the column {name!r}, which the frame has"
            )
        column = table[name]
        # A column without any value has no kind of its own.
        if _kind(column.dtype) != _kind(meta[name].dtype) and column.notna().any():
            raise InvalidInput(
                f"partition {number} has another schema: its column {name!r} is "
                f"{column.dtype}, and {meta[name].dtype} elsewhere"
            )


def name_partition(
    parts: list[Any], meta: pd.DataFrame, compute: Callable[[Any], Any]
) -> None:
    """Look for a partition that is not what the frame says, one after the other.

    Parameters
    ----------
    parts : list of delayed tables
    meta : DataFrame
        As for ``check_partition``.
    compute : callable
        Returns what a delayed object stands for.

    Raises
    ------
    InvalidInput
        If there is one; it is named, with the column.
    """
    for number, part in enumerate(parts):
        try:
            table = compute(part)
        except ValueError as error:
            said = str(error)
            if "etadata mismatch" not in said:
                continue
            found = "; ".join(_told(*row) for row in _ROW.findall(said))
            raise InvalidInput(
                f"partition {number} has another schema: "
                f"{found or ' '.join(said.split())}"
            ) from error
        check_partition(table, meta, number)


def _told(name: str, found: str, expected: str) -> str:
    """Return a row of Dask's table in words; a dash is no column."""
    if found == "-":
        return f"it lacks the column {name}"
    if expected == "-":
        return f"it has a column {name}"
    return f"its column {name} is {found}, and {expected} elsewhere"


def _kind(dtype: Any) -> str:
    """Return what a type is to those who do not mind how many bits it has."""
    if types.is_numeric_dtype(dtype):  # True and False among them
        return "number"
    texts = types.is_object_dtype, types.is_string_dtype
    text = isinstance(dtype, pd.CategoricalDtype) or any(is_(dtype) for is_ in texts)
    return "text" if text else str(dtype)
