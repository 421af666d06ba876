"""Columns of numbers that one cell of text has turned into text."""

from __future__ import annotations

from typing import Any

import pandas as pd

from consurv._rows import row_number
from consurv.errors import InvalidInput

__all__ = ["DECIMAL_COMMA", "check_no_stray_text", "name_cells"]

DECIMAL_COMMA = r"\s*[-+]?\d+,\d+\s*"

# Fewer different numbers may be levels that have numbers for names: grade 1, 2, 3, X.
_MOST_LEVELS = 10
_SHARE = 0.5


def check_no_stray_text(column: pd.Series[Any]) -> None:
    """Refuse a column of text that holds numbers but for a few cells.

    As text it would be encoded value by value, or be refused as free text. Columns of
    the type category are left alone: they were made so on purpose.

    Examples
    --------
    >>> ages = [str(age) for age in range(40, 60)]
    >>> check_no_stray_text(pd.Series([*ages, "unknown"], name="age"))
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: column 'age' holds numbers but for 1 of 21 cells: \
'unknown' in row 20; correct or empty such cells, such as with pd.to_numeric(column, \
errors="coerce"), or make the column a category
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        return
    cells = column.reset_index(drop=True).dropna().astype(object).map(str)
    commas = cells.str.fullmatch(DECIMAL_COMMA).to_numpy(dtype=bool)
    numbers = pd.to_numeric(cells.str.replace(",", ".", regex=False), errors="coerce")
    if numbers.nunique() <= _MOST_LEVELS or numbers.notna().mean() < _SHARE:
        return
    if commas.any():
        raise InvalidInput(
            f"column {column.name!r} holds numbers with a decimal comma: "
            f"{name_cells(cells[commas])}; read the file with decimal=',', or write "
            "points"
        )
    stray = cells[numbers.isna()]
    if len(stray):
        raise InvalidInput(
            f"column {column.name!r} holds numbers but for {len(stray)} of "
            f"{len(cells)} cells: {name_cells(stray)}; correct or empty such cells, "
            'such as with pd.to_numeric(column, errors="coerce"), or make the column '
            "a category"
        )


def name_cells(cells: pd.Series[Any], most: int = 3) -> str:
    """Return the first cells with their rows, the index being row numbers.

    Examples
    --------
    >>> name_cells(pd.Series(["a", "b", "c", "d"]))
    "'a' in row 0, 'b' in row 1, 'c' in row 2 and 1 more"
    """
    shown = [
        f"{value!r} in row {row_number(row)}" for row, value in cells.head(most).items()
    ]
    more = f" and {len(cells) - most} more" if len(cells) > most else ""
    return ", ".join(shown) + more
