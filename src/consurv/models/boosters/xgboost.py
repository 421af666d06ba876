"""XGBoost's survival objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.adapters.labels import signed_times, upper_bounds
from consurv.adapters.xgboost import margins
from consurv.errors import MissingDependency
from consurv.models.boosters.booster import AFT, BoostedSurvival, Cox
from consurv.models.model import Data
from consurv.outcome import Outcome

try:
    import xgboost
except ImportError as error:
    raise MissingDependency("xgboost", "xgboost") from error

__all__ = ["XGBSurvivalAFT", "XGBSurvivalCox"]


class _XGBoost(BoostedSurvival):
    """How XGBoost is trained."""

    def _settings(self, outcome: Outcome) -> dict[str, Any]:
        """Return what the objective needs."""
        raise NotImplementedError

    def _rows(self, data: Data) -> Any:
        """Return features with the labels of the objective."""
        raise NotImplementedError

    def _train(self, data: Data, validation: Data | None, seed: int) -> Any:
        settings = {
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "nthread": 0 if self._threads == -1 else self._threads,
            "seed": seed,
            **self._settings(data[1]),
            **dict(self.params or {}),
        }
        held = [] if validation is None else [(self._rows(validation), "validation")]
        booster = xgboost.train(
            settings,
            self._rows(data),
            self.n_estimators,
            evals=held,
            early_stopping_rounds=self.early_stopping_rounds if held else None,
            verbose_eval=False,
        )
        # Trees past the best would come along wherever the booster goes.
        return booster[: booster.best_iteration + 1] if held else booster

    def _margin(self, features: NDArray[Any]) -> Float:
        return margins(self.booster_, features)


class XGBSurvivalAFT(_XGBoost, AFT):
    """XGBoost with the objective ``survival:aft``: log T = margin(x) + scale · W.

    NaN among the features means missing.

    Parameters
    ----------
    distribution : {"normal", "logistic", "extreme"}, default="normal"
        Of W; T is log-normal, log-logistic or Weibull.
    scale : float or "auto", default="auto"
        > 0. ``"auto"`` takes that of the best law without features. It is too wide for
        a model that knows something, and what is left over is for calibration.
    n_estimators : int, default=500
        Trees, at most.
    learning_rate : float, default=0.05
    max_depth : int, default=4
    early_stopping_rounds : int or None, default=20
        Training stops once the loss of the validation set, given to ``fit`` or held
        out, has not fallen for so many trees, and the best are kept. None trains all
        of them on all rows.
    validation_fraction : float, default=0.1
        Share of the subjects held out if ``fit`` gets no validation set.
    params : mapping, optional
        Settings of XGBoost under its own names; they overrule those above.
    n_jobs : int, optional
        Threads; by default all.
    random_state : int, optional

    Attributes
    ----------
    booster_ : xgboost.Booster
    scale_ : float

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = Outcome(time=np.exp(X[:, 0] + rng.normal(size=300)), event=np.ones(300))
    >>> model = XGBSurvivalAFT(distribution="logistic", random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.7
    True
    """

    def _settings(self, outcome: Outcome) -> dict[str, Any]:
        location = self._start(outcome)
        return {
            "objective": "survival:aft",
            "eval_metric": "aft-nloglik",
            "aft_loss_distribution": self.distribution,
            "aft_loss_distribution_scale": self.scale_,
            # Trees start where times are, whatever their unit.
            "base_score": float(np.exp(location)),
        }

    def _rows(self, data: Data) -> Any:
        rows = xgboost.DMatrix(data[0])
        rows.set_float_info("label_lower_bound", data[1].time)
        rows.set_float_info("label_upper_bound", upper_bounds(data[1], np.inf))
        return rows


class XGBSurvivalCox(_XGBoost, Cox):
    """XGBoost with the objective ``survival:cox`` and Breslow's baseline.

    Parameters
    ----------
    n_estimators, learning_rate, ..., random_state
        As in :class:`XGBSurvivalAFT`.

    Attributes
    ----------
    booster_ : xgboost.Booster
    baseline_ : Baseline
        Of the rows that the booster was trained on.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(300))
    >>> XGBSurvivalCox(random_state=0).fit(X, y).score(X, y) > 0.7
    True
    """

    def _settings(self, outcome: Outcome) -> dict[str, Any]:
        return {"objective": "survival:cox", "eval_metric": "cox-nloglik"}

    def _rows(self, data: Data) -> Any:
        return xgboost.DMatrix(data[0], label=signed_times(data[1]))
