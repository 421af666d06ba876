"""Weights of subjects: how many subjects each of them stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float, Index, as_floats, check_same_length
from consurv._rows import row_number
from consurv.errors import InvalidInput

__all__ = ["Weighing", "as_weights", "at_ranks", "drawn", "is_whole"]

# More subjects than this nobody has, and sums of weights would lose single ones.
_MOST = 1e15
# A rank that rounding alone keeps from the end of a subject's weight lies beyond it.
_ROUNDING = 1e-9
# What they are called in files.
_TOTAL, _EFFECTIVE = "total_weight", "n_effective"


@dataclass(frozen=True)
class Weighing:
    """What the weights of some subjects come to.

    Attributes
    ----------
    total : float
        How many subjects they stand for.
    n_effective : float
        The effective sample size (Σw)²/Σw²: with how many subjects of equal weight an
        average would vary as much (Kish).

    Examples
    --------
    >>> Weighing.of(np.array([1.0, 1.0, 2.0])).told
    'standing for 4, effective sample size 2.7'
    """

    total: float
    n_effective: float

    @classmethod
    def of(cls, weight: Float) -> Self:
        """Return what weights come to."""
        return cls.of_sums(float(weight.sum()), float(weight @ weight))

    @classmethod
    def of_sums(cls, total: float, squares: float) -> Self:
        """Return it from the sums of weights and of their squares."""
        return cls(total, total**2 / squares)

    @property
    def told(self) -> str:
        """Both in a few words."""
        effective = f"effective sample size {_short(self.n_effective)}"
        return f"standing for {_short(self.total)}, {effective}"

    def to_stored(self) -> dict[str, float]:
        """Return both numbers by names of their own."""
        return {_TOTAL: self.total, _EFFECTIVE: self.n_effective}

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Self | None:
        """Return what ``to_stored`` gave, or None if there were no weights."""
        if _TOTAL not in values and _EFFECTIVE not in values:
            return None
        numbers: list[Any] = [values.get(name) for name in (_TOTAL, _EFFECTIVE)]
        for number in numbers:
            if type(number) not in (int, float) or not 0 < number < np.inf:
                raise InvalidInput(f"its weights come to {numbers}, no two numbers > 0")
        return cls(*map(float, numbers))


def _short(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def as_weights(
    values: ArrayLike, n: int, name: str = "sample_weight", *, of: str = "y"
) -> Float | None:
    """Return the weights of n subjects; None where all are 1, which is no weighting.

    Examples
    --------
    >>> as_weights([1, 0, 2.5], 3), as_weights([1, 1], 2)
    (array([1. , 0. , 2.5]), None)
    >>> as_weights([1, -2], 2)
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: sample_weight has 1 values < 0, the first at row 1: \
-2; a weight says how many subjects a row stands for, and 0 leaves it out
    """
    weight: Float = as_floats(values, name).copy()
    check_same_length(**{of: n, name: len(weight)})
    bad = np.flatnonzero(weight < 0)
    if bad.size:
        raise InvalidInput(
            f"{name} has {bad.size} values < 0, the first at row {row_number(bad[0])}: "
            f"{weight[bad[0]]:g}; a weight says how many subjects a row stands for, "
            "and 0 leaves it out"
        )
    if n and not weight.any():
        raise InvalidInput(f"{name} is 0 for all {n} subjects: nobody would count")
    if weight.sum() > _MOST:
        raise InvalidInput(
            f"{name} adds up to {weight.sum():g}, more than {_MOST:g} subjects; divide "
            "it by a number such that it adds up to how many subjects it is worth"
        )
    return None if (weight == 1).all() else weight


def is_whole(weight: Float) -> bool:
    """Say whether all weights are whole numbers, so that rows could be repeated."""
    return bool((weight == np.rint(weight)).all())


def at_ranks(weight: Float, ranks: Any) -> Index:
    """Return which subject, in the order given, has each rank, 0 for the first.

    They are the subjects at these places if each were there as often as it weighs.

    Examples
    --------
    >>> at_ranks(np.array([1.0, 3.0, 0.5]), np.array([0, 1, 3, 4]))
    array([0, 1, 1, 2])
    """
    found = np.searchsorted(np.cumsum(weight), ranks + _ROUNDING, side="right")
    place: Index = np.minimum(found, len(weight) - 1)
    return place


def drawn(weight: Float, most: int) -> Index:
    """Return subjects as often as they weigh, or evenly so if those are too many.

    Examples
    --------
    >>> drawn(np.array([1.0, 3.0]), 10), drawn(np.array([1.0, 3.0]), 2)
    (array([0, 1, 1, 1]), array([0, 1]))
    """
    total = float(weight.sum())
    size = min(int(np.ceil(total - _ROUNDING)), most)
    return at_ranks(weight, np.arange(size) * (total / size))
