"""scikit-learn's FrozenEstimator: a model that is fitted already and stays so."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError

from consurv._checks import Float
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.lookup import adapter_for, risk_adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "FrozenAdapter"]


class FrozenAdapter(Adapter):
    """The model inside answers; training leaves it alone, so no validation set.

    Examples
    --------
    >>> from sklearn.frozen import FrozenEstimator
    >>> frozen = FrozenEstimator(lambda X: ([1.0], [[0.5]] * len(X)))
    >>> ADAPTER.clone(frozen) is frozen, ADAPTER.is_fitted(frozen)
    (True, True)
    """

    def clone(self, estimator: Any) -> Any:
        """Return the frozen estimator itself, as scikit-learn does."""
        return estimator

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the adapter of the model inside."""
        # Not the wrapper's own check, which fails on models that scikit-learn does
        # not know, such as lifelines'.
        inner = estimator.estimator
        return adapter_for(inner).is_fitted(inner)

    def trains(self, estimator: Any) -> bool:
        """Say no: a frozen model stays as it is."""
        return False

    def fit(
        self,
        estimator: Any,
        X: Any,
        y: Outcome,
        validation: Validation = None,
    ) -> Any:
        """Return the estimator as it is, once it is sure that it was fitted."""
        if not self.is_fitted(estimator):
            raise _not_fitted(estimator.estimator)
        return estimator

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Ask the adapter of the model inside."""
        inner = estimator.estimator
        return adapter_for(inner).feature_names(inner)

    def warn_of_fit(self, estimator: Any) -> None:
        """Ask the adapter of the model inside."""
        inner = estimator.estimator
        adapter_for(inner).warn_of_fit(inner)

    def own_levels(self, estimator: Any) -> Float | None:
        """Ask the adapter of the model inside."""
        inner = estimator.estimator
        return adapter_for(inner).own_levels(inner)

    def own_percentile_times(self, estimator: Any, X: Any) -> Float:
        """Return those of the model inside."""
        inner = estimator.estimator
        return adapter_for(inner).own_percentile_times(inner, X)

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Return the estimator as it is, once it is sure that it was fitted."""
        inner = estimator.estimator
        if not risk_adapter_for(inner).is_fitted(inner):
            raise _not_fitted(inner)
        return estimator

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the scores of the model inside."""
        inner = estimator.estimator
        return risk_adapter_for(inner).risk(inner, X)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Ask the adapter of the model inside."""
        inner = estimator.estimator
        return risk_adapter_for(inner).is_log_hazard(inner)

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        inner = estimator.estimator
        return adapter_for(inner).curves(inner, X)


def _not_fitted(inner: Any) -> NotFittedError:
    return NotFittedError(
        f"the {describe(inner)} inside FrozenEstimator is not fitted; fit it first, or "
        "give it without FrozenEstimator"
    )


ADAPTER = FrozenAdapter()
