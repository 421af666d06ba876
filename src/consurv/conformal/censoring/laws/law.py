"""What all laws share: the last few places of the search, even draws, one line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.mass import Pieces
from consurv.conformal.scores import Score

__all__ = [
    "AT_THE_END",
    "UNLISTED",
    "EvenDraws",
    "RememberedMass",
    "count_before",
    "one_line",
    "unroll",
]

# S(c) below which c counts as the end of a curve. The slope of a narrower law would
# drown those of all others in rounding. (Before its tail a Kaplan–Meier curve is at
# least 1 over the sample size.)
AT_THE_END = 1e-9
# A bend in the bracket counts as so many pieces that the search goes on.
UNLISTED = 1 << 40
_GOLDEN = (np.sqrt(5) - 1) / 2
_REMEMBERED = 4
# Rises of the mass below this, plus the second times n, are rounding of its two ends.
_ROUNDING = 1e-10, 1e-13


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


class RememberedMass(ABC):
    """The mass of n laws at one level, which remembers the last few places.

    The search comes back to them for their breakpoints. A subclass evaluates at a score
    and returns a tuple that ends in the mass.
    """

    last_time: float
    _remembered: ClassVar[int] = _REMEMBERED

    def __init__(self, q: Float, score: Score) -> None:
        self.q, self.score, self.n = q, score, len(q)
        self._seen: dict[float, Any] = {}

    @abstractmethod
    def _evaluate(self, s: float) -> Any:
        """Return what holds at s; its last entry is the mass."""

    @abstractmethod
    def _draws(self, size: int) -> Float:
        """Return (n, size) times that resemble the laws."""

    def _at(self, s: float) -> Any:
        if s not in self._seen:
            while len(self._seen) >= self._remembered:
                del self._seen[next(iter(self._seen))]
            self._seen[s] = self._evaluate(s)
        return self._seen[s]

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        return self.score.of(self.q[:, None], self._draws(size)).ravel()

    def coarse_mass(self, s: float) -> float:
        """Return the mass at s."""
        return self.mass(s)

    def mass(self, s: float) -> float:
        """Return the mass at s."""
        mass: float = self._at(s)[-1]
        return mass


def one_line(
    ends: tuple[float, float],
    masses: tuple[float, float],
    n: int,
    jumps: tuple[Float, Float] | None = None,
) -> Pieces:
    """Return jumps, and one line for all the rest of the mass between two ends.

    Parameters
    ----------
    ends : pair of float
        lo and hi.
    masses : pair of float
        The exact mass there.
    n : int
        Number of subjects.
    jumps : pair of arrays, optional
        Positions and sizes.
    """
    position, jump = jumps or (np.empty(0), np.empty(0))
    rise = masses[1] - masses[0] - float(jump.sum())
    straight = rise > _ROUNDING[0] + _ROUNDING[1] * n
    slope = rise / (ends[1] - ends[0]) if straight else 0.0
    return Pieces(masses[0], slope, position, jump, np.zeros(len(position)))


def count_before(table: Float, rows: Index, before: Callable[[Float], Bool]) -> Index:
    """Return in how many entries of a row, from the first on, *before* holds.

    Parameters
    ----------
    table : ndarray of shape (G, W)
        C-contiguous. In each row the comparison, once it fails, fails for all later
        entries.
    rows : ndarray of int of shape (n,)
    before : callable
        Compares n entries, one for each of *rows*, with what is looked for.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x = np.array([2.5, 4.0, 9.0])
    >>> count_before(table, np.array([0, 1, 1]), lambda value: value < x)
    array([2, 0, 3])
    """
    width = table.shape[1]
    flat, start = table.ravel(), rows * width
    found, left = start - 1, width + 1  # the last entry that holds, so far
    while left > 1:  # as many steps for every row, without branches
        half = left >> 1
        found += half * before(flat.take(found + half, mode="clip"))
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
