"""Counts at the distinct times of a sample, and the product of their factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_floats, check_same_length
from consurv._weights import is_whole
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Numbers", "check_counts", "count", "product_limit", "tally"]

# Whole numbers, or sums of weights that are not.
Numbers = NDArray[Any]
# By what sums of weights may be off.
_ROUNDING = 1e-9


def count(y: Outcome) -> tuple[Float, Numbers, Numbers]:
    """Return the distinct times with the numbers at risk and of events there."""
    if len(y) == 0:
        raise InvalidInput("the Kaplan–Meier sample is empty; give at least one event")
    if y.weight is not None:
        times, subjects, numbers = tally(y)
        _check_has_event(numbers, len(y))
        return times, subjects[::-1].cumsum()[::-1], numbers
    # Bit patterns of positive floats sort like the floats and leave the sign bit
    # free: with the event in it, one sort without an order array does everything.
    keys = y.time.view(np.uint64) << np.uint64(1)
    keys |= y.event.astype(np.uint64)
    keys.sort()
    time = (keys >> np.uint64(1)).view(np.float64)
    keys &= np.uint64(1)
    first = np.flatnonzero(np.append(True, time[1:] != time[:-1]))
    events = np.add.reduceat(keys.view(np.int64), first)
    _check_has_event(events, len(y))
    return time[first], len(y) - first.astype(np.int64), events


def tally(y: Outcome) -> tuple[Float, Numbers, Numbers]:
    """Return the distinct times with how many subjects left there, and by the event.

    Subjects count as often as they weigh: in whole numbers if the weights are.

    Examples
    --------
    >>> tally(Outcome([2, 1, 2], [1, 0, 0], weight=[2, 1, 3]))
    (array([1., 2.]), array([1, 5]), array([0, 2]))
    """
    y = y.counting
    weight = y.weight
    if weight is not None:  # sums are the same whatever the order of rows
        y = y[np.lexsort((weight, y.event, y.time))]
        weight = y.weight
    times, place = np.unique(y.time, return_inverse=True)
    size = len(times)
    subjects = np.bincount(place, weight, minlength=size)
    own = None if weight is None else weight[y.event]
    events = np.bincount(place[y.event], own, minlength=size)
    if weight is not None and is_whole(weight):
        return times, subjects.astype(np.int64), events.astype(np.int64)
    return times, subjects, events


def product_limit(at_risk: Numbers, events: Numbers) -> Float:
    """Return 1 and S after each event time.

    ∏ (n_l − d_l)/n_l is taken as (n_m − d_m)/n_1 · ∏_{l<m} (n_l − d_l)/n_{l+1}: the
    factors are 1 where nobody is censored in between, so S has no rounding at all
    without censoring, and a level such as 0.5 is met exactly.
    """
    survivors = np.maximum(at_risk - events, 0)  # sums of weights are rounded
    survival = np.ones(len(events) + 1)
    np.cumprod(survivors[:-1] / at_risk[1:], out=survival[2:])
    survival[1:] *= survivors / at_risk[0]
    return survival


def check_counts(
    times: ArrayLike, at_risk: ArrayLike, events: ArrayLike
) -> tuple[Float, Numbers, Numbers]:
    """Return the three arrays, refusing what cannot be the counts of one sample."""
    time = as_floats(times, "times").copy()
    counts = [_numbers(at_risk, "at_risk"), _numbers(events, "events")]
    check_same_length(times=len(time), at_risk=len(counts[0]), events=len(counts[1]))
    if time.size == 0:
        raise InvalidInput("times is empty; a Kaplan–Meier estimate has at least one")
    if time[0] <= 0 or (np.diff(time) <= 0).any():
        raise InvalidInput("times must be > 0 and strictly ascending")
    leaving = -np.diff(counts[0], append=0)
    if (leaving <= 0).any():
        raise InvalidInput("at_risk must be > 0 and strictly decreasing")
    more = counts[1] > leaving + _ROUNDING * counts[0]
    wrong = np.flatnonzero((counts[1] < 0) | more)
    if wrong.size:
        k = wrong[0]
        raise InvalidInput(
            f"events must lie between 0 and the fall of at_risk, got {counts[1][k]} at "
            f"row {k}, where {leaving[k]} subjects leave"
        )
    _check_has_event(counts[1], int(counts[0][0]))
    return time, counts[0], counts[1]


def _numbers(values: ArrayLike, name: str) -> Numbers:
    """Return whole numbers as such; others are sums of weights."""
    numbers = as_floats(values, name)
    wrong = np.abs(numbers) > 2**53
    if wrong.any():
        raise InvalidInput(
            f"{name} must hold numbers of subjects, got {numbers[wrong][0]:g}"
        )
    return numbers.astype(np.int64) if is_whole(numbers) else numbers


def _check_has_event(events: Numbers, n: int) -> None:
    if not events.any():
        raise InvalidInput(
            f"the Kaplan–Meier sample of {n} subjects has no event, all are censored; "
            "estimate it from outcomes with at least one event"
        )
