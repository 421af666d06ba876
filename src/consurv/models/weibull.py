"""The likelihood of a Weibull regression, block by block of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from consurv._checks import Float
from consurv.curves.search import row_blocks
from consurv.models.newton import minimise
from consurv.outcome import Outcome

__all__ = ["Regression", "regress"]

# Of its curvature, added for each parameter: features that say the same share their
# coefficient, and the minimum stays where it is.
_DAMPING = 1e-8


class Regression(NamedTuple):
    """log T = intercept + (x − mean)·coef + scale · W, with exp(W) exponential."""

    coef: Float
    intercept: float
    scale: float
    mean: Float


def regress(features: Float, outcome: Outcome, penalty: float) -> Regression:
    """Return the regression with the largest penalised likelihood.

    It minimises −(log likelihood)/n + penalty/2 · (|β|² + (log scale)²), with β the
    coefficients of features that are divided by their standard deviations (n − 1).

    Parameters
    ----------
    features : array of shape (n, m)
        No second table is made of it.
    outcome : Outcome
    penalty : float
        ≥ 0.

    Raises
    ------
    ConsurvError
        If no minimum is found.

    Examples
    --------
    >>> group = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> found = regress(group, Outcome([1, 2, 10, 20], np.ones(4)), penalty=0)
    >>> found.coef.round(6) == np.log(10).round(6)
    array([ True])
    """
    # Steps that go too far end where there is no value, and are halved.
    with np.errstate(over="ignore", invalid="ignore"):
        likelihood = _Likelihood(features, outcome, penalty)
        best = minimise(
            likelihood.value,
            likelihood.hessian,
            likelihood.start(),
            "the Weibull regression",
        )
    coef, scale = best[:-2] * likelihood.weight, float(np.exp(-best[-1]))
    return Regression(coef, float(best[-2]), scale, likelihood.mean)


class _Likelihood:
    """Minus the mean log likelihood with the penalty, and its derivatives.

    Of β, the intercept and the logarithm k of 1/scale: with z = e^k (log t − intercept
    − β·x) a subject adds e^z, and an event −k − z beside it.
    """

    def __init__(self, features: Float, outcome: Outcome, penalty: float) -> None:
        self.features, self.event = features, outcome.event.astype(np.float64)
        self.log_time = np.log(outcome.time)
        self.mean: Float = features.mean(axis=0)
        self.weight = _weights(features, self.mean)
        self.penalty = np.full(features.shape[1] + 2, penalty)
        self.penalty[-2] = 0.0

    def start(self) -> Float:
        """Return the law without features whose log T has the observed spread."""
        params, spread = np.zeros(len(self.penalty)), np.std(self.log_time)
        # That of log T is π/√6 of the scale.
        params[-1] = np.log(np.pi / np.sqrt(6) / spread) if spread > 0 else 0.0
        shape = np.exp(params[-1])
        events = np.log(self.event.sum())
        params[-2] = (logsumexp(shape * self.log_time) - events) / shape
        return params

    def value(self, params: Float) -> tuple[float, Float]:
        """Return the loss and its gradient."""
        n, shape = len(self.features), np.exp(params[-1])
        loss, gradient = 0.0, np.zeros(len(params))
        for Z, z, hazard, event in self._blocks(params):
            excess = event - hazard
            loss += float(hazard.sum() - event @ z - params[-1] * event.sum())
            gradient[:-2] += shape * (excess @ Z)
            gradient[-2] += shape * excess.sum()
            gradient[-1] -= excess @ z + event.sum()
        loss = loss / n + float(self.penalty @ params**2) / 2
        return loss, gradient / n + self.penalty * params

    def hessian(self, params: Float) -> Float:
        """Return the matrix of second derivatives."""
        n, m, shape = len(self.features), len(params) - 2, np.exp(params[-1])
        H = np.zeros((m + 2, m + 2))
        for Z, z, hazard, event in self._blocks(params):
            mixed = event - hazard * (1 + z)
            H[m + 1, :m] += shape * (mixed @ Z)
            H[m + 1, m] += shape * mixed.sum()
            H[m + 1, m + 1] += ((1 + z) * hazard - event) @ z
            H[m, :m] += shape**2 * (hazard @ Z)
            H[m, m] += shape**2 * hazard.sum()
            Z *= (shape * np.sqrt(hazard))[:, None]
            H[:m, :m] += Z.T @ Z
        H[:m, m:], H[m, m + 1] = H[m:, :m].T, H[m + 1, m]
        H /= n
        H[np.diag_indices(m + 2)] += self.penalty + _DAMPING * np.abs(np.diag(H))
        return H

    def _blocks(self, params: Float) -> Iterator[tuple[Float, Float, Float, Float]]:
        """Yield standardised features, z, e^z and events of some rows at a time."""
        shape = np.exp(params[-1])
        for rows in row_blocks(*self.features.shape):
            Z = self.features[rows] - self.mean
            Z *= self.weight
            z = shape * (self.log_time[rows] - params[-2] - Z @ params[:-2])
            yield Z, z, np.exp(z), self.event[rows]


def _weights(features: Float, mean: Float) -> Float:
    """Return 1/standard deviation of each feature, with n − 1 as lifelines has it.

    A constant feature, up to rounding, says nothing and gets 0.
    """
    far = np.maximum(features.max(axis=0) - mean, mean - features.min(axis=0))
    varies = far > 1e-10 * np.maximum(np.abs(mean), 1e-290)
    far = np.where(varies, far, 1.0)
    squares = np.zeros(len(mean))
    for rows in row_blocks(*features.shape):
        # Of numbers of any size, since none is above 1.
        squares += (((features[rows] - mean) / far) ** 2).sum(axis=0)
    squares = np.where(varies, squares, np.inf)
    weights: Float = np.sqrt((len(features) - 1) / squares) / far
    return weights
