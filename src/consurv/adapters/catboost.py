"""Models of CatBoost with the losses SurvivalAft and Cox."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv._features import in_order
from consurv.adapters.adapter import Adapter, Validation, describe
from consurv.adapters.labels import needs_baseline, upper_bounds
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["ADAPTER", "CatBoostAdapter", "interval_labels"]

_PROPORTIONAL = "SurvivalAft:dist=Extreme;scale=1"
# What CatBoost takes for the end of an interval without one.
_NEVER = -1.0
# Any of these asks for a validation set.
_STOPPING = ("early_stopping_rounds", "od_wait", "od_type", "od_pval")


class CatBoostAdapter(Adapter):
    """SurvivalAft models, trained or to be trained, and Cox risks for ``FromRisk``.

    Examples
    --------
    >>> from catboost import CatBoostRegressor
    >>> model = CatBoostRegressor(
    ...     loss_function="SurvivalAft:dist=Logistic;scale=0.5", iterations=3,
    ...     verbose=False, allow_writing_files=False, thread_count=1)
    >>> y = Outcome(time=[1, 2, 5, 6], event=[1, 1, 0, 1])
    >>> X = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> len(ADAPTER.curves(ADAPTER.fit(model, X, y), X[:3]))
    3
    """

    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy with the same settings."""
        return type(estimator)(**estimator.get_params())

    def is_fitted(self, estimator: Any) -> bool:
        """Ask the model."""
        return bool(estimator.is_fitted())

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Ask the model, which calls the columns of arrays 0, 1, ..."""
        names = list(estimator.feature_names_)
        return None if names == [str(i) for i in range(len(names))] else names

    def takes_validation(self, estimator: Any) -> bool:
        """Ask for a setting of early stopping."""
        return any(estimator.get_params().get(name) for name in _STOPPING)

    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train in place on intervals."""
        loss = _loss(estimator)
        if loss.startswith("Cox"):
            raise needs_baseline(estimator)
        if not loss.startswith("SurvivalAft"):
            raise InvalidInput(
                f"{describe(estimator)} has loss_function={loss!r}, which knows no "
                "censoring; give loss_function='SurvivalAft:dist=Normal;scale=1', or "
                "FromRisk(model) from consurv.models for a Cox model"
            )
        return self._train(estimator, X, y, validation, interval_labels)

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train by SurvivalAft, as given or with a Weibull law: hazards in proportion.

        Not by CatBoost's own loss Cox: in version 1.2.10 results depend on the order
        of rows once there are more than a few hundred.
        """
        if not _loss(estimator).startswith("SurvivalAft"):
            estimator.set_params(loss_function=_PROPORTIONAL)
        # A score needs no unit, and trees start at log time 0.
        unit = float(np.exp(np.log(y.time).mean()))

        def label(outcome: Outcome) -> Float:
            return interval_labels(Outcome(outcome.time / unit, outcome.event))

        return self._train(estimator, X, y, validation, label)

    def _train(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation, label: Any
    ) -> Any:
        extra: dict[str, Any] = {}
        if validation is not None and self.takes_validation(estimator):
            extra["eval_set"] = (validation[0], label(validation[1]))
        if not _asks_for_output(estimator):
            extra["verbose"] = False
        return estimator.fit(X, label(y), **extra)

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return the margins: log hazard ratios of Cox, else times in log."""
        return _raw(estimator, X)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Say whether the loss is the Cox likelihood."""
        return _loss(estimator).startswith("Cox")

    def _predict(self, estimator: Any, X: Any) -> SurvivalCurves:
        loss = _loss(estimator)
        if loss.startswith("Cox"):
            raise needs_baseline(estimator)
        if not loss.startswith("SurvivalAft"):
            raise InvalidInput(
                f"{describe(estimator)} was trained with {loss!r}, which says nothing "
                "about survival; train it with loss_function='SurvivalAft:dist=Normal;"
                "scale=1'"
            )
        settings = dict(re.findall(r"(\w+)=([^;]+)", loss))
        law, scale = settings.get("dist", "Normal"), float(settings.get("scale", 1))
        return SurvivalCurves.from_aft(_raw(estimator, X), scale, law)


def interval_labels(y: Outcome) -> Float:
    """Return the labels of SurvivalAft, the interval that holds each event.

    Examples
    --------
    >>> interval_labels(Outcome(time=[1, 2], event=[1, 0]))
    array([[ 1.,  1.],
           [ 2., -1.]])
    """
    return np.column_stack([y.time, upper_bounds(y, _NEVER)])


def _raw(estimator: Any, X: Any) -> Float:
    names = estimator.feature_names_
    X = in_order(X, names)
    return np.asarray(estimator.predict(X, prediction_type="RawFormulaVal"), float)


def _loss(estimator: Any) -> str:
    """Return the loss; a model that was loaded keeps it among all its settings."""
    loss = estimator.get_params().get("loss_function")
    if loss is None and estimator.is_fitted():
        loss = estimator.get_all_params().get("loss_function")
    return str(loss)


def _asks_for_output(estimator: Any) -> bool:
    names = ("verbose", "silent", "logging_level", "verbose_eval")
    return any(name in estimator.get_params() for name in names)


ADAPTER = CatBoostAdapter()
