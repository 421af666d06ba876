"""``"adaptive"``: a cut-off of its own for every subject; C must be known."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.bounds.methods.method import Bound, LevelBound, Method, Options, found
from consurv.weighting.sample import Sample, before
from consurv.weighting.search import check_information, lowest_level
from consurv.weighting.weights import inverse, largest_inverse, weigh

__all__ = ["Adaptive"]


class Adaptive(Method):
    """Adaptive cut-offs (Gui, Hore, Ren and Barber, 2024); C of everybody is needed.

    The bound at a level ρ is L(x) = min(q(ρ|x), q_C(x)), q_C the time at which G(·|x)
    falls to ``least_seen``, 1/log n by default. With w = 1/G(L⁻|x) the miscoverage is

        Σ w·1(Y < L ≤ C) / Σ w·1(L ≤ C),

    a new subject counting as one more that is missed with the mean weight. ρ* is the
    lowest level at and above which it is at most 1 − coverage.

    Guarantee: PAC (probably approximately correct) given that the censoring model is
    right, and doubly robust: asymptotic where the event model is.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([40.0], [[0.0]] * 19)
    >>> g = SurvivalCurves([30.0, 50.0], [[0.9, 0.5]] * 19)
    >>> y = Outcome(time=range(1, 20), event=[1] * 19)
    >>> sample = Sample(y, s, g, limit=np.full(19, 30.0))
    >>> Adaptive().find(sample, 0.8, Options()).level  # 1 − 4/40, before anybody's C
    0.9
    """

    name = "adaptive"
    guarantee = "PAC, if the censoring model is right; doubly robust"
    needs_limit = True

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return q at the lowest level with a small enough miscoverage."""
        most = largest_inverse(sample, options.clip)
        least = options.least_seen or 1 / np.log(max(len(sample), 3))
        sample = sample.capped(least)
        time, limit = sample.outcome.time[:, None], sample.known_limit[:, None]

        def weighed(levels: Float) -> tuple[Float, Float, Float]:
            """Return bounds (n, m), weights of whom they reach, and of everybody."""
            bound = sample.bounds(levels)
            weight = inverse(before(sample.known_censoring, bound), most)
            own = np.where(bound <= limit, weight * sample.counts[:, None], 0.0)
            return bound, own, weight

        def covered(levels: Float) -> Float:
            bound, own, everybody = weighed(levels)
            new = everybody.mean(axis=0)
            missed: Float = (own * (time < bound)).sum(axis=0) + new
            total: Float = own.sum(axis=0) + new
            return -missed / total

        target = -(1 - coverage) * (1 + 1e-9)
        level = found(
            lowest_level(covered, sample.candidates, target), self.name, coverage
        )
        weights = weigh(weighed(np.array([level]))[1][:, 0])
        check_information(coverage, weights.effective_sample_size, len(sample))
        return LevelBound(coverage, weights, level, least)
