"""Weibull regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consurv._params import AtLeast, Constraints
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Weibull
from consurv.errors import InvalidInput
from consurv.models.linear import linear_scores
from consurv.models.model import AT_ONCE, Data, SurvivalModel
from consurv.models.weibull import regress

__all__ = ["WeibullAFT"]


class WeibullAFT(SurvivalModel):
    """Accelerated failure time: log T = intercept + (x − mean)·β + σ·W.

    T is Weibull of shape 1/σ. Minimises −(log likelihood)/n + penalty/2 · (|β|² +
    (log σ)²), with β the coefficients of features divided by their standard deviations:
    the regression that lifelines' ``WeibullAFTFitter`` finds with the same penalty.
    Neither the zero nor the unit of features and times matters. Features that do not
    vary have the coefficient 0, and more features than events are refused.

    Parameters
    ----------
    penalty : float, default=0.01
        Weight of the L2 penalty.

    Attributes
    ----------
    coef_ : array of shape (m,)
        What one unit of each feature adds to log T.
    intercept_ : float
        log T of a subject with average features, but for σ·W; with lifelines, which
        counts from features of 0, it is ``intercept_ - mean_ @ coef_``.
    scale_ : float
        σ; the shape of the Weibull law is 1/σ.
    mean_ : array of shape (m,)
        The average features.
    last_time_ : float
        The largest time of training.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 1))
    >>> y = (np.ones(2000), np.exp(3 + X[:, 0]) * rng.weibull(2, 2000))
    >>> model = WeibullAFT(penalty=0).fit(X, y)
    >>> model.coef_.round(1), round(model.intercept_, 1), round(1 / model.scale_, 1)
    (array([1.]), 3.0, 2.0)
    >>> model.score(X, y) > 0.7
    True
    """

    _rules: ClassVar[Constraints] = {"penalty": AtLeast(0, real=True)}
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(self, *, penalty: float = 0.01) -> None:
        self.penalty = penalty

    def _fit(self, data: Data, validation: Data | None) -> None:
        features, outcome = data
        if features.shape[1] > outcome.n_events:
            raise InvalidInput(
                f"X has {features.shape[1]} features and y only "
                f"{outcome.n_events} events, too few for a Weibull regression; "
                "drop features, or choose coxph, gradient-boosting or a deep model"
            )
        found = regress(features, outcome, self.penalty)
        self.coef_, self.intercept_, self.scale_, self.mean_ = found
        self.last_time_ = float(outcome.time.max())

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        location = self.intercept_ + linear_scores(features, self.mean_, self.coef_)
        scale = np.full(len(features), self.scale_)
        return SurvivalCurves._of(Weibull(location, scale, self.last_time_))
