"""Empirical-Bayes shrinkage of single numbers to "the model is right"."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float

__all__ = ["THRESHOLD", "ridge_for", "settled"]

# The squared standard errors that a number must exceed to count: two of them.
THRESHOLD = 4.0
# So much of a number is kept or lost at least: the fixed point stays in reach.
_LEAST = 1e-4
_SMALLEST = 1e-14
# A number of which less than this share is left is none.
_NOTHING_LEFT = 0.99


def ridge_for(numbers: Float, variance: Float, ridge: Float) -> Float:
    """Return the ridge weights under which numbers keep the share that is their due.

    A number that lies z standard errors (without a ridge) from 0 keeps (1 − c/z²)₊ of
    itself, c = 4: the positive-part rule of James and Stein, and the fixed point of
    λ = c(1 − λV)/θ².

    Parameters
    ----------
    numbers : ndarray
        θ, found with the weights *ridge*.
    variance : ndarray
        V, their variances with that ridge.
    ridge : ndarray
        λ.

    Examples
    --------
    A number that is four standard errors from 0 loses a quarter:

    >>> free, c = 4.0, THRESHOLD
    >>> weight = ridge_for(np.array([free]), np.array([1.0]), np.array([0.0]))
    >>> (free / (1 + weight)).round(12)
    array([3.])
    """
    kept = np.clip(1 - ridge * variance, _LEAST, 1.0)
    squares = np.maximum(numbers**2, _SMALLEST)
    lost = np.minimum(THRESHOLD * variance * kept / squares, 1 - _LEAST)
    weights: Float = lost / (1 - lost) * kept / variance
    return weights


def settled(numbers: Float, variance: Float, ridge: Float) -> tuple[Float, float]:
    """Return numbers, 0 where next to nothing is left, and how many there are in all.

    The count is in degrees of freedom: what is kept of each.
    """
    lost = ridge * variance
    found = np.where(lost > _NOTHING_LEFT, 0.0, numbers)
    return found, float(np.clip(1 - lost, 0, 1).sum())
