"""Maximum likelihood by scoring, under a ridge that may follow the numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from consurv._checks import Float
from consurv.conformal.recalibration.likelihood import Sums
from consurv.conformal.recalibration.shrinkage import ridge_for, settled

__all__ = ["FIXED", "Found", "climb", "follow"]

# The ridge of a number that is left out, and the least of one that is not: a standard
# deviation of 1, which is a factor of e.
FIXED, _LEAST = 1e8, 1.0
# No number moves further in one step, and steps are halved up to so many times.
_LONGEST, _HALVINGS = 0.7, 8
# Steps of a first look, which ends before when they are this short.
_FIRST_STEPS, _SHORT = 5, 1e-3
# Rounds with a ridge that follows, which end when neither it nor the numbers move.
_ROUNDS, _RIDGE_STANDS, _NUMBERS_STAND = 40, 0.05, 1e-4
# For a matrix without an inverse, and against rounding in the comparison of sums.
_JITTER, _ROUNDING = 1e-9, 1e-9

Evaluate = Callable[[Float], Sums]


class Found(NamedTuple):
    """Numbers, the sums there, the objective (less its ridge) and the last step."""

    numbers: Float
    sums: Sums
    objective: float
    moved: float

    def variances(self, ridge: Float) -> Float:
        """Return the variance of each number."""
        return np.diag(np.linalg.inv(_curvature(self.sums, ridge))).copy()


def climb(evaluate: Evaluate, start: Float, ridge: Float) -> Found:
    """Return where a few steps lead under a given ridge."""
    found = _at(evaluate, start, ridge)
    for _ in range(_FIRST_STEPS):
        found = _step(evaluate, found, ridge)
        if found.moved < _SHORT:
            break
    return found


def follow(evaluate: Evaluate, start: Float, ridge: Float) -> tuple[Float, float]:
    """Return the numbers, and how many, where numbers and ridge stand still together.

    Parameters
    ----------
    evaluate : callable
        Returns the sums at numbers.
    start, ridge : ndarray of shape (5,)
        Numbers whose ridge is ``FIXED`` stay at their start.
    """
    fixed = ridge >= FIXED
    found = _at(evaluate, start, ridge)
    for _ in range(_ROUNDS):
        found = _step(evaluate, found, ridge)
        due = ridge_for(found.numbers, found.variances(ridge), ridge)
        renewed = np.clip(np.where(fixed, FIXED, due), _LEAST, FIXED)
        change = np.abs(np.log(renewed / ridge)).max()
        less = 0.5 * ((renewed - ridge) * found.numbers**2).sum()
        found = found._replace(objective=found.objective - float(less))
        ridge = renewed
        if change < _RIDGE_STANDS and found.moved < _NUMBERS_STAND:
            break
    return settled(found.numbers, found.variances(ridge), ridge)


def _at(evaluate: Evaluate, numbers: Float, ridge: Float) -> Found:
    sums = evaluate(numbers)
    penalty = 0.5 * float((ridge * numbers**2).sum())
    return Found(numbers, sums, sums.value - penalty, 0.0)


def _step(evaluate: Evaluate, found: Found, ridge: Float) -> Found:
    """Return the end of one step, or the start with no move if none leads upwards."""
    slope = found.sums.gradient - ridge * found.numbers
    step = np.linalg.solve(_curvature(found.sums, ridge), slope)
    step = np.clip(step, -_LONGEST, _LONGEST)
    for _ in range(_HALVINGS):
        numbers = found.numbers + step
        numbers[-1] = max(numbers[-1], 0.0)  # nothing comes before its time
        reached = _at(evaluate, numbers, ridge)
        if reached.objective >= found.objective - _ROUNDING:
            return reached._replace(moved=float(np.abs(step).max()))
        step = step / 2
    return found._replace(moved=0.0)


def _curvature(sums: Sums, ridge: Float) -> Float:
    curvature: Float = sums.information + np.diag(ridge + _JITTER)
    return curvature
