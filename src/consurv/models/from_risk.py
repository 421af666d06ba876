"""FromRisk: survival curves of any model that ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from consurv._checks import Float, as_floats, check_plain, from_arrow
from consurv._features import in_order
from consurv._params import Between, Constraints, OneOf
from consurv.adapters import risk_adapter_for
from consurv.adapters.adapter import describe, n_rows
from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.models.cox import CoxPH
from consurv.models.model import Data, SurvivalModel
from consurv.outcome import Outcome

__all__ = ["FromRisk"]


class FromRisk(SurvivalModel):
    """A model that gives a risk score, with Breslow's baseline.

    ``fit`` trains a copy of the model and estimates the baseline from its scores of the
    training rows. Models of XGBoost and LightGBM are trained by the Cox likelihood,
    CatBoost's by that of a Weibull law; others by their own ``fit(X, y)`` with a
    structured y (event, time), such as scikit-survival's. Given as
    ``FrozenEstimator(model)``, a Booster or a function X -> scores, the model is taken
    as it is and only the baseline is estimated.

    Parameters
    ----------
    model : object
        With ``predict``, or a function X -> scores of shape (n,).
    slope : float or "auto", default="auto"
        What a score is multiplied by to be a log hazard ratio. ``"auto"`` is 1 where
        the model was trained by the Cox likelihood, and otherwise that of a Cox model
        of the score alone: negative where high scores mean late events.

    Attributes
    ----------
    model_ : object
        The trained model.
    slope_ : float
    baseline_ : Baseline

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(300))
    >>> model = FromRisk(lambda X: 10 * X[:, 0]).fit(X, y)
    >>> round(model.slope_, 1), len(model.predict_survival_function(X[:3]))
    (0.1, 3)
    """

    _rules: ClassVar[Constraints] = {
        "slope": (OneOf("auto"), Between(-np.inf, np.inf)),
    }

    def __init__(self, model: Any, *, slope: float | Literal["auto"] = "auto") -> None:
        self.model = model
        self.slope = slope

    @property
    def uses_validation(self) -> bool:  # type: ignore[override]
        """Whether the model stops by a validation set."""
        return risk_adapter_for(self.model).takes_validation(self.model)

    def _check_rows(
        self, X: Any, *, reset: bool = False, ensure_min_samples: int = 1
    ) -> Any:
        """Return the table as the model is to see it: its own columns, unchanged."""
        check_plain(X, "X")
        X = from_arrow(X)
        X = X if hasattr(X, "shape") else np.asarray(X)
        if not reset:
            X = in_order(X, getattr(self, "feature_names_in_", None))
        if len(X.shape) != 2 or n_rows(X) < ensure_min_samples:
            raise InvalidInput(
                f"X has shape {tuple(X.shape)}; it must be a table with at least "
                f"{ensure_min_samples} row(s)"
            )
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _fit(self, data: Data, validation: Data | None) -> None:
        X, outcome = data
        adapter = risk_adapter_for(self.model)
        model = adapter.clone(self.model)
        try:
            model = adapter.fit_risk(model, X, outcome, validation)
        except (TypeError, ValueError) as error:
            said = isinstance(error, InvalidInput | NotFittedError)
            if said or not _is_plain(model):
                raise
            raise InvalidInput(
                f"{describe(model)} cannot be trained on times with censoring "
                f"({error}); train it yourself on what you like and give "
                "FromRisk(FrozenEstimator(model))"
            ) from error
        self.model_ = model
        scores = self._scores(X)
        self.slope_ = self._find_slope(scores, outcome)
        self.baseline_ = breslow(self.slope_ * scores, outcome)

    def _find_slope(self, scores: Float, outcome: Outcome) -> float:
        if self.slope != "auto":
            return float(self.slope)
        if risk_adapter_for(self.model_).is_log_hazard(self.model_):
            return 1.0
        # A tiny ridge: the slope is finite where scores separate events perfectly.
        return float(CoxPH(penalty=1e-4).fit(scores[:, None], outcome).coef_[0])

    def _scores(self, X: Any) -> Float:
        """Return one score for each row."""
        found = risk_adapter_for(self.model_).risk(self.model_, X)
        name = f"what {describe(self.model_)} gave as scores"
        scores: Float = as_floats(found, name)
        if len(scores) != n_rows(X):
            raise InvalidInput(
                f"{describe(self.model_)} gave {len(scores)} scores for {n_rows(X)} "
                "rows of X; it must give one for each row, in their order"
            )
        return scores

    def predict(self, X: Any) -> Float:
        """Return the log hazard ratio of every row, higher for an earlier event."""
        check_is_fitted(self, "baseline_")
        return self.slope_ * self._scores(self._check_rows(X))

    def _predict_chunks(self, features: Any) -> Iterator[SurvivalCurves]:
        # A number for each subject: nothing to be saved by parts.
        yield self._predict_rows(features)

    def _predict_rows(self, features: Any) -> SurvivalCurves:
        return self.baseline_.curves(self.slope_ * self._scores(features))


def _is_plain(model: Any) -> bool:
    """Say whether a model is a regressor of scikit-learn, which knows no censoring."""
    return type(model).__module__.partition(".")[0] == "sklearn"
