"""The search for the map of stage (a)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consurv._checks import Float
from consurv.conformal.recalibration.ascent import (
    CAREFUL,
    FIXED,
    QUICK,
    Evaluate,
    Pace,
    climb,
    follow,
)
from consurv.conformal.recalibration.likelihood import Sums, likelihood_sums
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap

__all__ = ["centre_of", "fit_map"]

# Medians or widths whose standard deviation is less are all the same.
_SAME = 1e-3
# Delays to start from, in typical medians: at 0 the likelihood has no slope to follow.
_DELAYS = 0.1, 0.2, 0.4, 0.8
# What a delay must add to the log-likelihood: three standard errors, for it is a number
# that few models need.
_PAYS = 4.5


def centre_of(samples: Sequence[Sample]) -> tuple[Float, Float]:
    """Return means and standard deviations of log median and log width."""
    n = sum(map(len, samples))
    pairs = [(s.shapes.log_median, s.shapes.log_width) for s in samples]
    centre = np.sum([[v.sum() for v in pair] for pair in pairs], axis=0) / n
    squares = [
        [((v - c) ** 2).sum() for v, c in zip(pair, centre, strict=True)]
        for pair in pairs
    ]
    return centre, np.sqrt(np.sum(squares, axis=0) / n)


def fit_map(samples: Sequence[Sample], part: Sequence[Sample]) -> tuple[TimeMap, float]:
    """Return the map of all samples, and its degrees of freedom.

    Parameters
    ----------
    samples : sequence of Sample
        All of them make the last steps.
    part : sequence of Sample
        Those that find the way: the same, or fewer where there are many.
    """
    centre, spread = centre_of(samples)
    ridge = np.ones(N_NUMBERS)
    ridge[[1, 3]] = np.where(spread < _SAME, FIXED, 1.0)
    many = sum(map(len, part)) < sum(map(len, samples))
    pace = QUICK if many else CAREFUL
    start, ridge = _start(_evaluate(part, centre), ridge, pace)
    numbers, dof = follow(_evaluate(samples, centre), start, ridge, pace)
    return TimeMap(numbers, centre), dof


def _start(evaluate: Evaluate, ridge: Float, pace: Pace) -> tuple[Float, Float]:
    """Return numbers to start from and their ridge: with a delay only if it pays."""
    none = np.zeros(N_NUMBERS)
    prompt = ridge.copy()
    prompt[-1] = FIXED
    plain = climb(evaluate, none, prompt, pace)
    delays = [none + np.eye(N_NUMBERS)[-1] * delay for delay in _DELAYS]
    best = max(delays, key=lambda numbers: _objective(evaluate, numbers, ridge))
    late = climb(evaluate, best, ridge, pace)
    if late.objective - plain.objective > _PAYS:
        return late.numbers, ridge
    return plain.numbers, prompt


def _objective(evaluate: Evaluate, numbers: Float, ridge: Float) -> float:
    return evaluate(numbers).value - 0.5 * float((ridge * numbers**2).sum())


def _evaluate(samples: Sequence[Sample], centre: Float) -> Evaluate:
    def sums(numbers: Float) -> Sums:
        return likelihood_sums(samples, TimeMap(numbers, centre))

    return sums
