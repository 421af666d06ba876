"""A plain function X -> (times, survival)."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from consurv._checks import Float
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "FunctionAdapter"]


class FunctionAdapter(Adapter):
    """A function that maps features to curves; it is always ready, never trained.

    Examples
    --------
    >>> def halves(X):
    ...     return [1.0, 2.0], [[0.5, 0.25]] * len(X)
    >>> ADAPTER.curves(halves, [[0.0], [0.0], [0.0]]).median()
    array([1., 1., 1.])
    """

    def clone(self, estimator: Any) -> Any:
        """Return the function itself: it has nothing to forget."""
        return estimator

    def is_fitted(self, estimator: Any) -> bool:
        """Say yes: a function can always be called."""
        return True

    def fit(
        self,
        estimator: Any,
        X: Any,
        y: Outcome,
        validation: Validation = None,
    ) -> NoReturn:
        """Refuse: there is nothing to train."""
        raise InvalidInput(
            f"{describe(estimator)} is a function and cannot be trained; use "
            "conformalize, which takes it as it is"
        )

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Return the function: scores need no training."""
        return estimator

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return what the function says of each row."""
        return np.asarray(estimator(X), dtype=float)

    def _predict(self, estimator: Any, X: Any) -> Any:
        return estimator(X)


ADAPTER = FunctionAdapter()
