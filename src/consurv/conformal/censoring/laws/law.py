"""What all laws share: even draws, the search in rows, one line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.quantile.masses import EVERYONE, in_units, to_mass

__all__ = [
    "AT_THE_END",
    "UNLISTED",
    "AtScore",
    "EvenDraws",
    "LineMass",
    "count_before",
    "unroll",
]

# S(c) below which c counts as the end of a curve. The slope of a narrower law would
# drown those of all others in rounding. (Before its tail a Kaplan–Meier curve is at
# least 1 over the sample size.)
AT_THE_END = 1e-9
# A bend in the bracket counts as so many pieces that the search goes on.
UNLISTED = 1 << 40
_GOLDEN = (np.sqrt(5) - 1) / 2


class EvenDraws(ABC):
    """Laws by a curve S: the conditional law of a subject is S/S(c).

    A subclass has ``at_c``, S(c) of each subject, and ``inverse``.
    """

    at_c: Float

    @abstractmethod
    def inverse(self, level: Float) -> Float:
        """Return (n, m) times at which the curves fall to levels (n, m), roughly."""

    def draws(self, size: int) -> Float:
        """Return (n, size) times at evenly spread levels, shifted subject by subject.

        The golden ratio spreads the shifts evenly; they are the same at every level of
        the percentile times, so they are made once.
        """
        made: dict[int, Float] = self.__dict__.setdefault("_draws", {})
        if size not in made:
            shift = (np.arange(len(self.at_c)) * _GOLDEN) % 1
            share = (shift[:, None] + np.arange(size)) / size
            made[size] = self.inverse(share * self.at_c[:, None])
        return made[size]


class LineMass(ABC):
    """What the masses of all laws hold: n subjects on their lines at g levels."""

    straight = False
    weights: Float | None = None

    def __init__(self, offset: Float, rate: Float, last_time: float) -> None:
        self.offset, self.rate = np.atleast_2d(offset), np.atleast_2d(rate)
        self.n: int = self.offset.shape[1]
        self.last_time = last_time if offset.any() else 0.0

    def scores(self, times: Float) -> Float:
        """Return the scores (g, n·m) of times (n, m)."""
        if times.shape[1] == 1:
            return (self.offset - times[:, 0]) / self.rate
        scores = (self.offset[..., None] - times) / self.rate[..., None]
        return scores.reshape(len(scores), -1)

    def in_units(self, shares: Float, rows: Any = EVERYONE) -> Index:
        """Return the sum of the shares of subjects, each times its weight."""
        if self.weights is not None:
            shares = shares * self.weights[rows]
        return in_units(shares)

    def bends(self, lo: AtScore, hi: AtScore) -> Bool:
        """Say nowhere: pieces are exact."""
        return np.zeros(len(self.offset), dtype=np.bool_)

    @abstractmethod
    def at(self, s: Float, above: Any) -> AtScore:
        """Return what holds at s; *above* is known at a larger score, or None."""

    def coarse_masses(self, places: Float) -> Float:
        """Return the mass at ascending scores: there is nothing cheaper."""
        masses, above = np.empty(places.shape), None
        for i in range(places.shape[1])[::-1]:  # each is a start for the next below
            above = self.at(places[:, i], above)
            masses[:, i] = to_mass(above.units)
        return masses


class AtScore(NamedTuple):
    """What holds at scores, one a level: the mass (g, 2) in units, what pieces need."""

    s: Float
    units: Index
    found: Any = None
    in_tail: bool = True  # whether somebody is where a curve has no more nodes


def count_before(table: Float, rows: Index, x: Float, before: np.ufunc) -> Index:
    """Return how many entries of a row, from the first on, are *before* x.

    Parameters
    ----------
    table : ndarray of shape (G, W)
        C-contiguous. In each row the comparison, once it fails, fails for all later
        entries.
    rows : ndarray of int of shape (n,)
    x : ndarray of shape (n,)
        What is looked for in each of *rows*.
    before : comparison of NumPy
        Of an entry with x.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x = np.array([2.5, 4.0, 9.0])
    >>> count_before(table, np.array([0, 1, 1]), x, np.less)
    array([2, 0, 3])
    """
    width = table.shape[1]
    flat, start = table.ravel(), rows * width
    found, left = start - 1, width + 1  # the last entry that holds, so far
    while left > 1:  # as many steps for every row, without branches
        half = left >> 1
        found += half * before(flat.take(found + half, mode="clip"), x)
        left -= half
    count: Index = found - start + 1
    return count


def unroll(first: Index, last: Index) -> tuple[Index, Index]:
    """Return rows and numbers of all entries first ≤ m < last, row after row.

    Examples
    --------
    >>> unroll(np.array([0, 5, 2]), np.array([2, 5, 3]))
    (array([0, 0, 2]), array([0, 1, 2]))
    """
    row = np.flatnonzero(last > first)
    counts = (last - first)[row]
    start = np.cumsum(counts) - counts
    m = np.arange(int(counts.sum())) + np.repeat(first[row] - start, counts)
    return np.repeat(row, counts), m
