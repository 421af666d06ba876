"""Does the model's own curve explain censoring? A test by subjects it never saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv._params import AtLeast, check_params, make_rng
from consurv._warnings import warn
from consurv.bounds.collecting import from_rows
from consurv.bounds.forest import NeighbourForest
from consurv.conformal.censoring.nuisance import Nuisance
from consurv.conformal.reading.inputs import check_data, check_enough
from consurv.conformal.reading.raw_model import RawModel
from consurv.weighting.augmented import Augmented
from consurv.weighting.sample import Sample, before
from consurv.weighting.weights import check_seen

__all__ = ["CensoringTest", "advice", "censoring_test", "check_censoring"]

# Where both estimates of survival are compared: early, where bounds are.
_LEVELS = np.array([0.95, 0.9, 0.8, 0.7])
_DRAWS = 4000
# What is flagged: less is within what a right model misses by having been trained.
_SIGNIFICANT, _MATTERS = 0.05, 0.01


@dataclass(frozen=True)
class CensoringTest:
    """Whether censored subjects go on as the model says.

    Attributes
    ----------
    levels : ndarray of shape (m,)
        Where the model's curves were read.
    gap : ndarray of shape (m,)
        What the model adds to survival there, compared with AIPCW: above 0 it is too
        optimistic of those who were censored.
    z : ndarray of shape (m,)
        The gaps in their standard errors.
    p_value : float
        Of the largest z, all levels together.

    Examples
    --------
    >>> found = CensoringTest(
    ...     np.array([0.5]), gap=np.array([0.04]), z=np.array([3.1]), p_value=0.002
    ... )
    >>> found.explained
    False
    """

    levels: Float
    gap: Float
    z: Float
    p_value: float

    @property
    def explained(self) -> bool:
        """Whether the model's own curve may speak for the censored.

        Not if p < 0.05 and a gap is above 0.01.
        """
        return self.p_value >= _SIGNIFICANT or float(self.gap.max()) <= _MATTERS


def censoring_test(sample: Sample, least_seen: float | None = None) -> CensoringTest:
    """Test whether the model's own curves speak for those who are censored.

    At a level ρ with q = q(ρ|x), rules that follow the model's own curve count a
    censored subject as m = S(q⁻|x)/S(Y|x) if Y < q, everybody else as 1(Y ≥ q).
    ``"aipcw"`` counts θ. If S is right both have the mean P(T ≥ q), whatever G is:
    m − θ is an integral of (1/G − 1) times the martingale of the events. If S is too
    optimistic where G is small, its mean is above 0. The largest mean in standard
    errors, over a few levels, is compared with that of normal variables of the same
    correlation.

    Parameters
    ----------
    sample : Sample
        Censored.
    least_seen : float, optional
        Curves are compared up to where G falls to this.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> rng = np.random.default_rng(0)
    >>> T, C = rng.exponential(10, 900), rng.exponential(20, 900)
    >>> y = Outcome(time=np.minimum(T, C), event=T <= C)
    >>> times = np.linspace(0.1, 40, 300)
    >>> s, g = (SurvivalCurves(times, [np.exp(-times / m)] * 900) for m in (10, 20))
    >>> censoring_test(Sample(y, s, g)).explained
    True
    """
    sample = sample.capped(least_seen)
    q, covered = sample.bounds(_LEVELS), sample.covered(_LEVELS)
    theta = check_seen(Augmented(sample).at(q, covered))
    known = sample.outcome.event[:, None] | covered
    at = np.maximum(sample.score, np.finfo(float).tiny)[:, None]
    own = np.where(known, covered, np.minimum(before(sample.model, q) / at, 1.0))
    return _test((own - theta) * sample.counts[:, None] / sample.counts.mean())


def _test(difference: Float) -> CensoringTest:
    """Test whether the means of columns (n, m) are at most 0."""
    gap = difference.mean(axis=0)
    covariance = np.cov(difference.T) / len(difference)
    error = np.sqrt(np.diag(covariance))
    varies = error > 0
    scale = np.where(varies, error, 1.0)
    z: Float = np.where(varies, gap / scale, 0.0)
    rng = np.random.default_rng(0)
    correlation = covariance / np.outer(scale, scale)
    draws = rng.multivariate_normal(np.zeros(len(gap)), correlation, _DRAWS)
    above = np.count_nonzero(draws.max(axis=1) >= z.max())
    return CensoringTest(_LEVELS, gap, z, float((1 + above) / (1 + _DRAWS)))


def check_censoring(
    model: Any,
    X: Any,
    y: Any,
    *,
    censoring_model: Any = None,
    n_folds: int = 5,
    random_state: int | None = 0,
) -> CensoringTest | None:
    """Test whether a fitted model's own curve explains censoring, and warn if not.

    The rules of ``ConformalSurvival`` that follow the model's own curve, the default
    among them, rest on it.

    Parameters
    ----------
    model : object
        A fitted survival model in any form that ``ConformalSurvival`` takes, or a
        ``ConformalSurvival``, of which the model inside is looked at.
    X : array-like or DataFrame of shape (n, m)
        Subjects whom the model never saw.
    y : Outcome or anything that ``Outcome.of`` takes
    censoring_model : object, optional
        A survival model for (time, not event); by default a ``NeighbourForest``. One
        that is not fitted is fitted here, out of fold.
    n_folds : int
    random_state : int, optional

    Returns
    -------
    CensoringTest or None
        None where nobody is censored.

    Examples
    --------
    Who is frail (x = 1) dies four times as fast and leaves early; the model does not
    know:

    >>> import warnings
    >>> from consurv import Outcome
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, 2000)
    >>> T, C = rng.exponential(16 / 4**x), rng.exponential(40 / 20**x)
    >>> y = Outcome(time=np.minimum(T, C), event=T <= C)
    >>> times = np.linspace(0.05, 60, 600)
    >>> def one_for_all(X):
    ...     return times, [np.exp(-times / 12)] * len(X)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     check_censoring(one_for_all, x[:, None], y).explained
    False
    """
    check_params({"n_folds": n_folds}, {"n_folds": AtLeast(2)})
    data = check_data(X, y)
    check_enough(data[1])
    if data[1].n_events == len(data[1]):
        return None
    raw = RawModel(getattr(model, "estimator_", model))
    rng = make_rng(random_state)
    chosen = censoring_model
    if chosen is None:
        chosen = NeighbourForest(random_state=0)
    sample, _ = from_rows(raw, data, Nuisance(chosen), n_folds, rng)
    found = censoring_test(sample, 1 / np.log(max(len(sample), 3)))
    if not found.explained:
        warn(advice(found))
    return found


def advice(found: CensoringTest) -> str:
    """Return what was found and what to use, in a sentence."""
    worst = int(np.argmax(found.gap))
    return (
        "the model's own curve does not explain censoring: it gives censored subjects "
        f"{found.gap[worst]:.3f} more survival at level {found.levels[worst]:g} than "
        f"inverse weights do (p = {found.p_value:.2g}). For lower bounds use "
        "ConformalLowerBound(model); for curves "
        "censoring=DoublyRobust(...), or FromEstimator(another model)"
    )
