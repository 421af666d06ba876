"""Means, intervals and tests over seeds.

Numbers that should be equal may differ in their last bits between machines, so a
difference below 1e-12 of the numbers themselves counts as none at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from consurv._checks import Float
from consurv.errors import InvalidInput

__all__ = [
    "Interval",
    "holm",
    "mean_interval",
    "paired_test",
    "rounded",
    "same_digits",
    "unpaired_test",
]

_NOISE = 1e-12  # relative; far above rounding, far below any effect


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with the half width of its interval.

    Attributes
    ----------
    mean : float
    half_width : float or None
        ``None`` where there is only one seed.
    n : int
        Number of seeds.
    """

    mean: float
    half_width: float | None
    n: int

    @property
    def low(self) -> float | None:
        """The lower end."""
        return None if self.half_width is None else self.mean - self.half_width

    @property
    def high(self) -> float | None:
        """The upper end."""
        return None if self.half_width is None else self.mean + self.half_width

    def holds(self, value: float) -> bool:
        """Say whether *value* lies in the interval; without one, on the mean."""
        return abs(value - self.mean) <= (self.half_width or 0.0)


def mean_interval(values: ArrayLike, coverage: float = 0.95) -> Interval:
    """Return the mean and its interval by Student's t.

    Parameters
    ----------
    values : array_like, shape (n,)
        One number per seed, n ≥ 1.
    coverage : float

    Returns
    -------
    Interval
        mean ± t · s/√n with t of n − 1 degrees of freedom.

    Examples
    --------
    >>> result = mean_interval([1.0, 2.0, 3.0])
    >>> result.mean, round(result.half_width, 3)
    (2.0, 2.484)
    >>> mean_interval([1.0]).half_width is None
    True
    """
    x = np.asarray(values, dtype=float)
    n = len(x)
    if n == 0:
        raise InvalidInput("a mean needs at least one seed")
    mean = float(np.mean(x))
    if n == 1:
        return Interval(mean, None, 1)
    t = float(stdtrit(n - 1, 0.5 + coverage / 2))
    return Interval(mean, t * float(np.std(x, ddof=1)) / n**0.5, n)


def paired_test(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the p-value of the two-sided paired t-test.

    It is ``None`` with fewer than two pairs. If all differences are 0 it is 1; if all
    are the same other number it is 0, the limit of a variance that vanishes.

    Examples
    --------
    >>> round(paired_test([1.0, 2.0, 3.0], [1.5, 2.4, 3.6]), 4)
    0.0131
    >>> paired_test([1.0, 2.0], [1.0, 2.0]), paired_test([1.0, 2.0], [2.0, 3.0])
    (1.0, 0.0)
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    noise = _NOISE * _scale(a, b)
    difference = b - a
    n = len(difference)
    if n < 2:
        return None
    return _p_value(
        float(np.mean(difference)), float(np.std(difference, ddof=1)), n, n - 1, noise
    )


def unpaired_test(first: ArrayLike, second: ArrayLike) -> float | None:
    """Return the p-value of Student's two-sided t-test of two samples.

    The classical one, with a common variance. ``None`` if one sample has fewer than
    two numbers.

    Examples
    --------
    >>> round(unpaired_test([1.0, 2.0, 3.0], [1.5, 2.4, 3.6]), 4)
    0.5831
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if min(len(a), len(b)) < 2:
        return None
    degrees = len(a) + len(b) - 2
    squares = (len(a) - 1) * np.var(a, ddof=1) + (len(b) - 1) * np.var(b, ddof=1)
    effective = 1 / (1 / len(a) + 1 / len(b))
    noise = _NOISE * _scale(a, b)
    gap = float(np.mean(b) - np.mean(a))
    return _p_value(gap, float(np.sqrt(squares / degrees)), effective, degrees, noise)


def _scale(first: Float, second: Float) -> float:
    return max(
        float(np.max(np.abs(first), initial=0)),
        float(np.max(np.abs(second), initial=0)),
    )


def _p_value(gap: float, sd: float, n: float, degrees: int, noise: float) -> float:
    """Return the p-value of t = gap · √n / sd."""
    if abs(gap) <= noise and sd <= noise:
        return 1.0
    if sd <= noise:
        return 0.0
    return float(2 * stdtr(degrees, -abs(gap) * n**0.5 / sd))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values of one family; ``None`` is no test.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    tests = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(tests):
        largest = max(largest, min(1.0, (len(tests) - rank) * p))
        adjusted[i] = largest
    return adjusted


def rounded(value: float, digits: int = 4) -> float:
    """Round to significant digits.

    Examples
    --------
    >>> rounded(0.012345678), rounded(1234.5678)
    (0.01235, 1235.0)
    """
    return float(f"{value:.{digits - 1}e}")


def same_digits(first: float, second: float, digits: int = 4) -> bool:
    """Say whether two numbers are written the same with that many significant digits.

    Examples
    --------
    >>> same_digits(0.61234, 0.61231), same_digits(0.000121, 0.000122)
    (True, False)
    """
    return rounded(first, digits) == rounded(second, digits)
