"""Estimators of scikit-survival."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from consurv.adapters.adapter import OutOfBag, Validation, describe
from consurv.adapters.forest import ForestOutOfBag, has_out_of_bag
from consurv.adapters.native import NativeAdapter
from consurv.adapters.structure import agrees, proportional
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Steps
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "SksurvAdapter"]

_COX = {"CoxPHSurvivalAnalysis", "CoxnetSurvivalAnalysis"}
_BOOSTING = {
    "GradientBoostingSurvivalAnalysis",
    "ComponentwiseGradientBoostingSurvivalAnalysis",
}


class SksurvAdapter(NativeAdapter):
    """scikit-survival estimators with ``predict_survival_function``.

    Their curves are right-continuous step functions at the distinct training times.
    Those of Cox models and of boosting with the Cox loss are held as log risks beside
    the baseline.

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

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train in place; a model that ranks need not give curves."""
        return super().fit(estimator, X, y, validation)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Say whether the loss is the Cox likelihood."""
        return _has_baseline(estimator)

    def has_out_of_bag(self, estimator: Any, *, enough: bool = False) -> bool:
        """Look for a forest that draws its rows."""
        return has_out_of_bag(estimator, enough)

    def out_of_bag(self, estimator: Any, X: Any) -> OutOfBag:
        """Return the training rows as trees see them that did not draw them."""
        return ForestOutOfBag(estimator, X)

    def _predict(self, estimator: Any, X: Any) -> Any:
        _check_gives_curves(estimator)
        predict, times = estimator.predict_survival_function, _times(estimator)
        try:
            if times is None or "return_array" not in signature(predict).parameters:
                return predict(X)
            curves = _proportional_curves(estimator, X, times)
            if curves is not None:
                return curves
            survival = predict(X, return_array=True)
        except NotImplementedError as error:  # a forest with low_memory=True
            raise _no_curves(estimator, error) from error
        return SurvivalCurves(times, survival, interpolation="step")


def _proportional_curves(estimator: Any, X: Any, times: Any) -> SurvivalCurves | None:
    """Return curves from risk scores and the baseline; None where there is none.

    The baseline is read off the cumulative hazard of one subject, which every version
    gives: H₀ = H(x) / exp(score(x)).
    """
    if not _has_baseline(estimator):
        return None
    log_risk = np.asarray(estimator.predict(X), dtype=float)
    # A subject in the middle, whose hazard neither overflows nor vanishes.
    middle = int(np.argsort(log_risk)[len(log_risk) // 2])
    row = _rows(X, slice(middle, middle + 1))
    hazard = estimator.predict_cumulative_hazard_function(row, return_array=True)[0]
    with np.errstate(divide="ignore"):
        log_hazard = np.log(hazard) - log_risk[middle]
    curves = proportional([Steps(np.asarray(times, dtype=float), log_hazard)], log_risk)

    def table(rows: slice) -> SurvivalCurves:
        survival = estimator.predict_survival_function(
            _rows(X, rows), return_array=True
        )
        return SurvivalCurves(times, survival, interpolation="step")

    return curves if curves is not None and agrees(curves, table) else None


def _has_baseline(estimator: Any) -> bool:
    """Say whether curves are a baseline raised to a power, by the class."""
    names = {kind.__name__ for kind in type(estimator).__mro__}
    if names & _COX:
        return True
    return bool(names & _BOOSTING) and estimator.loss == "coxph"


def _rows(X: Any, rows: slice) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


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
