"""Cells that are no numbers, named in a message with the way out."""

from __future__ import annotations

import datetime
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv._rows import row_number

__all__ = ["explain_objects", "explain_text"]

_KINDS: dict[type | tuple[type, ...], tuple[str, str]] = {
    (datetime.date, datetime.datetime): (
        "dates",
        "; subtract the start date and divide by a unit, such as pd.Timedelta('1D')",
    ),
    (datetime.timedelta, np.timedelta64): (
        "time differences",
        "; divide by a unit, such as pd.Timedelta('1D')",
    ),
    pd.Period: (
        "periods",
        "; turn them into dates (to_timestamp), subtract the start date and divide by "
        "a unit, such as pd.Timedelta('1D')",
    ),
    pd.Interval: (
        "intervals",
        "; give one number for each, such as its middle (.mid): interval censoring is "
        "not supported",
    ),
}


def explain_text(array: NDArray[Any]) -> str:
    """Return which cells of text are no numbers, and what to do.

    Examples
    --------
    >>> explain_text(np.array(["3", "12 months"]))
    "the first is '12 months' at row 1; correct such cells"
    >>> explain_text(np.array(["dead", "alive", "dead"]))
    "the first is 'dead' at row 0; correct such cells, or compare (== 'dead') if they \
say yes or no"
    >>> explain_text(np.array(["3", "12"]))
    "the first is '3' at row 0; convert them, such as with pd.to_numeric"
    """
    cells = {
        place: value.decode(errors="replace") if isinstance(value, bytes) else value
        for place, value in enumerate(array.ravel().tolist())
        if isinstance(value, str | bytes)
    }
    stray = {place: text for place, text in cells.items() if not _is_number(text)}
    place, text = next(iter((stray or cells).items()))
    row = int(np.unravel_index(place, array.shape)[0]) if array.ndim else 0
    first = f"the first is {text!r} at row {row_number(row)}"
    if not stray:
        return f"{first}; convert them, such as with pd.to_numeric"
    if _is_number(text.replace(",", ".", 1)):
        return f"{first}; write decimal points, or read the file with decimal=','"
    if len(stray) == array.size and len(set(stray.values())) == 2:
        return (
            f"{first}; correct such cells, or compare (== {text!r}) if they say yes or "
            "no"
        )
    return f"{first}; correct such cells"


def explain_objects(array: NDArray[Any]) -> str:
    """Return what the objects of an array are that are no numbers.

    Examples
    --------
    >>> explain_objects(np.array([1, pd.Period("2020-01")], dtype=object))[:40]
    'periods, not numbers, the first is 2020-'
    """
    for value in array.flat:
        for kinds, (name, remedy) in _KINDS.items():
            if isinstance(value, kinds):
                return f"{name}, not numbers, the first is {value}{remedy}"
    first = next((v for v in array.flat if not _is_real(v)), None)
    shown = repr(first)
    shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
    return (
        f"values that are not numbers, the first is {shown} of type "
        f"{type(first).__name__!r}; give one number for each entry"
    )


def _is_real(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:  # a number all the same, if too large a one
        return True
    except (TypeError, ValueError):
        return False
    # Numpy makes an array of one number a number, where a table has rows of them.
    return np.ndim(value) == 0


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False
