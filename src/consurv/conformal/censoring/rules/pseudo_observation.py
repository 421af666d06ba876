"""``"pseudo-observation"``: a censored subject stands at its jackknife contribution.

The jackknife is that of the Kaplan–Meier mean.
"""

from __future__ import annotations

import numpy as np

from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Contribution

__all__ = ["PseudoObservationRule"]


class PseudoObservationRule(CensoringRule):
    """Nθ − (N−1)θ₋ᵢ for members of the sample, (N+1)θ₊ᵢ − Nθ for others."""

    anywhere = True

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return a point for every subject."""
        outcome = block.outcome
        censored = np.flatnonzero(~outcome.event)
        times = outcome.time.copy()
        if censored.size:
            km = block.kaplan_meier
            pseudo = (
                km.member_pseudo_observations
                if block.in_sample
                else km.outsider_pseudo_observations
            )
            times[censored] = pseudo(outcome[censored])
        return Contribution.of_points(block, np.arange(len(outcome)), times)
