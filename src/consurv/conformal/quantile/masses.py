"""N·F at some levels for some subjects: the scores of points, the mass of laws.

Counts are whole numbers. What a law gives is added up in *units* of 2⁻⁴⁸, whole
numbers too: so no sum depends on how subjects are split or ordered, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consurv._checks import Bool, Float, Index

__all__ = [
    "EVERYONE",
    "UNIT",
    "Law",
    "LawMass",
    "LevelMass",
    "Pieces",
    "below_places",
    "carry",
    "in_units",
    "to_mass",
]

EVERYONE = slice(None)
_BITS = 48
_HALF = _BITS // 2
_WHOLE = 1 << _BITS
UNIT = 2.0**-_BITS
# Between 16 and 32 the numbers that a float can hold are one unit apart.
_RULER = np.float64(24.0)
_ZERO = int(_RULER.view(np.int64))
# So many shares of at most 1 cannot overflow.
_AT_ONCE = 1 << 13


def in_units(shares: Float) -> Index:
    """Return the sums of rows of numbers in [0, 1], each rounded to units.

    Returns
    -------
    ndarray of int of shape (..., 2)
        Wholes, and the units that are left.

    Examples
    --------
    >>> in_units(np.array([[0.5, 0.75], [0.5, 0.25]])) * [1, UNIT]
    array([[1.  , 0.25],
           [0.  , 0.75]])
    """
    total = np.zeros((*shares.shape[:-1], 2), dtype=np.int64)
    for start in range(0, shares.shape[-1], _AT_ONCE):
        total[..., 1] += _rounded(shares[..., start : start + _AT_ONCE]).sum(axis=-1)
        carry(total)
    return total


def _rounded(shares: Float) -> Index:
    """Return numbers in [0, 1] as whole units."""
    # Adding the ruler rounds to units, and the bits of the sum count them.
    bits: Index = (shares + _RULER).view(np.int64)
    bits -= _ZERO
    return bits


def below_places(place: Index, n: int, shares: Float) -> Index:
    """Return the sums of numbers in [0, 1] that lie at or before each of n places.

    The sums are those of ``in_units``, to the last bit.

    Parameters
    ----------
    place : ndarray of int of shape (m,)
        Where each lies; n is behind all places.
    n : int
    shares : ndarray of shape (m,)

    Returns
    -------
    ndarray of int of shape (n, 2)

    Examples
    --------
    >>> below_places(np.array([1, 0, 2]), 2, np.array([0.5, 0.75, 1.0])) * [1, UNIT]
    array([[0.  , 0.75],
           [1.  , 0.25]])
    """
    units = _rounded(shares)
    total = np.zeros((n, 2), dtype=np.int64)
    # Halves of the units: floats add up whole numbers of so few digits exactly.
    for part, shift in ((units >> _HALF, _HALF), (units & ((1 << _HALF) - 1), 0)):
        sums = np.bincount(place, part, minlength=n + 1)[:n].astype(np.int64).cumsum()
        total[:, 0] += sums >> (_BITS - shift)
        total[:, 1] += (sums & ((1 << (_BITS - shift)) - 1)) << shift
    return carry(total)


def carry(units: Index) -> Index:
    """Let the units of pairs (whole, units) stay below a whole, in place."""
    units[..., 0] += units[..., 1] >> _BITS
    units[..., 1] &= _WHOLE - 1
    return units


def to_mass(units: Any) -> Float:
    """Return masses from pairs (whole, units)."""
    mass: Float = units[..., 0] + units[..., 1] * UNIT
    return mass


@dataclass(frozen=True)
class Pieces:
    """The mass of laws on (lo, hi] as a step and piecewise-linear function, by level.

    ``base_slope`` holds at lo; at ``position[i]`` the mass of ``level[i]`` jumps by
    ``jump[i]`` and its slope changes by ``slope[i]``. Positions come in no order.
    """

    base_slope: Float
    level: Index
    position: Float
    jump: Float
    slope: Float


class LawMass(Protocol):
    """What n censored subjects add to the mass at g levels: Σ P(T ≥ offset − s·rate).

    Offset and rate are those of ``Block.line``, (g, n). A score is one for each level.
    """

    n: int
    last_time: float  # no law reaches further; 0 where scores have no unit of time
    most_pieces: int  # how many breakpoints there are at a level
    straight: bool  # whether all that does not jump is a line where nothing bends
    weights: Float | None  # of the subjects, 1 at most; by default they count 1 each

    def sketch(self, size: int) -> Float:
        """Return scores (g, ·) that resemble the mass, each of weight 1/size."""

    def coarse_masses(self, places: Float) -> Float:
        """Return cheap estimates of the mass at ascending scores (g, B)."""

    def at(self, s: Float, above: Any) -> Any:
        """Return the AtScore at s; *above* is one at larger scores, or None."""

    def n_pieces(self, lo: Any, hi: Any) -> Index:
        """Return about how many breakpoints ``pieces`` would list at each level."""

    def bends(self, lo: Any, hi: Any) -> Bool:
        """Say at which levels ``pieces`` are to find the way by, and no more."""

    def pieces(self, lo: Any, hi: Any) -> Pieces:
        """Return the mass between two scores; some breakpoints may lie outside."""


class Law(Protocol):
    """The laws of T given T > c of the censored subjects of a block."""

    many_levels: bool  # whether ``at`` takes lines of several levels together

    def at(self, offset: Float, rate: Float, rows: Any = ...) -> LawMass:
        """Return the mass of *rows* for scores on these lines, a row for each level."""

    def select(self, rows: Any) -> Law:
        """Return the laws of some of the subjects."""


@dataclass(frozen=True)
class LevelMass:
    """The mass of some subjects at one level, or at g levels: then points are (g, m).

    ``fixed`` is mass that is there whatever the score; ``n_fixed`` subjects are neither
    points nor in the law, and contribute no more than their part of it. ``events`` says
    which points are observed events, where not all are. ``weights`` of points and
    ``law_weights`` are there where subjects do not all count 1; nothing but
    ``weighted_questions.py`` looks at them.
    """

    points: Float
    law: LawMass | None = None
    fixed: float = 0.0
    n_fixed: int = 0
    events: Bool | None = None
    weights: Float | None = None
    law_weights: Float | None = None

    @property
    def n(self) -> int:
        """Number of subjects."""
        return len(self.points.T) + self.n_law + self.n_fixed

    @property
    def n_law(self) -> int:
        """Number of subjects that follow laws."""
        return 0 if self.law is None else self.law.n

    def answer(self, question: Any) -> Any:
        """Return the summary that a question asks for, as a partition does."""
        return question.answer([(slice(0, 1), self)])
