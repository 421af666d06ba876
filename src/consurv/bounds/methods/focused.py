"""``"focused"``: events alone, weighted to stand for everybody."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.bounds.joint import Joint
from consurv.bounds.methods.method import Bound, LevelBound, Method, Options, found
from consurv.weighting.sample import Sample
from consurv.weighting.search import check_information, weighted_level
from consurv.weighting.weights import check_seen, inverse, weigh

__all__ = ["Focused", "clipped", "focused_weights"]


def focused_weights(
    sample: Sample, joint: Joint, options: Options
) -> tuple[Float, Float]:
    """Return 1{D = 1}/P(D = 1|x), and 1/P(D = 1|x) of everybody."""
    everybody = check_seen(inverse(joint.event))
    event = sample.outcome.event
    everybody = clipped(everybody, everybody[event], options.clip)
    return np.where(event, everybody, 0.0) * sample.counts, everybody


def clipped(weight: Float, among: Float, clip: float | None) -> Float:
    """Return weights, at most the *clip*-quantile of some of them."""
    if clip is None or not among.size:
        return weight
    return np.minimum(weight, np.quantile(among, clip))


class Focused(Method):
    """Events alone (Davidov et al., ICLR 2025): w = 1{D = 1}/P(D = 1|x).

    At a level ρ with q = q(ρ|x) the miscoverage is Σ w·1(Y < q)/Σ w, a new subject
    counting as one more that is missed, with the mean of 1/P(D = 1|x). P(D = 1|x) is
    ∫ G(t⁻|x) dF(t|x) by the event and the censoring model. The bound is q(ρ*|x), ρ* the
    lowest level with a miscoverage of at most 1 − coverage.

    Guarantee: cautious. Times of events, given x, are shorter than those of everybody;
    if P(D = 1|x) is right the bound covers at least as often as asked,
    with finite samples up to the error of the weights.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([20.0], [[0.0]] * 11)
    >>> g = SurvivalCurves([1.0, 30.0], [[10 / 11, 0.9]] * 11, "step")
    >>> y = Outcome(time=[1, *range(2, 12)], event=[0] + [1] * 10)
    >>> Focused().find(Sample(y, s, g), 0.8, Options()).level
    0.85
    """

    name = "focused"
    guarantee = "cautious, if P(event seen | x) is right"

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level with few enough weighted events before it."""
        weight, everybody = focused_weights(sample, Joint(sample), options)
        weights = weigh(weight)
        check_information(coverage, weights.effective_sample_size, len(sample))
        new = float(everybody.mean())
        most = (1 - coverage) * (float(weight.sum()) + new) - new
        level = found(
            weighted_level(sample.score, weight, most + 1e-9), self.name, coverage
        )
        return LevelBound(coverage, weights, level)
