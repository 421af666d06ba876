"""``"kaplan-meier"``: the Kaplan–Meier curve of the scores, weighted by 1/G."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consurv._checks import Float
from consurv.bounds.methods.method import (
    Bound,
    Method,
    Options,
    bound_at_level,
    found,
)
from consurv.weighting.product_limit import covered_shares
from consurv.weighting.sample import Sample
from consurv.weighting.search import wanted
from consurv.weighting.weights import check_seen, largest_inverse

__all__ = ["WeightedKaplanMeier"]


class WeightedKaplanMeier(Method):
    """Kaplan–Meier of the scores, with inverse weights (Robins and Finkelstein 2000).

    T ≥ q(ρ|x) where the score S(T|x) is at most ρ. So what is wanted is the law of the
    score, and who is censored has one that is below S(Y|x). Down the levels,

        θ(ρ) = Π ( 1 − Σ 1/G(Y⁻|x) / Σ 1/G(q(r)⁻|x) )

    over the levels r > ρ at which events lie: the first sum over these events, the
    second over all who are seen at q(r|x). The bound is q(ρ*|x), ρ* the lowest level
    with n·θ(ρ) ≥ coverage·(n + 1). Both q here and the bound are capped where G(·|x)
    falls to ``least_seen``, as in ``"adaptive"``.

    Guarantee: asymptotic and doubly robust. If G is right both sums have the right
    means. If S is right, −log S(T|x) is exponential of rate 1 for all x, and each
    factor is right whatever the weights are; where bounds are capped this does not
    hold, and G alone has to be right. Being a ratio it makes up for a G that is wrong
    for all alike, it lies between 0 and 1 and falls with the level, which means of
    weights do not. Without censoring it is that of split conformal.

    References
    ----------
    Robins and Finkelstein. Correcting for noncompliance and dependent censoring in an
    AIDS clinical trial with inverse probability of censoring weighted log-rank tests.
    Biometrics 2000.

    Examples
    --------
    Of eleven subjects the one censored at 1 is made good by the others:

    >>> from consurv import Outcome, SurvivalCurves
    >>> model = SurvivalCurves([20.0], [[0.0]] * 11)
    >>> g = SurvivalCurves([1.0, 30.0], [[10 / 11, 0.9]] * 11, "step")
    >>> y = Outcome(time=[1, *range(2, 12)], event=[0] + [1] * 10)
    >>> WeightedKaplanMeier().find(Sample(y, model, g), 0.8, Options()).level
    0.85
    """

    name = "kaplan-meier"
    guarantee = "asymptotic, doubly robust where bounds are not capped"
    takes_weights = True

    def mass(self, sample: Sample, options: Options) -> Callable[[Float], Float]:
        """Return Σ w·θ(ρ) at levels ρ."""
        if not sample.is_censored:
            return super().mass(sample, options)
        sample = sample.capped(options.least_seen)
        levels = sample.some_candidates
        shares = covered_shares(sample, levels, largest_inverse(sample, options.clip))
        total = float(sample.counts.sum())

        def covered(asked: Float) -> Float:
            # Of levels between two that were looked at, the lower one is cautious.
            place = np.searchsorted(-levels, -asked, side="left")
            return total * np.append(shares, 0.0)[place]

        return covered

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level that covers enough by θ."""
        sample = sample.capped(options.least_seen)
        most = largest_inverse(sample, options.clip)
        levels = sample.some_candidates
        enough = wanted(coverage, sample.counts) / float(sample.counts.sum())
        shares = covered_shares(sample, levels, most, enough)
        n_passed = int(np.argmin(np.append(shares >= enough, False)))
        if n_passed < len(levels):
            check_seen(shares[n_passed : n_passed + 1])
        level = found(float(np.append(1.0, levels)[n_passed]), self.name, coverage)
        return bound_at_level(sample, level, coverage, options.least_seen, most)
