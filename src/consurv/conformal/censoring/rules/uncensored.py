"""``"uncensored"``: censored subjects are dropped."""

from __future__ import annotations

import numpy as np

from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.parts.blocks import Block, Contribution

__all__ = ["UncensoredRule"]


class UncensoredRule(CensoringRule):
    """Only events count; biased towards early times when censoring is late."""

    anywhere = True
    takes_weights = True

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return a point for every event."""
        rows = np.flatnonzero(block.outcome.event)
        return Contribution.of_points(block, rows, block.outcome.time[rows])
