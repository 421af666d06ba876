"""Estimators of scikit-survival."""

from __future__ import annotations

from inspect import signature
from typing import Any

from consurv.adapters.adapter import Validation, describe
from consurv.adapters.native import NativeAdapter
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "SksurvAdapter"]


class SksurvAdapter(NativeAdapter):
    """scikit-survival estimators with ``predict_survival_function``.

    Their curves are right-continuous step functions at the distinct training times.

    Examples
    --------
    >>> import numpy as np
    >>> from sksurv.linear_model import CoxPHSurvivalAnalysis
    >>> X = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> y = Outcome(time=[4, 1, 3, 2], event=[1, 1, 0, 1])
    >>> cox = ADAPTER.fit(CoxPHSurvivalAnalysis(alpha=1.0), X, y)
    >>> ADAPTER.curves(cox, X[:2]).interpolation
    'step'
    """

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train in place, unless the estimator could not give curves afterwards."""
        # The class, because some can tell for an instance only once it is fitted.
        _check_gives_curves(type(estimator))
        return super().fit(estimator, X, y, validation)

    def _predict(self, estimator: Any, X: Any) -> Any:
        _check_gives_curves(estimator)
        predict, times = estimator.predict_survival_function, _times(estimator)
        try:
            if times is None or "return_array" not in signature(predict).parameters:
                return predict(X)
            survival = predict(X, return_array=True)
        except NotImplementedError as error:  # a forest with low_memory=True
            raise _no_curves(estimator, error) from error
        return SurvivalCurves(times, survival, interpolation="step")


def _times(estimator: Any) -> Any:
    """Return the distinct training times, or None where there are none on offer."""
    try:
        return getattr(estimator, "unique_times_", None)
    except ValueError as error:
        # No baseline was fitted: a loss other than "coxph", or a Coxnet without
        # fit_baseline_model.
        raise _no_curves(estimator, error) from error


def _check_gives_curves(estimator: Any) -> None:
    if not hasattr(estimator, "predict_survival_function"):
        raise _no_curves(estimator, "it has no predict_survival_function")


def _no_curves(estimator: Any, reason: object) -> InvalidInput:
    return InvalidInput(
        f"{describe(estimator)} gives no survival curves: {reason}. Choose other "
        "settings or one that does, such as CoxPHSurvivalAnalysis, RandomSurvivalForest"
        " or GradientBoostingSurvivalAnalysis"
    )


ADAPTER = SksurvAdapter()
