"""``"kaplan-meier"``: a censored subject follows S_KM(t | t > c).

The paper draws R times from this law (``n_samples=R``); by default the exact limit
R → ∞ is used, which needs no seed and no R-fold memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv.conformal.censoring.laws.kaplan_meier import KaplanMeierLaw
from consurv.conformal.censoring.laws.law import AT_THE_END
from consurv.conformal.censoring.laws.lookup import lookup_of
from consurv.conformal.censoring.laws.sampled import SampledLaw
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Contribution
from consurv.conformal.quantile.masses import Law

__all__ = ["KaplanMeierRule"]

# Up to so many event times the look-up tables stay in the cache.
_IN_CACHE = 1 << 13


@dataclass(frozen=True)
class KaplanMeierRule(CensoringRule):
    """Censored subjects follow the Kaplan–Meier curve beyond c.

    Parameters
    ----------
    n_samples : int or None
        Draws per censored subject; None is the exact limit.
    """

    n_samples: int | None = None

    @property
    def anywhere(self) -> bool:  # type: ignore[override]
        """Whether it draws nothing."""
        return self.n_samples is None

    @property
    def takes_weights(self) -> bool:  # type: ignore[override]
        """Whether it draws nothing."""
        return self.n_samples is None

    def with_samples(self, n_samples: int) -> KaplanMeierRule:
        """Return the rule that draws."""
        return KaplanMeierRule(n_samples)

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Events and subjects censored past the end are points, the others laws."""
        outcome, q = block.outcome, block.percentile_times
        events = np.flatnonzero(outcome.event)
        censored = np.flatnonzero(~outcome.event)
        if not censored.size:
            return Contribution.of_points(block, events, outcome.time[events])
        lookup = lookup_of(block.kaplan_meier)
        if self.n_samples is None and len(lookup.times) > _IN_CACHE:
            # Subjects with close percentile times, side by side in memory, make
            # look-ups fast; nothing else depends on their order.
            censored = censored[np.argsort(q[censored, q.shape[1] // 2])]
        survival = lookup.survival_at(outcome.time[censored])
        # Where the curve is 0 at c the law is a point mass at c; so it is where c
        # comes so close to t_end that rounding alone keeps them apart.
        spread = survival > AT_THE_END
        points = np.concatenate([events, censored[~spread]])
        censored, survival = censored[spread], survival[spread]
        c = outcome.time[censored]
        law: Law = (
            KaplanMeierLaw(lookup, c, survival)
            if self.n_samples is None
            else SampledLaw(lookup.km.sample(c, self.n_samples, rng))
        )
        return Contribution(block, points, outcome.time[points], censored, law)
