"""``"aipcw"``: inverse weights, augmented by the event model; doubly robust."""

from __future__ import annotations

from collections.abc import Callable

from consurv._checks import Float
from consurv.bounds.methods.method import (
    Bound,
    Method,
    Options,
    bound_at_level,
    found,
)
from consurv.weighting.augmented import Augmented
from consurv.weighting.sample import Sample
from consurv.weighting.search import lowest_level, wanted
from consurv.weighting.weights import largest_inverse

__all__ = ["AIPCW"]


class AIPCW(Method):
    """Augmented inverse weighting (Farina, Tchetgen Tchetgen and Kuchibhotla 2025).

    At a level ρ with q = q(ρ|x),

        θ(ρ) = mean( D·1(Y ≥ q)/G(Y⁻|x) + (1 − D)·η(Y)/G(Y|x) − Σ η(u) d(1/G(u|x)) ),

    the sum over u ≤ Y (u < Y for events), where η(u) = P(T ≥ q | T > u) is 1 if u ≥ q
    and S(q⁻|x)/S(u|x) before. From q on η is 1 and the sum telescopes, so that G is
    needed up to q alone: who is seen at q counts 1/G(q⁻) − S(q⁻)·A(q⁻), an event before
    −S(q⁻)·A(Y⁻), a censored one S(q⁻)·(1/(G(Y)·S(Y)) − A(Y)), with
    A(t) = Σ_{u ≤ t} d(1/G(u))/S(u). The bound is q(ρ*|x), ρ* the lowest level with
    n·θ(ρ) ≥ coverage·(n + 1) at it and at all above it. Both q here and the bound are
    capped where G(·|x) falls to ``least_seen``, as in ``"adaptive"``.

    Guarantee: doubly robust and asymptotic. Coverage tends to what is asked if either
    the event model or the censoring model is right, with an error that is the product
    of both models' errors; without censoring it is that of split conformal.

    Examples
    --------
    >>> import numpy as np
    >>> from consurv import ConformalLowerBound, Outcome
    >>> rng = np.random.default_rng(0)
    >>> T, C = rng.exponential(10, 500), rng.exponential(20, 500)
    >>> y = Outcome(time=np.minimum(T, C), event=T <= C)
    >>> times = np.linspace(0.05, 80, 2000)
    >>> model = ConformalLowerBound(
    ...     lambda X: (times, [np.exp(-times / 30)] * len(X)), method="aipcw",
    ...     censoring_model=lambda X: (times, [np.exp(-times / 20)] * len(X)))
    >>> X = np.zeros((500, 1))
    >>> bound = model.conformalize(X, y).predict_lower_bound(X[:1], coverage=0.9)
    >>> np.mean(T >= bound).round(2), model.weights_.largest < 1.2
    (np.float64(0.9), True)
    """

    name = "aipcw"
    guarantee = "asymptotic, doubly robust"
    takes_weights = True

    def mass(self, sample: Sample, options: Options) -> Callable[[Float], Float]:
        """Return Σ w·θ(ρ) at levels ρ."""
        if not sample.is_censored:
            return super().mass(sample, options)
        sample = sample.capped(options.least_seen)
        theta = Augmented(sample, largest_inverse(sample, options.clip))

        def covered(levels: Float) -> Float:
            known = sample.covered(levels)
            return sample.counts @ theta.at(sample.bounds(levels), known)

        return covered

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level that covers enough by θ."""
        covered = self.mass(sample, options)
        sample = sample.capped(options.least_seen)
        most = largest_inverse(sample, options.clip)
        target = wanted(coverage, sample.counts)
        level = found(
            lowest_level(covered, sample.candidates, target), self.name, coverage
        )
        return bound_at_level(sample, level, coverage, options.least_seen, most)
