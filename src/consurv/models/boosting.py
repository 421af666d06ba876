"""Gradient boosting with one feature a stage."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._params import AtLeast, Between, Constraints, InstanceOf, OneOf
from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.curves.risk_sets import RiskSets
from consurv.models.linear import linear_scores
from consurv.models.model import AT_ONCE, Data, SurvivalModel

__all__ = ["GradientBoosting"]


class GradientBoosting(SurvivalModel):
    """Cox partial likelihood boosted by component-wise least squares.

    A stage takes the gradient of the log partial likelihood by the subjects' scores,
    with Breslow's ties, regresses it on each feature alone, and adds ``learning_rate``
    times the regression on the feature that explains most (the first of equals). n
    subjects with m features cost O(nm) a stage. Curves use Breslow's baseline.
    Features are centred first, so that neither their zero nor their unit matters; a
    constant one gets no weight.

    With ``subsample=1`` this is scikit-survival's
    ``ComponentwiseGradientBoostingSurvivalAnalysis(loss="coxph")`` on centred features
    to rounding; that regresses without an intercept wherever zero is. With
    less, each stage regresses on the drawn subjects alone, the gradient still being
    that of all; scikit-survival draws others and may choose another feature.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of stages.
    learning_rate : float, default=0.1
    subsample : float, default=1.0
        Share of the subjects that each stage sees.
    random_state : int or Generator, optional
        Seed of the subsampling.

    Attributes
    ----------
    coef_ : array of shape (m,)
        Log hazard ratio for one unit of each feature; 0 if no stage chose it.
    mean_ : array of shape (m,)
        The average features.
    baseline_ : Baseline
        Breslow's cumulative hazard of a subject with average features.

    References
    ----------
    Hothorn, Bühlmann: Model-based boosting in high dimensions, Bioinformatics 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (np.ones(100), rng.exponential(np.exp(X[:, 0])))
    >>> model = GradientBoosting().fit(X, y)
    >>> model.coef_.round(2), model.score(X, y) > 0.7
    (array([-0.95, -0.2 ]), True)
    """

    _rules: ClassVar[Constraints] = {
        "n_estimators": AtLeast(1),
        "learning_rate": Between(0, np.inf),
        "subsample": (OneOf(1, 1.0), Between(0, 1)),
        "random_state": (OneOf(None), AtLeast(0), InstanceOf(np.random.Generator)),
    }
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        subsample: float = 1.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.random_state = random_state

    def _fit(self, data: Data, validation: Data | None) -> None:
        features, outcome = data
        # Squares of features in any unit must neither overflow nor vanish.
        exponents = np.frexp(np.abs(features).max(axis=0))[1]
        scaled = np.ldexp(features, -exponents)
        mean = scaled.mean(axis=0)
        scaled -= mean
        # A constant feature, up to rounding, says nothing and gets no weight.
        scaled[:, np.abs(scaled).max(axis=0) <= 1e-10 * np.abs(mean)] = 0.0
        coef = self._boost(scaled, RiskSets(outcome))
        self.coef_ = np.ldexp(coef, -exponents)
        self.mean_ = np.ldexp(mean, exponents)
        self.baseline_ = breslow(scaled @ coef, outcome)

    def _boost(self, features: Float, sets: RiskSets) -> Float:
        """Return the coefficients of centred features after all stages."""
        X = np.asfortranarray(features[sets.order])
        n, m = X.shape
        n_drawn = max(1, int(self.subsample * n))
        squared = X * X if n_drawn < n else None
        squares = np.einsum("ij,ij->j", X, X)
        rng = np.random.default_rng(self.random_state)
        coef, scores = np.zeros(m), np.zeros(n)
        for _ in range(self.n_estimators):
            residuals = sets.residuals(scores)
            if squared is not None:
                drawn = np.zeros(n)
                drawn[rng.choice(n, n_drawn, replace=False, shuffle=False)] = 1.0
                residuals, squares = residuals * drawn, drawn @ squared
            best, slope = _regress(residuals, X, squares)
            coef[best] += self.learning_rate * slope
            scores += self.learning_rate * slope * X[:, best]
        return coef

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return self.baseline_.curves(linear_scores(features, self.mean_, self.coef_))


def _regress(target: Float, X: Float, squares: Float) -> tuple[int, float]:
    """Return the column that explains *target* best on its own, and its slope."""
    products = target @ X
    slopes = np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0)
    best = int(np.argmax(products * slopes))
    return best, float(slopes[best])
