"""``"fused"``: everybody where censored subjects do no harm, events elsewhere."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.bounds.joint import Joint
from consurv.bounds.methods.focused import focused_weights
from consurv.bounds.methods.method import Bound, LevelBound, Method, Options, found
from consurv.weighting.sample import Sample
from consurv.weighting.search import check_information, lowest_level
from consurv.weighting.weights import weigh

__all__ = ["Fused"]


class Fused(Method):
    """Everybody or events alone, subject by subject (Davidov et al., ICLR 2025).

    At a level ρ with q = q(ρ|x), where P(Y < q|x, D = 0) < P(Y < q|x, D = 1) an
    observation is as good as an event: w = 1. Elsewhere w = 1{D = 1}/P(D = 1|x), as in
    ``"focused"``. The miscoverage is Σ w·1(Y < q)/Σ w, a new subject counting as one
    more that is missed with the mean weight. The bound is q(ρ*|x), ρ* the lowest level
    at and above which the miscoverage is at most 1 − coverage.

    Guarantee: cautious, as ``"focused"``, if both models are right; closer to what is
    asked where few are censored early.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([20.0], [[0.0]] * 11)
    >>> g = SurvivalCurves([1.0, 30.0], [[10 / 11, 0.9]] * 11, "step")
    >>> y = Outcome(time=[1, *range(2, 12)], event=[0] + [1] * 10)
    >>> Fused().find(Sample(y, s, g), 0.8, Options()).level
    0.85
    """

    name = "fused"
    guarantee = "cautious, if both models are right"

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level with a small enough miscoverage."""
        joint = Joint(sample)
        focused, everybody = focused_weights(sample, joint, options)
        lost = np.maximum(1 - joint.event, 0.0)[:, None]
        seen = joint.event[:, None]

        def weight_at(levels: Float) -> tuple[Float, Float]:
            """Return the weights (n, m) of the sample, and of new subjects like it."""
            event, censored = joint.until(sample.bounds(levels))
            # P(Y < q|D = 0) < P(Y < q|D = 1), without dividing by what may be 0.
            early = censored * seen < event * lost
            own = np.where(early, sample.counts[:, None], focused[:, None])
            return own, np.where(early, 1.0, everybody[:, None])

        def covered(levels: Float) -> Float:
            own, new = weight_at(levels)
            missed = (own * ~sample.covered(levels)).sum(axis=0)
            one = new.mean(axis=0)
            share: Float = (missed + one) / (own.sum(axis=0) + one)
            return -share

        target = -(1 - coverage) * (1 + 1e-9)
        level = found(
            lowest_level(covered, sample.candidates, target), self.name, coverage
        )
        weights = weigh(weight_at(np.array([level]))[0][:, 0])
        check_information(coverage, weights.effective_sample_size, len(sample))
        return LevelBound(coverage, weights, level)
