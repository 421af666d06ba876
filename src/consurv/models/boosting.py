"""Gradient boosting with one feature a step, by scikit-survival."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from consurv._params import AtLeast, Between, InstanceOf, OneOf, Rule, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.errors import MissingDependency
from consurv.models.base import SurvivalModel
from consurv.models.breslow import breslow

__all__ = ["GradientBoosting"]


class GradientBoosting(SurvivalModel):
    """Cox partial likelihood boosted by component-wise least squares.

    Each stage adds the one feature that helps most; curves use Breslow's baseline.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of stages.
    learning_rate : float, default=0.1
    subsample : float, default=1.0
        Share of the subjects that each stage sees.
    random_state : int, optional
        Seed of the subsampling.

    Attributes
    ----------
    booster_ : sksurv.ensemble.ComponentwiseGradientBoostingSurvivalAnalysis
    baseline_ : Baseline

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (np.ones(100), rng.exponential(np.exp(X[:, 0])))
    >>> GradientBoosting().fit(X, y).score(X, y) > 0.7
    True
    """

    _rules: ClassVar[dict[str, Rule | tuple[Rule, ...]]] = {
        "n_estimators": AtLeast(1),
        "learning_rate": Between(0, np.inf),
        "subsample": (OneOf(1, 1.0), Between(0, 1)),
        "random_state": (
            OneOf(None),
            AtLeast(0),
            InstanceOf(np.random.RandomState),
        ),
    }

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        subsample: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array-like of shape (n, m)
        y : Outcome or anything that ``Outcome.of`` takes

        Returns
        -------
        self

        Raises
        ------
        MissingDependency
            If scikit-survival is not installed.
        """
        check_params(self.get_params(deep=False), self._rules)
        with self._fitting():
            features, outcome = self._check_training(X, y)
            booster = _make_booster(self.get_params(deep=False))
            booster.fit(features, outcome.to_structured())
            self.baseline_ = breslow(booster.predict(features), outcome)
            self.booster_ = booster
        return self

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return self.baseline_.curves(self.booster_.predict(features))


def _make_booster(params: dict[str, Any]) -> Any:
    try:
        from sksurv.ensemble import ComponentwiseGradientBoostingSurvivalAnalysis
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    return ComponentwiseGradientBoostingSurvivalAnalysis(loss="coxph", **params)
