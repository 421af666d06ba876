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
from consurv.weighting.right_model import covariance_if_right
from consurv.weighting.sample import Sample, before
from consurv.weighting.weights import check_seen

__all__ = ["CensoringTest", "advice", "censoring_test", "check_censoring"]

# Where both estimates of survival are compared: where bounds are. Higher up too few die
# for a gap, further down a right model has gaps by chance.
_LEVELS = np.array([0.9, 0.85, 0.8])
_DRAWS = 4000
# What is flagged: less is within what a right model misses by having been trained,
# which makes its z vary by up to 1.6, and p takes it to be 1.
_SIGNIFICANT, _MATTERS = 0.01, 0.01


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
        The gaps in the standard errors that they have if the model is right.
    p_values : ndarray of shape (m,)
        How likely the largest z is as large as each, if the model is right.

    Examples
    --------
    >>> found = CensoringTest(np.array([0.9]), gap=np.array([0.04]), z=np.array([3.1]),
    ...                       p_values=np.array([0.002]))
    >>> found.explained
    False
    """

    levels: Float
    gap: Float
    z: Float
    p_values: Float

    @property
    def p_value(self) -> float:
        """That of all levels together."""
        return float(self.p_values.min())

    @property
    def explained(self) -> bool:
        """Whether the model's own curve may speak for the censored.

        Not if at a level p < 0.01 and the gap is above 0.01.
        """
        flagged = (self.p_values < _SIGNIFICANT) & (self.gap > _MATTERS)
        return not flagged.any()


def censoring_test(sample: Sample, least_seen: float | None = None) -> CensoringTest:
    """Test whether the model's own curves speak for those who are censored.

    At a level ρ with q = q(ρ|x), rules that follow the model's own curve count a
    censored subject as m = S(q⁻|x)/S(Y|x) if Y < q, everybody else as 1(Y ≥ q).
    ``"aipcw"`` counts θ. If S is right both have the mean P(T ≥ q), whatever G is:
    m − θ is an integral of (1/G − 1) times the martingale of the events. If S is too
    optimistic where G is small, its mean is above 0. The means in standard errors, at a
    few levels, are compared with the largest of normal variables of the same
    correlation; errors and correlation are those that a right model would have.

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
    total = float(sample.counts.sum())
    gap = sample.counts @ (own - theta) / total
    return _test(gap, covariance_if_right(sample, q) / total**2)


def _test(gap: Float, covariance: Float) -> CensoringTest:
    """Test whether gaps (m,) are at most 0."""
    error = np.sqrt(np.diag(covariance))
    varies = error > 0
    scale = np.where(varies, error, 1.0)
    z: Float = np.where(varies, gap / scale, 0.0)
    rng = np.random.default_rng(0)
    correlation = covariance / np.outer(scale, scale)
    draws = rng.multivariate_normal(np.zeros(len(gap)), correlation, _DRAWS)
    above = np.count_nonzero(draws.max(axis=1)[:, None] >= z, axis=0)
    return CensoringTest(_LEVELS, gap, z, (1 + above) / (1 + _DRAWS))


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
        f"inverse weights do (p = {found.p_values[worst]:.2g}). For lower bounds use "
        "ConformalLowerBound(model); for curves "
        "censoring=DoublyRobust(...), or FromEstimator(another model)"
    )
