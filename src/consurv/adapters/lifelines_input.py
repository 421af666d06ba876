"""The border of lifelines' regressions: the columns they read, and what is in them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from consurv._rows import row_number
from consurv._warnings import warn
from consurv.adapters.adapter import describe
from consurv.errors import InvalidInput

__all__ = [
    "check_cells",
    "clear_errors",
    "named_columns",
    "plain_strata",
    "used_columns",
    "warn_of_fit",
]


def used_columns(fitter: Any, frame: pd.DataFrame) -> list[str]:
    """Return the columns that a fitted regression reads; all if it does not say."""
    names = named_columns(fitter)
    if names is None:
        return list(frame.columns)
    return [name for name in frame.columns if name in names]


def named_columns(fitter: Any) -> list[str] | None:
    """Return the columns that a fitted regression names; None if it names none."""
    mappings = getattr(getattr(fitter, "regressors", None), "mappings", None)
    if not mappings:
        return None
    names = strata_of(fitter)
    for columns in mappings.values():
        # A list of columns, or a formula that knows its variables.
        names += [str(name) for name in getattr(columns, "required_variables", columns)]
    # lifelines' own column for the constant of a parameter.
    return [name for name in dict.fromkeys(names) if name != "Intercept"]


def strata_of(fitter: Any) -> list[str]:
    """Return the columns that a Cox model is stratified by."""
    strata = getattr(fitter, "strata", None) or []
    return [strata] if isinstance(strata, str) else list(strata)


def plain_strata(fitter: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose strata are no categories.

    lifelines goes through all categories of a column, those without a row too, and
    fails there.
    """
    names = [
        name
        for name in strata_of(fitter)
        if name in frame and isinstance(frame[name].dtype, pd.CategoricalDtype)
    ]
    return frame.astype(dict.fromkeys(names, object)) if names else frame


def check_cells(fitter: Any, frame: pd.DataFrame, names: list[str]) -> None:
    """Refuse missing values, and text where no formula turns it into numbers."""
    missing = frame[names].isna()
    if missing.any(axis=None):
        name = str(missing.columns[missing.any()][0])
        rows = np.flatnonzero(missing[name])
        raise InvalidInput(
            f"column {name!r} of X has {rows.size} missing values in {len(frame)} rows,"
            f" the first at row {row_number(rows[0])}; {describe(fitter)} takes none: "
            "drop or fill them"
        )
    for name in _plain_columns(fitter, names):
        _check_numbers(frame[name], fitter)


def _plain_columns(fitter: Any, names: list[str]) -> list[str]:
    """Return the columns that are read as numbers, by no formula and as no stratum."""
    mappings = getattr(getattr(fitter, "regressors", None), "mappings", None)
    if mappings:
        lists = [c for c in mappings.values() if not hasattr(c, "required_variables")]
        names = [name for name in names if any(name in columns for columns in lists)]
    strata = strata_of(fitter)
    return [name for name in names if name not in strata]


def _check_numbers(column: pd.Series[Any], fitter: Any) -> None:
    values = column.infer_objects()
    if not pd.api.types.is_numeric_dtype(values.dtype):
        stray = next((v for v in values if isinstance(v, str)), values.iloc[0])
        raise InvalidInput(
            f"column {column.name!r} of X holds {str(stray)!r}, which "
            f"{describe(fitter)} cannot take for a number; encode the table, such "
            "as with TableEncoder, or fit with a formula"
        )
    infinite = np.flatnonzero(np.isinf(values.to_numpy(dtype=float)))
    if infinite.size:
        raise InvalidInput(
            f"column {column.name!r} of X has {infinite.size} infinite values, the "
            f"first at row {row_number(infinite[0])}; correct or drop them"
        )


@contextmanager
def clear_errors(fitter: Any, frame: pd.DataFrame) -> Iterator[None]:
    """Say in our words what a regression cannot predict from."""
    from lifelines.exceptions import StatError

    try:
        with warnings.catch_warnings():
            # A category that training did not have would count as the first one.
            warnings.filterwarnings("error", "Data has categories outside")
            yield
    except KeyError as error:
        raise InvalidInput(
            f"X lacks columns that the {describe(fitter)} was fitted on: "
            f"{error}; X has {list(frame.columns)}"
        ) from error
    except Warning as error:
        if not str(error).startswith("Data has categories outside"):
            raise  # the user has made another warning an error
        raise InvalidInput(
            f"X has categories that the training data of {describe(fitter)} had not: "
            f"{str(error).rpartition('dataset): ')[2].partition('. ')[0]}; drop these "
            "rows, or group the categories before training"
        ) from error
    except StatError as error:
        first = " ".join(str(error).split()).partition(" For example")[0]
        raise InvalidInput(
            f"{describe(fitter)} cannot predict these rows: {first}"
        ) from error


def warn_of_fit(fitter: Any) -> None:
    """Warn if the regression was fitted to more than right-censored outcomes."""
    extra = {
        "entry_col": "delayed entry",
        "weights_col": "weights",
    }
    found = [
        f"{what} ({name}={getattr(fitter, name)!r})"
        for name, what in extra.items()
        if getattr(fitter, name, None) is not None
    ]
    kind = str(getattr(fitter, "_censoring_type", "")).rpartition(".")[2].lower()
    if kind in ("left", "interval"):
        found.append(f"{kind} censoring")
    if found:
        warn(
            f"{describe(fitter)} was fitted with {' and '.join(found)}, which the "
            "conformal step does not know: it takes all conformal subjects as observed "
            "from time 0 and right-censored, with the weights that it is given itself "
            "(sample_weight), or else equal ones"
        )
