"""The border of ConformalSurvival: levels, feature tables and their outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import (
    Float,
    as_levels,
    as_plain_array,
    check_plain,
    check_same_length,
    from_arrow,
)
from consurv._features import check_no_repeats, in_order
from consurv._warnings import warn
from consurv.adapters.adapter import n_rows
from consurv.conformal.parts.blocks import Data
from consurv.conformal.reading.raw_model import rows_of
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "as_table",
    "check_data",
    "check_enough",
    "check_validation",
    "read_levels",
]


_MOST_LEVELS = 100_000


def read_levels(percentiles: int | ArrayLike) -> Float:
    """Return the levels that ``percentiles`` stands for, ascending.

    Examples
    --------
    >>> read_levels(3)
    array([0.25, 0.5 , 0.75])
    """
    if isinstance(percentiles, int | np.integer):
        if percentiles > _MOST_LEVELS:
            raise InvalidInput(
                f"percentiles is more than {_MOST_LEVELS:,}; no conformal set can tell "
                "so many levels apart: choose fewer"
            )
        levels = np.arange(1, percentiles + 1) / (percentiles + 1)
    else:
        levels = np.sort(as_levels(percentiles, "percentiles"))
    if not np.isclose(levels, 0.5, rtol=1e-12).any():
        warn(
            "0.5 is not among the levels: the order of medians may change; use an "
            "odd number of percentiles or add 0.5"
        )
    return levels


def as_table(X: Any) -> Any:
    """Return a feature table with rows and columns; lists become an array."""
    check_plain(X, "X")
    if type(X).__name__ == "LazyFrame":
        raise InvalidInput(
            "X is a LazyFrame, which has no rows yet; call its collect() first, or "
            "give the names of Parquet files"
        )
    X = from_arrow(X)
    if isinstance(X, list | tuple) and not X:
        raise InvalidInput(
            "X is an empty list: there are no rows in it, and no names of files"
        )
    X = X if hasattr(X, "shape") else as_plain_array(X, "X")
    if len(X.shape) != 2:
        raise InvalidInput(
            f"X must be 2-dimensional, got shape {X.shape}. Reshape your data: "
            "X.reshape(1, -1) is one subject, X.reshape(-1, 1) is one feature"
        )
    if hasattr(X, "columns"):
        check_no_repeats(map(str, X.columns), "X")
    return X


def check_data(X: Any, y: Any, sample_weight: Any = None) -> Data:
    """Return features and outcomes of the same subjects, without those of weight 0."""
    X, outcome = as_table(X), Outcome.of(y)
    check_same_length(X=n_rows(X), y=len(outcome))
    outcome = outcome.weighted(sample_weight)
    counted = outcome.counted
    if counted is None:
        return X, outcome
    return rows_of(X, np.flatnonzero(counted)), outcome.counting


def check_enough(outcome: Outcome) -> None:
    """Refuse fewer than two subjects."""
    if len(outcome) < 2:
        raise InvalidInput(
            f"n_samples = {len(outcome)}: at least two subjects are needed"
        )


def check_validation(X_val: Any, y_val: Any, like: Any = None) -> Data | None:
    """Return the validation set, its columns in the order of *like*, or None."""
    if (X_val is None) != (y_val is None):
        missing = "y_val" if y_val is None else "X_val"
        raise InvalidInput(f"{missing} is missing: give both X_val and y_val, or none")
    if X_val is None:
        return None
    return check_data(in_order(X_val, getattr(like, "columns", None)), y_val)
