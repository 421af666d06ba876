"""What a calibrated model predicts, as columns with names for tables elsewhere."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, as_floats
from consurv.conformal.reading.elsewhere import Columns
from consurv.errors import InvalidInput

__all__ = ["quantile_columns", "risk_column", "survival_columns"]


def quantile_columns(model: Any, levels: Float) -> Columns:
    """Return the times at which survival falls to *levels*, ``t_at_0.9`` and so on."""
    names = [f"t_at_{level:.12g}" for level in levels]
    return Columns(names, _features(model), partial(_quantiles, model, levels))


def survival_columns(model: Any, times: ArrayLike | None) -> Columns:
    """Return survival at some times, ``survival_at_12`` and so on.

    Without times the whole curve: the times at all its nodes, between which it is
    linear.
    """
    if times is None:
        return quantile_columns(model, model.adjustment_.node_levels)
    wanted = as_floats(np.atleast_1d(np.asarray(times)), "times")
    names = [f"survival_at_{time:.12g}" for time in wanted]
    return Columns(names, _features(model), partial(_survival, model, wanted))


def risk_column(model: Any) -> Columns:
    """Return minus the median as the column ``risk``."""
    return Columns(["risk"], _features(model), partial(_risk, model))


def _features(model: Any) -> list[Any]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise InvalidInput(
            "the model does not know the names of its features, and the columns of X "
            "are taken by name; give conformalize a table whose columns have names"
        )
    groups = model.adjustment_.groups
    column = [] if groups is None or groups.column in names else [groups.column]
    return [*names, *(name for name in column if name is not None)]


def _quantiles(model: Any, levels: Float, X: Any) -> Float:
    times: Float = model.predict_survival_function(X).percentile_times(levels)
    return times


def _survival(model: Any, times: Float, X: Any) -> Float:
    survival: Float = model.predict_survival_function(X).survival_at(times)
    return survival


def _risk(model: Any, X: Any) -> Float:
    risk: Float = model.predict(X)[:, None]
    return risk
