"""Models of LightGBM, which give risk scores."""

from __future__ import annotations

from inspect import signature
from typing import Any, NoReturn

import numpy as np
from sklearn.base import clone

from consurv._checks import Float
from consurv._features import in_order
from consurv.adapters.adapter import Adapter, Validation
from consurv.adapters.cox_objective import CoxObjective
from consurv.adapters.labels import needs_baseline, signed_times
from consurv.curves.risk_sets import RiskSets
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "LightGBMAdapter", "TrainedByCox"]


class LightGBMAdapter(Adapter):
    """LightGBM has no survival objective: ``FromRisk`` gives it the Cox likelihood.

    Examples
    --------
    >>> from lightgbm import LGBMRegressor
    >>> ADAPTER.is_fitted(LGBMRegressor())
    False
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy; a Booster is itself, it cannot be trained here."""
        return clone(estimator) if hasattr(estimator, "get_params") else estimator

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the class; a Booster is trained."""
        if not hasattr(estimator, "get_params"):
            return True
        return bool(estimator.__sklearn_is_fitted__())

    def takes_validation(self, estimator: Any) -> bool:
        """Ask for early stopping."""
        params = estimator.get_params() if hasattr(estimator, "get_params") else {}
        return params.get("early_stopping_rounds") is not None

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> NoReturn:
        """Refuse, with the way out."""
        raise needs_baseline(estimator)

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train by the Cox likelihood, whatever the objective was."""
        if not hasattr(estimator, "get_params"):
            return estimator
        extra: dict[str, Any] = {}
        if validation is not None and self.takes_validation(estimator):
            held = validation[1]
            if "eval_X" in signature(estimator.fit).parameters:
                extra["eval_X"], extra["eval_y"] = validation[0], signed_times(held)
            else:  # before LightGBM 4.7
                extra["eval_set"] = [(validation[0], signed_times(held))]
            extra["eval_metric"] = _partial_likelihood
        estimator.set_params(objective=CoxObjective(y))
        estimator.fit(X, signed_times(y), **extra)
        # The likelihood holds the training outcomes, of no use from here on.
        estimator.set_params(objective=TrainedByCox())
        return estimator

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the log hazard ratios."""
        names = getattr(estimator, "feature_name_", None)
        X = in_order(X, names)
        return np.asarray(estimator.predict(X, raw_score=True), dtype=float)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Say whether it was trained here."""
        params = estimator.get_params() if hasattr(estimator, "get_params") else {}
        return isinstance(params.get("objective"), TrainedByCox)

    def _predict(self, estimator: Any, X: Any) -> NoReturn:
        raise needs_baseline(estimator)


class TrainedByCox:
    """Stands for the Cox likelihood in a model that was trained by it."""

    def __call__(self, y_true: Any, scores: Any) -> NoReturn:
        """Refuse: the outcomes are gone."""
        raise RuntimeError("train it anew by FromRisk(model).fit(X, y)")

    def __repr__(self) -> str:
        return "TrainedByCox()"

    def to_kept(self) -> dict[str, Any]:
        """Return nothing, for a file."""
        return {}

    @classmethod
    def from_kept(cls, state: Any) -> TrainedByCox:
        """Return another one."""
        return cls()


def _partial_likelihood(labels: Float, scores: Float) -> tuple[str, float, bool]:
    """Return minus the log partial likelihood per event of validation rows."""
    if not (labels > 0).any():
        return "cox", 0.0, False
    sets = RiskSets(Outcome(time=np.abs(labels), event=labels > 0))
    ordered = np.asarray(scores, dtype=float)[sets.order]
    loss = sets.counts @ sets.log_at_risk(ordered) - ordered[sets.event].sum()
    return "cox", float(loss / sets.counts.sum()), False


ADAPTER = LightGBMAdapter()
