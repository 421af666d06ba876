"""Subjects of similar predicted risk, by their raw median."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.blocks import Block

__all__ = ["Strata", "median_column"]


def median_column(levels: Float) -> int:
    """Return the column of the level nearest to 0.5, of two the higher."""
    return int(np.lexsort((-levels, np.round(np.abs(levels - 0.5), 12)))[0])


class Strata:
    """Parts of a conformal set, of about equal size and rising raw median.

    Subjects with the same median share a stratum, so there may be fewer than asked for.

    Parameters
    ----------
    blocks : sequence of Block
        All subjects together.
    wanted : int
    """

    def __init__(self, blocks: Sequence[Block], wanted: int) -> None:
        self._column = median_column(blocks[0].levels)
        risk = np.sort(np.concatenate([self._risk(block) for block in blocks]))
        starts = (np.arange(1, wanted) * len(risk)) // wanted
        first = np.unique(risk[starts])
        self._edges = first[first > risk[0]]
        self.n = len(self._edges) + 1

    def _risk(self, block: Block) -> Float:
        return block.percentile_times[:, self._column]

    def of(self, block: Block) -> Index:
        """Return the stratum of each subject of a block, 0 for the earliest median."""
        return np.searchsorted(self._edges, self._risk(block), side="right")
