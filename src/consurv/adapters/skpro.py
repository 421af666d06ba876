"""Survival regressors of skpro."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from consurv._checks import as_floats
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.methods import curves_of_quantiles
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "SkproAdapter"]


class SkproAdapter(Adapter):
    """skpro's regressors that know censoring; its ``C`` is 1 where a row is censored.

    Curves join the quantiles at 1 %, 2 % ... 99 % by straight lines. Features travel as
    a DataFrame whose rows are numbered from 0.

    Examples
    --------
    >>> from skpro.survival.aft import AFTWeibull
    >>> ADAPTER.is_fitted(AFTWeibull())
    False
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy."""
        return estimator.clone()

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the model."""
        return bool(estimator.is_fitted)

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train in place on times and censoring flags."""
        if not estimator.get_tag("capability:survival", False, raise_error=False):
            raise InvalidInput(
                f"{describe(estimator)} of skpro knows no censoring; wrap it in "
                "skpro.survival.compose.ConditionUncensored or choose a regressor of "
                "skpro.survival"
            )
        frame = _features(X)
        time = pd.DataFrame({"time": y.time}, index=frame.index)
        censored = pd.DataFrame({"time": (~y.event).astype(int)}, index=frame.index)
        return estimator.fit(frame, time, C=censored)

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        return curves_of_quantiles(estimator, _features(X))


def _features(X: Any) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X.reset_index(drop=True)
    if hasattr(X, "columns"):  # polars and its like
        return pd.DataFrame({str(name): np.asarray(X[name]) for name in X.columns})
    array = as_floats(X, "X", ndim=2)
    return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])


ADAPTER = SkproAdapter()
