"""A survival forest that is quick to train: neighbours by trees, then Kaplan–Meier.

Trees of scikit-learn split by martingale residuals of the common Kaplan–Meier curve, at
the end of follow-up and early on, which is what log-rank splitting looks at. A new
subject weighs the training rows by how often they share its leaf (as the forests of grf
do), and its curve is the Kaplan–Meier curve of the rows so weighted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestRegressor

from consurv._checks import Float
from consurv._params import AtLeast, Between, OneOf, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.keep.classes import KeptByAttributes
from consurv.outcome import Outcome

__all__ = ["NeighbourForest"]

# The early residual is taken until survival falls to this level.
_EARLY = 0.8


class NeighbourForest(KeptByAttributes, BaseEstimator):  # type: ignore[misc]
    """A forest of neighbours, the default model of censoring.

    It sees more of who is censored when than a linear model does, and needs
    scikit-learn alone.

    Parameters
    ----------
    n_estimators, min_samples_leaf : int
        Number of trees, and fewest training rows in a leaf.
    max_features : float
        Share of the columns that a split looks at.
    random_state : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 1))
    >>> time = rng.exponential(np.where(X[:, 0] > 0.5, 9, 1))
    >>> y = Outcome(time=time, event=[1] * 200)
    >>> forest = NeighbourForest(min_samples_leaf=5, random_state=0).fit(X, y)
    >>> forest.predict_survival_function(np.array([[0.2], [0.8]])).median().round()
    array([1., 9.])
    """

    def __init__(
        self,
        n_estimators: int = 50,
        min_samples_leaf: int = 15,
        max_features: float = 0.5,
        random_state: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> NeighbourForest:
        """Grow the trees."""
        check_params(
            self.get_params(),
            {
                "n_estimators": AtLeast(1),
                "min_samples_leaf": AtLeast(1),
                "max_features": (Between(0, 1), OneOf(1.0)),
            },
        )
        outcome = Outcome.of(y)
        order = np.lexsort((~outcome.event, outcome.time))  # events first
        X, outcome = _numbers(X)[order], outcome[order]
        trees = RandomForestRegressor(
            self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            random_state=self.random_state,
        )
        self.trees_ = trees.fit(X, _residuals(outcome))
        self.leaves_ = trees.apply(X)
        self.outcome_ = outcome
        self.n_features_in_ = X.shape[1]
        return self

    def predict_survival_function(self, X: Any) -> SurvivalCurves:
        """Return weighted Kaplan–Meier curves."""
        weight = self._weights(_numbers(X))
        at_risk = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
        event = self.outcome_.event
        with np.errstate(divide="ignore", invalid="ignore"):
            hazard = np.where(at_risk > 0, weight * event / at_risk, 0.0)
        survival = np.cumprod(1 - np.minimum(hazard, 1.0), axis=1)[:, event]
        times = self.outcome_.time[event]
        return SurvivalCurves(times, np.maximum(survival, 0.0), "step")

    def _weights(self, X: Float) -> Float:
        """Return how much each training row is a neighbour of new ones, (n, N)."""
        weight = np.zeros((len(X), len(self.outcome_)))
        for own, new in zip(self.leaves_.T, self.trees_.apply(X).T, strict=True):
            size = np.bincount(own)
            # Rows by leaf, so that the neighbours of a new one are a stretch of them.
            rows, end = np.argsort(own, kind="stable"), np.cumsum(size)
            many = size[new]
            first = end[new] - many - (np.cumsum(many) - many)
            member = rows[np.repeat(first, many) + np.arange(many.sum())]
            asked = np.repeat(np.arange(len(X)), many)
            weight[asked, member] += np.repeat(1 / many, many)
        return weight / len(self.trees_.estimators_)


def _numbers(X: Any) -> Float:
    try:
        return np.asarray(X, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            "X holds what is no number, and the forest that speaks for censoring by "
            "default cannot read it; encode it, or give censoring_model, such as a "
            "Pipeline that encodes"
        ) from error


def _residuals(outcome: Outcome) -> Float:
    """Return D − Λ(Y) until the end and until an early time, scaled, (n, 2)."""
    curve = KaplanMeier(outcome)
    early = float(curve.percentile_times(np.array([_EARLY]))[0])
    columns = []
    for end in (outcome.time.max(), min(early, outcome.time.max())):
        stop = np.minimum(outcome.time, end)
        seen = outcome.event & (outcome.time <= end)
        survival = np.maximum(curve.survival_at(stop), 1e-3)
        residual = seen + np.log(survival)
        columns.append(residual / max(residual.std(), 1e-12))
    rank = np.argsort(np.argsort(outcome.time)) / len(outcome)
    return np.column_stack([*columns, (rank - 0.5) * np.sqrt(12)])
