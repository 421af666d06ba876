"""Very many searches in one ascending array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float, Index

__all__ = ["Search"]

# Equal cells for each value: few then have more than one.
_CELLS_EACH = 4
_MOST_CELLS = 2**22
# Guesses begin this share of a cell early, which is far more than rounding.
_EARLY = 1e-6


class Search:
    """``np.searchsorted(values, wanted)``, some times faster in the long run.

    Once as many were looked for as there are values, a table of equal cells is made. It
    gives a first guess, which is right or a few places early; a binary search in an
    array that leaves the cache waits for memory at each of its steps.

    Parameters
    ----------
    values : array of shape (k,)
        Finite and ascending.

    Examples
    --------
    >>> search = Search(np.array([1.0, 2.0, 4.0]))
    >>> for _ in range(2):
    ...     search(np.array([0.0, 2.0, 3.0, 9.0]))
    array([0, 1, 2, 3])
    array([0, 1, 2, 3])
    """

    def __init__(self, values: Float) -> None:
        self._values = values
        self._n_wanted = 0
        self._guess: NDArray[np.int32] | None = None

    def __call__(self, wanted: Float) -> Index:
        """Return how many values lie below each of *wanted*, which are finite."""
        if self._guess is None:
            self._n_wanted += wanted.size
            if self._n_wanted > len(self._values) > 1:
                self._make_table()
            return np.searchsorted(self._values, wanted)
        cell = wanted - self._values[0]
        cell *= self._per_unit
        np.clip(cell, 0, len(self._guess) - 1, out=cell)
        found: Index = self._guess.take(cell.astype(np.intp)).astype(np.intp)
        while (further := self._until.take(found) < wanted).any():
            found += further
        return found

    def _make_table(self) -> None:
        values = self._values
        span = float(values[-1] - values[0])
        last = min(_CELLS_EACH * len(values), _MOST_CELLS) - 1
        starts = np.arange(last + 1) - _EARLY
        starts *= span / last
        starts += values[0]
        # Half the bytes of an index: the table is to stay in the cache.
        guess = np.searchsorted(values, starts).astype(np.int32)
        self._per_unit = last / span
        self._until = np.append(values, np.inf)
        self._guess = guess  # last: others may search at the same time
