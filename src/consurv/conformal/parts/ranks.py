"""Exact order statistics of one number for each subject, wherever the subjects are.

Floats sort like their bit patterns. Subjects are counted by the leading bits of their
number; of the few cells that hold a wanted rank the members are counted by more bits,
until these cells hold few different numbers, which are listed. Two rounds suffice as a
rule, and no sum depends on how subjects are split or ordered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions

__all__ = ["CellCounts", "Cells", "NumberOf", "order_statistics"]

# Bits left out in the first round: cells are 1/512 of their number wide; and by what
# each further round sees more.
FIRST, _FINER = 43, 12
# Cells with so many different numbers in all are listed.
_FEW = 1 << 16
_ROUNDING = 1e-9


class NumberOf(Protocol):
    """What is to be ordered."""

    def __call__(self, block: Block) -> Float:
        """Return a number for each subject that counts."""

    def weights(self, block: Block) -> Float | None:
        """Return what they weigh; None: 1 each."""


@dataclass(frozen=True)
class CellCounts:
    """How many subjects are in each cell, cells ascending.

    Attributes
    ----------
    cells : ndarray of int of shape (K,)
    counts : ndarray of shape (K,)
    kinds : ndarray of int of shape (K,)
        How many different numbers they have, at most: a part does not know of those
        of another.
    """

    cells: Index
    counts: Any
    kinds: Index

    @classmethod
    def merged(cls, parts: Sequence[CellCounts]) -> CellCounts:
        """Return the counts of all together."""
        cells, place = np.unique(
            np.concatenate([part.cells for part in parts]), return_inverse=True
        )
        columns = [p.counts for p in parts], [p.kinds for p in parts]
        added = []
        for several in map(np.concatenate, columns):
            added.append(np.zeros(len(cells), dtype=several.dtype))
            np.add.at(added[-1], place, several)
        return cls(cells, *added)


@dataclass(frozen=True)
class Cells:
    """Ask how many subjects have which leading bits.

    Parameters
    ----------
    number_of : NumberOf
    left_out : int
        Trailing bits that are left out; 0: the numbers themselves are counted.
    within : pair of int and ndarray, optional
        Bits left out, and the cells whose members count; by default all do.
    """

    number_of: NumberOf
    left_out: int = FIRST
    within: tuple[int, Index] | None = None

    def answer(self, block: Block) -> CellCounts:
        """Count those of one block."""
        keys = _keys(np.ascontiguousarray(self.number_of(block)))
        weights = self.number_of.weights(block)
        if self.within is not None:
            bits, wanted = self.within
            inside = np.isin(keys >> bits, wanted)
            keys = keys[inside]
            weights = None if weights is None else weights[inside]
        if weights is None:
            different, counts = np.unique(keys, return_counts=True)
        else:
            different, place = np.unique(keys, return_inverse=True)
            counts = np.bincount(place, weights, minlength=len(different))
        cells = different >> self.left_out
        first = np.flatnonzero(np.diff(cells, prepend=cells[:1] - 1))
        kinds = np.diff(first, append=len(cells))
        return CellCounts(cells[first], np.add.reduceat(counts, first), kinds)


def order_statistics(
    subjects: Partitions, number_of: NumberOf, first: CellCounts, ranks: Any
) -> Float:
    """Return the numbers at some ranks, 0 for the smallest.

    Parameters
    ----------
    subjects : Partitions
    number_of : NumberOf
    first : CellCounts
        What ``Cells(number_of)`` answered.
    ranks : ndarray of shape (k,)
        Where subjects have weights, each takes so many.

    Examples
    --------
    >>> from consurv.conformal.parts.partitions import Blocks
    >>> from consurv.outcome import Outcome
    >>> from consurv.conformal.censoring.strata import RawMedian
    >>> first = RawMedian()
    >>> q = np.array([[3.0], [-1.0], [np.inf], [2.0]])
    >>> subjects = Blocks([Block(q, np.array([0.5]), Outcome([1] * 4, [1] * 4))])
    >>> counts = subjects.ask(Cells(first))
    >>> order_statistics(subjects, first, counts, np.array([0, 2, 3]))
    array([-1.,  3., inf])
    """
    # All members of a cell that is looked into are counted; those of the others
    # between them are not, so ranks are counted from the start of a cell.
    # Sums of weights are rounded: a rank at the end of a cell lies beyond it.
    left_out, counted = FIRST, first
    ranks = np.asarray(ranks, dtype=np.float64) + _ROUNDING
    while left_out:
        ends = np.cumsum(counted.counts)
        place = np.searchsorted(ends, ranks, side="right")
        some = np.unique(place)
        inside = counted.counts[some]
        skipped = (ends[some] - inside) - (np.cumsum(inside) - inside)
        ranks = ranks - skipped[np.searchsorted(some, place)]
        few = counted.kinds[some].sum() <= _FEW
        finer = 0 if few else max(left_out - _FINER, 0)
        within = left_out, counted.cells[some]
        left_out, counted = finer, subjects.ask(Cells(number_of, finer, within))
    place = np.searchsorted(np.cumsum(counted.counts), ranks, side="right")
    return _numbers(counted.cells[place])


def _keys(numbers: Float) -> Index:
    """Return whole numbers in the order of floats."""
    bits = (numbers + 0.0).view(np.int64)  # -0.0 is 0.0
    keys: Index = bits ^ ((bits >> 63) & np.int64(0x7FFF_FFFF_FFFF_FFFF))
    return keys


def _numbers(keys: Index) -> Float:
    bits = keys ^ ((keys >> 63) & np.int64(0x7FFF_FFFF_FFFF_FFFF))
    numbers: Float = bits.view(np.float64)
    return numbers
