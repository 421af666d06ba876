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

    With the places come the values that are found there. Once as many were looked for
    as there are values, a table of equal cells is made. It gives a first guess, which
    is right or a few places early; a binary search in an array that leaves the cache
    waits for memory at each of its steps.

    Parameters
    ----------
    values : array of shape (k,)
        Finite and ascending.

    Examples
    --------
    >>> search = Search(np.array([1.0, 2.0, 4.0]))
    >>> for _ in range(2):
    ...     search(np.array([0.0, 2.0, 3.0, 9.0]))
    (array([0, 1, 2, 3]), array([ 1.,  2.,  4., inf]))
    (array([0, 1, 2, 3]), array([ 1.,  2.,  4., inf]))
    """

    def __init__(self, values: Float) -> None:
        self._values = np.append(values, np.inf)
        self._n_wanted = 0
        self._guess: NDArray[np.int32] | None = None

    def __call__(self, wanted: Float) -> tuple[Index, Float]:
        """Return how many values lie below each of *wanted*, which are finite.

        The first value that does not comes second; +inf if all do.
        """
        values = self._values
        if self._guess is None:
            self._n_wanted += wanted.size
            if self._n_wanted > len(values) - 1 > 1:
                self._make_table()
            place: Index = np.searchsorted(values, wanted)
            return place, values.take(place)
        cell = wanted - values[0]
        cell *= self._per_unit
        np.clip(cell, 0, len(self._guess) - 1, out=cell)
        # None is outside: not to check that is faster.
        inside = cell.astype(np.intp)
        place = self._guess.take(inside, mode="clip").astype(np.intp)
        # Most are there after a step, the others go on alone.
        place += values.take(place, mode="clip") < wanted
        found = values.take(place, mode="clip")
        behind = np.flatnonzero(found < wanted)
        at, there, aim = place.reshape(-1), found.reshape(-1), wanted.reshape(-1)
        while behind.size:
            at[behind] += 1
            there[behind] = values.take(at[behind])
            behind = behind[there[behind] < aim[behind]]
        return place, found

    def _make_table(self) -> None:
        values = self._values[:-1]
        span = float(values[-1] - values[0])
        last = min(_CELLS_EACH * len(values), _MOST_CELLS) - 1
        cell = (values - values[0]) * (last / span) + _EARLY
        within = np.bincount(cell.astype(np.intp), minlength=last + 1)
        # Half the bytes of an index: the table is to stay in the cache.
        guess = np.zeros(last + 1, dtype=np.int32)
        np.cumsum(within[:last], out=guess[1:])
        self._per_unit = last / span
        self._guess = guess  # last: others may search at the same time
