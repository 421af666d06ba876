"""CatBoost's survival losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.adapters.catboost import interval_labels
from consurv.errors import MissingDependency
from consurv.models.boosters.booster import AFT, BoostedSurvival, Cox
from consurv.models.boosters.scale import log_likelihood, marginal_scale
from consurv.models.cox import CoxPH
from consurv.models.model import Data
from consurv.outcome import Outcome

try:
    import catboost
except ImportError as error:
    raise MissingDependency("catboost", "catboost") from error

__all__ = ["CatBoostSurvivalAFT", "CatBoostSurvivalCox"]


class _CatBoost(BoostedSurvival):
    """How CatBoost is made and asked."""

    def _model(self, seed: int, **loss: Any) -> Any:
        settings = {
            "iterations": self.n_estimators,
            "learning_rate": self.learning_rate,
            "depth": self.max_depth,
            "thread_count": self._threads,
            "random_seed": seed,
            "verbose": False,
            "allow_writing_files": False,
            **loss,
            **dict(self.params or {}),
        }
        return catboost.CatBoostRegressor(**settings)

    def _train_law(
        self, data: Data, validation: Data | None, seed: int, law: str, scale: float
    ) -> Any:
        """Train by the likelihood of a law of log T, from where times lie."""
        model = self._model(
            seed, loss_function=f"SurvivalAft:dist={law.title()};scale={scale!r}"
        )
        # Trees start at log time 0, so times are counted from where they lie.
        location, _ = marginal_scale(data[1], law)
        unit = float(np.exp(location))
        model.fit(data[0], interval_labels(_divided(data[1], unit)))
        if validation is not None:
            held = _divided(validation[1], unit)
            _keep_best(model, validation[0], held, law, scale)
        model.set_scale_and_bias(1.0, location)
        return model

    def _margin(self, features: NDArray[Any]) -> Float:
        found = self.booster_.predict(features, prediction_type="RawFormulaVal")
        return np.asarray(found, dtype=np.float64)


class CatBoostSurvivalAFT(_CatBoost, AFT):
    """CatBoost with the loss ``SurvivalAft``.

    CatBoost's own measure of it is an error in time. So all trees are grown, and the
    number at which the validation set is likeliest is kept.

    Parameters
    ----------
    distribution, scale, n_estimators, ..., random_state
        As in ``XGBSurvivalAFT``.

    Attributes
    ----------
    booster_ : catboost.CatBoostRegressor
    scale_ : float

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = Outcome(time=np.exp(X[:, 0] + rng.normal(size=300)), event=np.ones(300))
    >>> model = CatBoostSurvivalAFT(n_estimators=99, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """

    def _train(self, data: Data, validation: Data | None, seed: int) -> Any:
        self._start(data[1])
        return self._train_law(data, validation, seed, self.distribution, self.scale_)


class CatBoostSurvivalCox(_CatBoost, Cox):
    """CatBoost with proportional hazards and Breslow's baseline.

    Hazard ratios are found by the likelihood of a Weibull law, which has proportional
    hazards, and the law is then left for Breslow's baseline. CatBoost's own loss
    ``Cox`` is not used: in version 1.2.10 its results depend on the order of rows once
    there are more than a few hundred, and the training likelihood may fall.

    Parameters
    ----------
    n_estimators, learning_rate, ..., random_state
        As in ``XGBSurvivalAFT``.

    Attributes
    ----------
    booster_ : catboost.CatBoostRegressor
        Of log times; a log hazard ratio is minus its margin over ``scale_``.
    scale_ : float
    baseline_ : Baseline
        Of the rows that the booster was trained on.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(300))
    >>> model = CatBoostSurvivalCox(n_estimators=99, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """

    def _train(self, data: Data, validation: Data | None, seed: int) -> Any:
        _, self.scale_ = marginal_scale(data[1], "extreme")
        return self._train_law(data, validation, seed, "extreme", self.scale_)

    def _finish(self, data: Data) -> None:
        # The law's scale is too wide for ratios; those of a Cox model of the margin.
        margin = super()._margin(data[0])
        slope = CoxPH(penalty=1e-4).fit(margin[:, None], data[1]).coef_[0]
        self.scale_ = -1.0 / float(slope) if slope < 0 else self.scale_
        super()._finish(data)

    def _margin(self, features: NDArray[Any]) -> Float:
        return -super()._margin(features) / self.scale_


def _keep_best(
    model: Any, features: NDArray[Any], outcome: Outcome, law: str, scale: float
) -> None:
    """Cut the trees after those at which the outcomes are likeliest."""
    stages = model.staged_predict(features, prediction_type="RawFormulaVal")
    likelihood = [
        log_likelihood(outcome, np.asarray(margin), scale, law) for margin in stages
    ]
    model.shrink(ntree_end=int(np.argmax(likelihood)) + 1)


def _divided(outcome: Outcome, unit: float) -> Outcome:
    return Outcome(time=outcome.time / unit, event=outcome.event)
