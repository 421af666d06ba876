"""``"uncensored"``: censored subjects are dropped."""

from __future__ import annotations

import numpy as np

from consurv.conformal.censoring.base import Block, Contribution

__all__ = ["UncensoredRule"]


class UncensoredRule:
    """Only events count; biased towards early times when censoring is late."""

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return a point for every event."""
        rows = np.flatnonzero(block.outcome.event)
        return Contribution.of_points(rows, block.outcome.time[rows])
