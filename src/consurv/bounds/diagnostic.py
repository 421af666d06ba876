"""Does the model's own curve explain censoring? A test by the calibration subjects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.bounds.methods.aipcw import Augmented
from consurv.bounds.sample import Sample, before
from consurv.errors import InvalidInput

__all__ = ["CensoringTest", "censoring_test"]

# Where both estimates of survival are compared: early, where bounds are.
_LEVELS = np.array([0.95, 0.9, 0.8, 0.7])
_DRAWS = 4000


@dataclass(frozen=True)
class CensoringTest:
    """Whether censored subjects go on as the model says.

    Attributes
    ----------
    levels : ndarray of shape (m,)
        Where the model's curves were read.
    gap : ndarray of shape (m,)
        What the model adds to survival there, compared with inverse weights: above 0
        it is too optimistic of those who were censored.
    z : ndarray of shape (m,)
        The gaps in their standard errors.
    p_value : float
        Of the largest |z|, all levels together.
    """

    levels: Float
    gap: Float
    z: Float
    p_value: float

    @property
    def explained(self) -> bool:
        """Whether the model's own curve may speak for the censored."""
        return self.p_value >= 0.05


def censoring_test(sample: Sample, least_seen: float | None = None) -> CensoringTest:
    """Test whether a model's own curve speaks for those who are censored.

    At a level ρ with q = q(ρ|x), own-curve rules count a censored subject as
    m = S(q⁻|x)/S(Y|x) if Y < q, everybody else as 1(Y ≥ q). AIPCW counts θ. If S is
    right, both have the mean P(T ≥ q), whatever G is: their difference is a sum of
    (1/G − 1)·dM, M the martingale of the events. If S is wrong where G is small, the
    difference is not 0 on average.

    The largest |mean|/(standard error) over a few levels is compared with that of
    normal variables of the same correlation.
    """
    sample = sample.capped(least_seen)
    levels = _LEVELS
    q, covered = sample.bounds(levels), sample.covered(levels)
    theta = Augmented(sample).at(q, covered)
    known = sample.outcome.event[:, None] | covered
    at = np.maximum(sample.score, np.finfo(float).tiny)[:, None]
    own = np.where(known, covered, np.minimum(before(sample.model, q) / at, 1.0))
    difference = own - theta
    if np.isnan(difference).any():
        raise InvalidInput("the censoring model gives G = 0")
    n = len(sample)
    mean = difference.mean(axis=0)
    covariance = np.atleast_2d(np.cov(difference.T)) / n
    error = np.sqrt(np.diag(covariance))
    some = error > 0
    if not some.any():
        return CensoringTest(levels, mean, np.zeros(len(levels)), 1.0)
    z = np.divide(mean, error, out=np.zeros(len(levels)), where=some)
    scale = np.where(some, error, 1.0)
    rng = np.random.default_rng(0)
    draws = rng.multivariate_normal(
        np.zeros(len(levels)), covariance / np.outer(scale, scale), _DRAWS
    )
    largest = np.abs(draws).max(axis=1)
    p = (1 + np.count_nonzero(largest >= np.abs(z).max())) / (_DRAWS + 1)
    return CensoringTest(levels, mean, z, float(p))
