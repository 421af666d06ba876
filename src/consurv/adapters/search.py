"""scikit-learn's parameter searches (GridSearchCV and the like)."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from consurv._checks import Float, check_plain
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.lookup import adapter_for, risk_adapter_for
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "SearchAdapter"]


class SearchAdapter(Adapter):
    """A search trains by its own cross-validation; its best estimator gives curves.

    A validation set is not passed on: the search would hand the same one to every
    fold, cut it like the training rows where the lengths happen to agree, and could
    not take it through the steps of a Pipeline.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from sklearn.model_selection import GridSearchCV
    >>> ADAPTER.is_fitted(GridSearchCV(BaseEstimator(), {}))
    False
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy, as scikit-learn makes it."""
        return clone(estimator)

    def is_fitted(self, estimator: Any) -> bool:
        """Say whether there is a best estimator."""
        return hasattr(estimator, "best_estimator_")

    def fit(
        self,
        estimator: Any,
        X: Any,
        y: Outcome,
        validation: Validation = None,
    ) -> Any:
        """Search, and train the best estimator on all rows."""
        if estimator.refit is False:
            raise InvalidInput(
                f"{describe(estimator)} has refit=False and so no best estimator to "
                "give curves; set refit=True"
            )
        check_plain(X, "X")
        estimator.fit(X, y.to_structured())
        return estimator

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Ask the adapter of the best estimator."""
        best = estimator.best_estimator_
        return adapter_for(best).feature_names(best)

    def warn_of_fit(self, estimator: Any) -> None:
        """Ask the adapter of the best estimator."""
        best = estimator.best_estimator_
        adapter_for(best).warn_of_fit(best)

    def own_levels(self, estimator: Any) -> Float | None:
        """Ask the adapter of the best estimator."""
        best = estimator.best_estimator_
        return adapter_for(best).own_levels(best)

    def own_percentile_times(self, estimator: Any, X: Any) -> Float:
        """Return those of the best estimator."""
        best = estimator.best_estimator_
        return adapter_for(best).own_percentile_times(best, X)

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the scores of the best estimator."""
        best = estimator.best_estimator_
        return risk_adapter_for(best).risk(best, X)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Ask the adapter of the best estimator."""
        best = estimator.best_estimator_
        return risk_adapter_for(best).is_log_hazard(best)

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        best = estimator.best_estimator_
        return adapter_for(best).curves(best, X)


ADAPTER = SearchAdapter()
