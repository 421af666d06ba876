"""CatBoost's survival losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.adapters.catboost import interval_labels
from consurv.adapters.labels import signed_times
from consurv.errors import MissingDependency
from consurv.models.boosters.booster import AFT, BoostedSurvival, Cox
from consurv.models.boosters.scale import log_likelihood
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
        location = self._start(data[1])
        loss = f"SurvivalAft:dist={self.distribution.title()};scale={self.scale_!r}"
        model = self._model(seed, loss_function=loss)
        # Trees start at log time 0, so times are counted from where they lie.
        unit = float(np.exp(location))
        model.fit(data[0], interval_labels(_divided(data[1], unit)))
        if validation is not None:
            self._keep_best(model, validation[0], _divided(validation[1], unit))
        model.set_scale_and_bias(1.0, location)
        return model

    def _keep_best(self, model: Any, features: NDArray[Any], outcome: Outcome) -> None:
        """Cut the trees after those at which the outcomes are likeliest."""
        stages = model.staged_predict(features, prediction_type="RawFormulaVal")
        likelihood = [
            log_likelihood(outcome, np.asarray(margin), self.scale_, self.distribution)
            for margin in stages
        ]
        model.shrink(ntree_end=int(np.argmax(likelihood)) + 1)


class CatBoostSurvivalCox(_CatBoost, Cox):
    """CatBoost with the loss ``Cox`` and Breslow's baseline.

    Parameters
    ----------
    n_estimators, learning_rate, ..., random_state
        As in ``XGBSurvivalAFT``.

    Attributes
    ----------
    booster_ : catboost.CatBoostRegressor
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
        model = self._model(seed, loss_function="Cox")
        extra: dict[str, Any] = {}
        if validation is not None:
            extra["eval_set"] = (validation[0], signed_times(validation[1]))
            extra["early_stopping_rounds"] = self.early_stopping_rounds
        return model.fit(data[0], signed_times(data[1]), **extra)


def _divided(outcome: Outcome, unit: float) -> Outcome:
    return Outcome(time=outcome.time / unit, event=outcome.event)
