"""Subjects of similar predicted risk, by their raw median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.parts.ranks import CellCounts, order_statistics
from consurv.conformal.quantile.masses import EVERYONE

__all__ = ["RawMedian", "Strata", "median_column"]


def median_column(levels: Float) -> int:
    """Return the column of the level nearest to 0.5, of two the higher."""
    return int(np.lexsort((-levels, np.round(np.abs(levels - 0.5), 12)))[0])


@dataclass(frozen=True)
class RawMedian:
    """The raw median of every subject, or of those that are finite at some level."""

    finite: bool = False

    def __call__(self, block: Block) -> Float:
        """Return the medians of a block."""
        median = block.percentile_times[:, median_column(block.levels)]
        counted: Float = median[self._counted(block)]
        return counted

    def weights(self, block: Block) -> Float | None:
        """Return what they weigh."""
        weight = block.outcome.weight
        if weight is None:
            return None
        counted: Float = weight[self._counted(block)]
        return counted

    def _counted(self, block: Block) -> Any:
        if not self.finite or block.finite:
            return EVERYONE
        return block.percentile_times.min(axis=1) < np.inf


@dataclass(frozen=True)
class Strata:
    """Parts of a conformal set, of about equal size and rising raw median.

    Subjects with the same median share a stratum, so there may be fewer than asked for.

    Parameters
    ----------
    edges : ndarray
        The smallest median of each stratum but the first.
    """

    edges: Float

    @classmethod
    def find(
        cls, subjects: Partitions, medians: RawMedian, counts: CellCounts, wanted: int
    ) -> Strata:
        """Return so many strata, or fewer.

        Parameters
        ----------
        subjects : Partitions
        medians : RawMedian
            Who counts.
        counts : CellCounts
            What ``Cells(medians)`` answered.
        wanted : int
        """
        n = counts.counts.sum()
        if wanted < 2 or not n:
            return cls(np.empty(0))
        starts = (np.arange(wanted) * n) // wanted
        lowest, *first = order_statistics(subjects, medians, counts, starts)
        edges = np.unique(first)
        return cls(edges[edges > lowest])

    @property
    def n(self) -> int:
        """Number of strata."""
        return len(self.edges) + 1

    def of(self, block: Block) -> Index:
        """Return the stratum of each subject of a block, 0 for the earliest median."""
        return np.searchsorted(self.edges, RawMedian()(block), side="right")
