"""``"dr-cosarc"``: censoring times are completed by draws, then adaptive cut-offs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from consurv._checks import Float
from consurv.bounds.methods.adaptive import Adaptive
from consurv.bounds.methods.method import Bound, LevelBound, Method, Options
from consurv.curves.curves import SurvivalCurves
from consurv.weighting.sample import Sample

__all__ = ["DRCosarc", "completed"]


@dataclass(frozen=True)
class SafeBound(LevelBound):
    """A bound that is at most what the model itself says."""

    def of(self, model: SurvivalCurves, censoring: SurvivalCurves | None) -> Float:
        """Return min(q(ρ*|x), q(coverage|x)), capped."""
        own = model._times_at(np.array([self.coverage]))[:, 0]
        return np.minimum(super().of(model, censoring), own)


def completed(sample: Sample, seed: int) -> Float:
    """Return C of everybody: Y if censored, else a draw from G(·|x) beyond T.

    Where G(T|x) = 0 it is T itself.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 2)
    >>> sample = Sample(Outcome(time=[9, 3], event=[1, 0]), curves, curves)
    >>> completed(sample, 0).round(2)
    array([9.36, 3.  ])
    """
    time, event = sample.outcome.time, sample.outcome.event
    u = np.random.default_rng(seed).random(len(sample))
    left = sample.known_censoring.survival_at_observed(time)
    drawn = sample.known_censoring._form.percentile_times((u * left)[:, None])[:, 0]
    return np.where(event, np.maximum(drawn, time), time)


class DRCosarc(Method):
    """Completed censoring times (Sesia and Svetnik, ICML 2025), adaptive cut-offs.

    C is Y where a subject is censored and otherwise drawn from G(·|x) beyond its event.
    Then ``"adaptive"`` on these, and L(x) = min(that bound, q(coverage|x)): no more
    than the model says itself.

    Guarantee: asymptotic and doubly robust: if the censoring model is right the drawn
    times are as good as those that nobody saw; if the event model is, q(coverage|x)
    covers as asked and the bound is not above it. One draw a subject, by
    ``random_state``.

    Examples
    --------
    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([40.0], [[0.0]] * 19)
    >>> g = SurvivalCurves([30.0, 50.0], [[0.9, 0.5]] * 19)
    >>> y = Outcome(time=range(1, 20), event=[1] * 18 + [0])
    >>> DRCosarc().find(Sample(y, s, g), 0.8, Options()).level
    0.9
    """

    name = "dr-cosarc"
    guarantee = "asymptotic, doubly robust"

    def find(self, sample: Sample, coverage: float, options: Options) -> Bound:
        """Return the bound by adaptive cut-offs, made safe."""
        whole = replace(sample, limit=completed(sample, options.seed))
        bound = Adaptive().find(whole, coverage, options)
        assert isinstance(bound, LevelBound)
        return SafeBound(coverage, bound.weights, bound.level, bound.least_censoring)
