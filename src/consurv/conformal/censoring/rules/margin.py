"""``"margin"``: a censored subject stands at E[T | T > c] of Kaplan–Meier."""

from __future__ import annotations

import numpy as np

from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Contribution

__all__ = ["MarginRule"]


class MarginRule(CensoringRule):
    """One surrogate time for each censored subject: the mean beyond c."""

    anywhere = True
    takes_weights = True

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return a point for every subject."""
        outcome = block.outcome
        censored = np.flatnonzero(~outcome.event)
        times = outcome.time.copy()
        if censored.size:
            times[censored] = block.kaplan_meier.conditional_mean(times[censored])
        return Contribution.of_points(block, np.arange(len(outcome)), times)
