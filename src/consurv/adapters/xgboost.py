"""Boosters of XGBoost with a survival objective."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import clone

from consurv._checks import Float
from consurv._features import in_order
from consurv.adapters.adapter import Adapter, Validation, describe, n_rows
from consurv.adapters.labels import needs_baseline, signed_times
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "XGBoostAdapter", "aft_settings", "margins"]

_AFT, _COX = "survival:aft", "survival:cox"


class XGBoostAdapter(Adapter):
    """Trained AFT boosters give curves, Cox models risks for ``FromRisk``.

    XGBoost's scikit-learn classes cannot be trained on intervals; ``XGBSurvivalAFT``
    from ``consurv.models`` can.

    Examples
    --------
    >>> import xgboost
    >>> rows = xgboost.DMatrix(np.array([[0.0], [1.0]]))
    >>> for bound in ("label_lower_bound", "label_upper_bound"):
    ...     rows.set_float_info(bound, np.array([1.0, 5.0]))
    >>> booster = xgboost.train({"objective": "survival:aft", "nthread": 1}, rows, 3)
    >>> ADAPTER.curves(booster, np.zeros((1, 1)))
    SurvivalCurves(n=1, form=lognormal)
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy; a Booster is itself, it cannot be trained here."""
        return clone(estimator) if hasattr(estimator, "get_params") else estimator

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the class; a Booster must have a round behind it."""
        if hasattr(estimator, "get_booster"):
            return bool(estimator.__sklearn_is_fitted__())
        import xgboost

        try:
            return bool(estimator.num_boosted_rounds() > 0)
        except xgboost.core.XGBoostError:  # made and never trained
            return False

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Ask the booster."""
        names: list[Any] | None = _booster(estimator).feature_names
        return names

    def takes_validation(self, estimator: Any) -> bool:
        """Ask for early stopping."""
        return getattr(estimator, "early_stopping_rounds", None) is not None

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Refuse, with what can be trained."""
        if not hasattr(estimator, "get_booster"):
            raise InvalidInput(
                "a Booster is trained by xgboost.train; use conformalize, which takes "
                "it as it is, or XGBSurvivalAFT from consurv.models"
            )
        if estimator.objective == _COX:
            raise needs_baseline(estimator)
        raise InvalidInput(
            f"{describe(estimator)} has objective {estimator.objective!r} and cannot "
            "be trained on censored times by XGBoost's scikit-learn classes; use "
            "XGBSurvivalAFT or XGBSurvivalCox from consurv.models, or "
            f"FromRisk({describe(estimator)}(objective='survival:cox'))"
        )

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train by the Cox likelihood, whatever the objective was."""
        if not hasattr(estimator, "get_booster"):
            return estimator  # trained already
        estimator.set_params(objective=_COX)
        extra: dict[str, Any] = {}
        if validation is not None and self.takes_validation(estimator):
            extra["eval_set"] = [(validation[0], signed_times(validation[1]))]
        return estimator.fit(X, signed_times(y), verbose=False, **extra)

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the log hazard ratios."""
        return margins(estimator, X)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Say whether the objective is the Cox likelihood."""
        booster = _booster(estimator)
        return bool(_objective(booster)["name"] == _COX)

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        booster = _booster(estimator)
        objective = _objective(booster)
        if objective["name"] == _COX:
            raise needs_baseline(estimator)
        if objective["name"] != _AFT:
            raise InvalidInput(
                f"{describe(estimator)} was trained with {objective['name']!r}, which "
                f"says nothing about survival; train it with {_AFT!r} or {_COX!r}, or "
                "use XGBSurvivalAFT from consurv.models"
            )
        law, scale = aft_settings(objective)
        return SurvivalCurves.from_aft(margins(estimator, X), scale, law)


def margins(estimator: Any, X: Any) -> Float:
    """Return the sums of the trees, up to the best round where training stopped."""
    if hasattr(estimator, "get_booster"):
        found = estimator.predict(X, output_margin=True)
    else:
        from xgboost import DMatrix

        named = hasattr(X, "columns")
        # Columns by name; without names they are taken in the order of training.
        X = in_order(X, estimator.feature_names)
        names = None if named else estimator.feature_names
        rows = DMatrix(X, feature_names=names, enable_categorical=True)
        best = getattr(estimator, "best_iteration", None)
        until = (0, 0) if best is None else (0, best + 1)
        found = estimator.predict(rows, output_margin=True, iteration_range=until)
    margin = np.asarray(found, dtype=np.float64)
    if margin.shape != (n_rows(X),):
        raise InvalidInput(
            f"{describe(estimator)} gave margins of shape {margin.shape} for "
            f"{n_rows(X)} rows; it must give one number for each"
        )
    return margin


def aft_settings(objective: Any) -> tuple[str, float]:
    """Return the law of log T and its scale."""
    settings = objective["aft_loss_param"]
    # Written as a float32: 0.7 comes back as 0.699999988.
    scale = float(str(np.float32(settings["aft_loss_distribution_scale"])))
    return settings["aft_loss_distribution"], scale


def _booster(estimator: Any) -> Any:
    return estimator.get_booster() if hasattr(estimator, "get_booster") else estimator


def _objective(booster: Any) -> Any:
    return json.loads(booster.save_config())["learner"]["objective"]


ADAPTER = XGBoostAdapter()
