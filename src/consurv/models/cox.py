"""The Cox model with a small ridge."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._params import Between, Constraints
from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.curves.risk_sets import RiskSets
from consurv.models.linear import linear_scores
from consurv.models.model import AT_ONCE, Data, SurvivalModel
from consurv.models.newton import minimise
from consurv.outcome import Outcome

__all__ = ["CoxPH"]


class CoxPH(SurvivalModel):
    """Proportional hazards with a linear log hazard ratio.

    Minimises −(log partial likelihood)/n + penalty/2 · |β|², with β the coefficients of
    standardised features and Breslow's ties. With a penalty the solution is unique, so
    that collinear features and more features than subjects do no harm.

    Parameters
    ----------
    penalty : float, default=0.01
        Weight of the ridge, > 0.

    Attributes
    ----------
    coef_ : array of shape (m,)
        Log hazard ratio for one unit of each feature.
    baseline_ : Baseline
        Breslow's cumulative hazard of a subject with average features.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = (np.ones(500), rng.exponential(np.exp(-X[:, 0])))
    >>> CoxPH().fit(X, y).score(X, y) > 0.7
    True
    """

    _rules: ClassVar[Constraints] = {"penalty": Between(0, np.inf)}
    _chunk_rows: ClassVar[int] = AT_ONCE

    def __init__(self, *, penalty: float = 0.01) -> None:
        self.penalty = penalty

    def _fit(self, data: Data, validation: Data | None) -> None:
        features, outcome = data
        mean, scale = features.mean(axis=0), features.std(axis=0)
        # A constant feature, up to rounding, says nothing and gets no weight.
        varies = scale > 1e-10 * np.maximum(np.abs(mean), 1e-300)
        scale = np.where(varies, scale, 1.0)
        Z = np.where(varies, (features - mean) / scale, 0.0)
        beta = _solve(Z, outcome, self.penalty)
        self.coef_ = beta / scale
        self.mean_ = mean
        self.baseline_ = breslow(Z @ beta, outcome)

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        return self.baseline_.curves(linear_scores(features, self.mean_, self.coef_))


def _solve(Z: Float, outcome: Outcome, penalty: float) -> Float:
    """Return the coefficients; more features than subjects are rotated away.

    The ridge does not change under rotation and the solution lies in the span of the
    rows, so that at most n coordinates remain.
    """
    n, m = Z.shape
    if m <= n:
        return _newton(Z, outcome, penalty)
    U, lengths, axes = np.linalg.svd(Z, full_matrices=False)
    beta: Float = _newton(U * lengths, outcome, penalty) @ axes
    return beta


def _newton(Z: Float, outcome: Outcome, penalty: float) -> Float:
    likelihood = _PartialLikelihood(Z, outcome)
    n, m = Z.shape

    def value(beta: Float) -> tuple[float, Float]:
        loss, gradient = likelihood.value(beta)
        return (
            loss / n + penalty / 2 * float(beta @ beta),
            gradient / n + penalty * beta,
        )

    def hessian(beta: Float) -> Float:
        curvature: Float = likelihood.hessian(beta) / n + penalty * np.eye(m)
        return curvature

    return minimise(value, hessian, np.zeros(m), "the Cox model")


class _PartialLikelihood:
    """Minus the log partial likelihood with Breslow's ties, and its derivatives."""

    def __init__(self, Z: Float, outcome: Outcome) -> None:
        self.sets = RiskSets(outcome)
        self.Z = Z[self.sets.order]

    def value(self, beta: Float) -> tuple[float, Float]:
        """Return the loss and its gradient."""
        scores = self.Z @ beta
        loss = self.sets.counts @ self.sets.log_at_risk(scores)
        loss -= scores[self.sets.event].sum()
        return float(loss), -(self.Z.T @ self.sets.residuals(scores))

    def hessian(self, beta: Float) -> Float:
        """Return the matrix of second derivatives.

        Σ over events of the weighted second moments in the risk set is one product
        weighted by each row's expected events; the means take another product.
        """
        scores = self.Z @ beta
        log_at_risk, counts = self.sets.log_at_risk(scores), self.sets.counts
        expected = self.sets.expected(scores)
        weights, top = np.exp(scores - scores.max()), scores.max()
        sums = np.cumsum(self.Z * weights[:, None], axis=0)[self.sets.closes]
        # Where all weights of a set underflow its mean is lost, at worst a slow step.
        totals = np.maximum(np.exp(log_at_risk - top), np.finfo(float).tiny)
        means = sums / totals[:, None]
        second = (self.Z * expected[:, None]).T @ self.Z
        result: Float = second - (means * counts[:, None]).T @ means
        return result
