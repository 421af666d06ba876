"""Reading the public tables in the form of their source or a tidied one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consurv.datasets.table import check_no_repeats, read_table

__all__ = ["NO_LICENCE", "as_flag", "read_rows"]

NO_LICENCE = "none stated; for experiments only"


def read_rows(path: Path) -> pd.DataFrame:
    """Read a table without the blanks around its cells; empty cells are missing.

    Quotes, blanks that pad numbers and further columns are what the sources have and
    a tidied copy may not; both give the same frame.
    """
    frame = read_table(path)
    names = [str(name).strip() for name in frame]
    check_no_repeats(names, str(path))
    return pd.DataFrame({str(name).strip(): _tidy(frame[name]) for name in frame})


def _tidy(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.is_numeric_dtype(column):
        return column
    text = column.astype(object).map(lambda cell: str(cell).strip(), na_action="ignore")
    text = text.mask(text.isin(["", "NA"]))
    numbers = pd.to_numeric(text, errors="coerce")
    return numbers if numbers.notna().equals(text.notna()) else text


def as_flag(column: pd.Series[Any], yes: str) -> pd.Series[Any]:
    """Return 1 where the column says *yes*, 0 elsewhere, missing where it is missing.

    Examples
    --------
    >>> as_flag(pd.Series(["male", "female", None]), "male").tolist()
    [1.0, 0.0, nan]
    """
    return (column == yes).astype(float).where(column.notna(), np.nan)
