"""N·F at one level for some subjects: the scores of points, the mass of laws.

Counts are whole numbers. What a law gives is added up in *units* of 2⁻⁴⁸, whole
numbers too: so no sum depends on how subjects are split or ordered, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consurv._checks import Bool, Float

__all__ = ["EVERYONE", "UNIT", "Law", "LawMass", "LevelMass", "Pieces", "in_units"]

EVERYONE = slice(None)
UNIT = 2.0**-48
# Between 16 and 32 the numbers that a float can hold are one unit apart.
_RULER = np.float64(24.0)
_ZERO = int(_RULER.view(np.int64))
# So many shares of at most 1 cannot overflow.
_AT_ONCE = 1 << 14


def in_units(shares: Float) -> int:
    """Return the sum of numbers in [0, 1], each rounded to units.

    Examples
    --------
    >>> in_units(np.array([0.5, 0.25])) * UNIT
    0.75
    """
    total = 0
    for start in range(0, len(shares), _AT_ONCE):
        # Adding the ruler rounds to units, and the bits of the sum count them.
        bits = (shares[start : start + _AT_ONCE] + _RULER).view(np.int64)
        bits -= _ZERO
        total += int(bits.sum())
    return total


@dataclass(frozen=True)
class Pieces:
    """The mass of laws on (lo, hi] as a step and piecewise-linear function.

    ``base_slope`` holds at lo; at ``position[i]`` the mass jumps by ``jump[i]`` and its
    slope changes by ``slope[i]``. Positions come in no order.
    """

    base_slope: float
    position: Float
    jump: Float
    slope: Float


class LawMass(Protocol):
    """What n censored subjects add to the mass at one level: Σ P(T ≥ offset − s·rate).

    Offset and rate are those of ``Block.line``.
    """

    n: int
    last_time: float  # no law reaches further; 0 where scores have no unit of time
    most_pieces: int  # how many breakpoints there are in all
    straight: bool  # whether all that does not jump is a line where nothing bends

    def sketch(self, size: int) -> Float:
        """Return scores that resemble the mass, each of weight 1/size."""

    def coarse_masses(self, places: Sequence[float]) -> list[float]:
        """Return cheap estimates of the mass at ascending scores."""

    def at(self, s: float, above: Any) -> Any:
        """Return the AtScore at s; *above* is one at a larger score, or None."""

    def n_pieces(self, lo: Any, hi: Any) -> int:
        """Return about how many breakpoints ``pieces`` would list."""

    def pieces(self, lo: Any, hi: Any) -> Pieces:
        """Return the mass between two scores; some breakpoints may lie outside."""


class Law(Protocol):
    """The laws of T given T > c of the censored subjects of a block."""

    def at(self, offset: Float, rate: Float, rows: Any = ...) -> LawMass:
        """Return the mass of *rows* for scores on these lines, one per subject."""

    def select(self, rows: Any) -> Law:
        """Return the laws of some of the subjects."""


@dataclass(frozen=True)
class LevelMass:
    """The mass of some subjects at one level.

    ``fixed`` is mass that is there whatever the score; ``n_fixed`` subjects are neither
    points nor in the law, and contribute no more than their part of it. ``events`` says
    which points are observed events, where not all are.
    """

    points: Float
    law: LawMass | None = None
    fixed: float = 0.0
    n_fixed: int = 0
    events: Bool | None = None

    @property
    def n(self) -> int:
        """Number of subjects."""
        return len(self.points) + self.n_law + self.n_fixed

    @property
    def n_law(self) -> int:
        """Number of subjects that follow laws."""
        return 0 if self.law is None else self.law.n

    def answer(self, question: Any) -> Any:
        """Return the summary that a question asks for, as a partition does."""
        return question.answer([[(0, self)]])

    def sketch(self, size: int) -> Float:
        """Return scores of equal weight 1/size that resemble F."""
        points = np.repeat(self.points, size) if size > 1 else self.points
        if self.law is None or not self.law.n:
            return points
        return np.concatenate([points, self.law.sketch(size)])
