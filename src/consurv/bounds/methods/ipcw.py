"""``"ipcw"``: observed events before the bound, weighted by 1/G."""

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
from consurv.weighting.sample import Sample, before
from consurv.weighting.search import wanted, weighted_level
from consurv.weighting.weights import inverse, largest_inverse

__all__ = ["IPCW"]


class IPCW(Method):
    """Inverse weighting of the events that come before the bound.

    At a level ρ with q = q(ρ|x) the miscoverage is

        mean( D·1(Y < q)/G(Y⁻|x) ),

    the first term of ``"aipcw"`` for the event T < q. (That for T ≥ q, D·1(Y ≥ q)/G,
    would have to see the latest events, which no follow-up does.) The bound is
    q(ρ*|x), ρ* the lowest level at which n·(miscoverage) + 1 ≤ (1 − coverage)·(n + 1).
    With ``stabilise=True`` the mean is over the weights D/G(Y⁻) instead of over n
    (Hájek); follow-up that ends early then makes it cautious. Both q here and the bound
    are capped where G(·|x) falls to ``least_seen``, as in ``"adaptive"``.

    Guarantee: asymptotic, if the censoring model is right; finite-sample validity up to
    the error of G, as in weighted split conformal.

    Examples
    --------
    Of eleven subjects the one censored at 1 is made good by the others:

    >>> from consurv import Outcome, SurvivalCurves
    >>> model = SurvivalCurves([20.0], [[0.0]] * 11)
    >>> g = SurvivalCurves([1.0, 30.0], [[10 / 11, 0.9]] * 11, "step")
    >>> y = Outcome(time=[1, *range(2, 12)], event=[0] + [1] * 10)
    >>> IPCW().find(Sample(y, model, g), 0.8, Options()).level  # 1 − 3/20
    0.85
    """

    name = "ipcw"
    guarantee = "asymptotic, if the censoring model is right"
    takes_weights = True

    def mass(self, sample: Sample, options: Options) -> Callable[[Float], Float]:
        """Return what the weighted events before q(ρ|x) leave at levels ρ."""
        if not sample.is_censored:
            return super().mass(sample, options)
        sample = sample.capped(options.least_seen)
        weight = _missed(sample, options, largest_inverse(sample, options.clip))
        order = np.argsort(sample.score)
        score, missed = sample.score[order], np.cumsum(weight[order][::-1])[::-1]
        total = float(sample.counts.sum())

        def covered(levels: Float) -> Float:
            above = np.searchsorted(score, levels, side="right")
            return total - np.append(missed, 0.0)[above]

        return covered

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level with few enough weighted events before it."""
        sample = sample.capped(options.least_seen)
        most = largest_inverse(sample, options.clip)
        weight = _missed(sample, options, most)
        allowed = float(sample.counts.sum()) - wanted(coverage, sample.counts)
        level = found(
            weighted_level(sample.score, weight, allowed), self.name, coverage
        )
        return bound_at_level(sample, level, coverage, options.least_seen, most)


def _missed(sample: Sample, options: Options, most: float) -> Float:
    """Return what each event counts if it comes before the bound."""
    event, time = sample.outcome.event, sample.outcome.time
    g = inverse(before(sample.known_censoring, time[:, None])[:, 0], most)
    weight = sample.counts * np.where(event & ~sample.late, g, 0.0)
    if options.stabilise:
        weight *= float(sample.counts.sum()) / float(np.nansum(weight))
    # G = 0 at the end of follow-up matters only if the bound comes so far.
    return np.where(np.isnan(weight), np.inf, weight)
