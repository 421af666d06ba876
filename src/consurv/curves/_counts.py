"""Counts at the distinct times of a sample, and the product of their factors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_floats, check_same_length
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Int", "check_counts", "count", "product_limit"]

Int = NDArray[np.int64]


def count(y: Outcome) -> tuple[Float, Int, Int]:
    """Return the distinct times with the numbers at risk and of events there."""
    if len(y) == 0:
        raise InvalidInput("the Kaplan–Meier sample is empty; give at least one event")
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


def product_limit(at_risk: Int, events: Int) -> Float:
    """Return 1 and S after each event time.

    ∏ (n_l − d_l)/n_l is taken as (n_m − d_m)/n_1 · ∏_{l<m} (n_l − d_l)/n_{l+1}: the
    factors are 1 where nobody is censored in between, so S has no rounding at all
    without censoring, and a level such as 0.5 is met exactly.
    """
    survivors = at_risk - events
    survival = np.ones(len(events) + 1)
    np.cumprod(survivors[:-1] / at_risk[1:], out=survival[2:])
    survival[1:] *= survivors / at_risk[0]
    return survival


def check_counts(
    times: ArrayLike, at_risk: ArrayLike, events: ArrayLike
) -> tuple[Float, Int, Int]:
    """Return the three arrays, refusing what cannot be the counts of one sample."""
    time = as_floats(times, "times").copy()
    counts = [_whole(at_risk, "at_risk"), _whole(events, "events")]
    check_same_length(times=len(time), at_risk=len(counts[0]), events=len(counts[1]))
    if time.size == 0:
        raise InvalidInput("times is empty; a Kaplan–Meier estimate has at least one")
    if time[0] <= 0 or (np.diff(time) <= 0).any():
        raise InvalidInput("times must be > 0 and strictly ascending")
    leaving = -np.diff(counts[0], append=0)
    if (leaving <= 0).any():
        raise InvalidInput("at_risk must be > 0 and strictly decreasing")
    wrong = np.flatnonzero((counts[1] < 0) | (counts[1] > leaving))
    if wrong.size:
        k = wrong[0]
        raise InvalidInput(
            f"events must lie between 0 and the fall of at_risk, got {counts[1][k]} at "
            f"row {k}, where {leaving[k]} subjects leave"
        )
    _check_has_event(counts[1], int(counts[0][0]))
    return time, counts[0], counts[1]


def _whole(values: ArrayLike, name: str) -> Int:
    numbers = as_floats(values, name)
    wrong = (np.rint(numbers) != numbers) | (np.abs(numbers) > 2**53)
    if wrong.any():
        raise InvalidInput(f"{name} must hold whole numbers, got {numbers[wrong][0]:g}")
    counts: Int = numbers.astype(np.int64)
    return counts


def _check_has_event(events: Int, n: int) -> None:
    if not events.any():
        raise InvalidInput(
            f"the Kaplan–Meier sample of {n} subjects has no event, all are censored; "
            "estimate it from outcomes with at least one event"
        )
