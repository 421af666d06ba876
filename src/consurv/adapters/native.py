"""Estimators that follow scikit-learn and have ``predict_survival_function``."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from consurv._checks import Float, check_plain
from consurv._features import in_order
from consurv.adapters.adapter import Adapter, Validation, describe, n_rows
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "NativeAdapter"]


class NativeAdapter(Adapter):
    """Our own estimators and any that look like them.

    ``fit(X, y)`` gets the outcomes as a structured array (event, time), and the
    validation set as ``X_val`` and ``y_val`` if it has parameters of these names. An
    estimator that has them but trains without them says so by the attribute
    ``uses_validation = False``; then none is split off for it.

    Percentile times of its own, beside the curves, come from an estimator's
    ``predict_percentile_times(X)``, a column for each of the ``levels_`` it has.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> class Exponential(BaseEstimator):
    ...     def fit(self, X, y):
    ...         self.rate_ = y["event"].sum() / y["time"].sum()
    ...         return self
    ...     def predict_survival_function(self, X):
    ...         times = np.array([1.0, 2.0])
    ...         return times, np.tile(np.exp(-self.rate_ * times), (len(X), 1))
    >>> y = Outcome(time=[1, 2, 4], event=[1, 0, 1])
    >>> model = ADAPTER.fit(Exponential(), np.ones((3, 1)), y)
    >>> ADAPTER.is_fitted(model), ADAPTER.takes_validation(model)
    (True, False)
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy, as scikit-learn makes it."""
        try:
            return clone(estimator)
        except TypeError as error:
            raise InvalidInput(
                f"{describe(estimator)} cannot be copied for training ({error}); let "
                "it derive from sklearn.base.BaseEstimator, or train it yourself and "
                "use conformalize"
            ) from error

    def is_fitted(self, estimator: Any) -> bool:
        """Ask scikit-learn; without its tags, look for attributes that end in _."""
        if not hasattr(estimator, "fit"):
            return True  # it came as it is and can only predict
        if not hasattr(estimator, "__sklearn_tags__"):
            names = getattr(estimator, "__dict__", {})
            return any(name.endswith("_") and name[0] != "_" for name in names)
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            return False
        return True

    def takes_validation(self, estimator: Any) -> bool:
        """Ask for ``X_val`` and ``y_val`` in ``fit`` and for ``uses_validation``."""
        if not hasattr(estimator, "fit"):
            return False
        takes = {"X_val", "y_val"} <= set(signature(estimator.fit).parameters)
        return takes and bool(getattr(estimator, "uses_validation", True))

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train in place on a structured array (event, time)."""
        if not hasattr(estimator, "fit"):
            raise InvalidInput(
                f"{describe(estimator)} has no fit and cannot be trained; use "
                "conformalize, which takes it as it is"
            )
        check_plain(X, "X")
        extra = {}
        if validation is not None and self.takes_validation(estimator):
            extra = {"X_val": validation[0], "y_val": validation[1].to_structured()}
        estimator.fit(X, y.to_structured(), **extra)
        return estimator

    def own_levels(self, estimator: Any) -> Float | None:
        """Return ``levels_`` if there is a ``predict_percentile_times`` to go with."""
        if not hasattr(estimator, "predict_percentile_times"):
            return None
        levels: Float | None = getattr(estimator, "levels_", None)
        return levels

    def own_percentile_times(self, estimator: Any, X: Any) -> Float:
        """Return what ``predict_percentile_times`` gives, if its shape is right."""
        check_plain(X, "X")
        X = in_order(X, getattr(estimator, "feature_names_in_", None))
        found = estimator.predict_percentile_times(X)
        check_plain(found, f"what {describe(estimator)} gave as percentile times")
        times: Float = np.asarray(found, dtype=float)
        wanted = (n_rows(X), len(estimator.levels_))
        if times.shape != wanted:
            raise InvalidInput(
                f"{describe(estimator)} gave percentile times of shape {times.shape} "
                f"for {wanted[0]} rows of X and {wanted[1]} levels; it must give a row "
                "for each row of X and a column for each of levels_"
            )
        return times

    def _predict(self, estimator: Any, X: Any) -> Any:
        return estimator.predict_survival_function(X)


ADAPTER = NativeAdapter()
