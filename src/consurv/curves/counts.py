"""Counts at the distinct times of a sample, and the product of their factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_floats, check_same_length
from consurv._weights import is_whole
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "Counts",
    "Numbers",
    "at_events",
    "at_risk_of",
    "check_counts",
    "count",
    "product_limit",
    "tally",
    "together",
    "wide",
]

# Whole numbers, or sums of weights that are not.
Numbers = NDArray[Any]
# Times, and how many subjects left at each, and how many of them by the event.
Counts = tuple[Float, Numbers, Numbers]
# Rows that are looked at together.
_STRETCH = 1 << 14
# By what sums of weights may be off.
_ROUNDING = 1e-9


def count(y: Outcome) -> tuple[Float, Numbers, Numbers]:
    """Return the distinct times with the numbers at risk and of events there."""
    if len(y) == 0:
        raise InvalidInput("the Kaplan–Meier sample is empty; give at least one event")
    if y.weight is not None:
        times, subjects, numbers = tally(y)
        _check_has_event(numbers, len(y))
        return times, at_risk_of(subjects), wide(numbers)
    times, first, events = _sorted_counts(y)
    _check_has_event(events, len(y))
    return times, len(y) - first.astype(np.int64), events


def _sorted_counts(y: Outcome) -> tuple[Float, Numbers, Numbers]:
    """Return distinct times, how many subjects left before each, and events there."""
    # Bit patterns of positive floats sort like the floats and leave the sign bit
    # free: with the event in it, one sort without an order array does everything.
    keys = y.time.view(np.uint64) << np.uint64(1)
    keys |= y.event.astype(np.uint64)
    keys.sort()
    time = (keys >> np.uint64(1)).view(np.float64)
    keys &= np.uint64(1)
    first = np.flatnonzero(np.append(True, time[1:] != time[:-1])[: len(time)])
    return time[first], first, np.add.reduceat(keys.view(np.int64), first)


def tally(y: Outcome) -> tuple[Float, Numbers, Numbers]:
    """Return the distinct times with how many subjects left there, and by the event.

    Subjects count as often as they weigh: in whole numbers if the weights are, and
    these in the smallest type that holds them.

    Examples
    --------
    >>> times, subjects, events = tally(Outcome([2, 1, 2], [1, 0, 0], [2, 1, 3]))
    >>> times, subjects.tolist(), events.tolist(), subjects.itemsize
    (array([1., 2.]), [1, 5], [0, 2], 1)
    """
    y = y.counting
    weight = y.weight
    if weight is None:
        times, first, events = _sorted_counts(y)
        return times, _small(np.diff(first, append=len(y))), _small(events)
    # Sums are the same whatever the order of rows.
    y = y[np.lexsort((weight, y.event, y.time))]
    weight = y.weights
    times, place = np.unique(y.time, return_inverse=True)
    size, own = len(times), weight[y.event]
    subjects = np.bincount(place, weight, minlength=size)
    events = np.bincount(place[y.event], own, minlength=size)
    if is_whole(weight):
        return times, _small(subjects), _small(events)
    return times, subjects, events


def _small(numbers: Numbers) -> Numbers:
    """Return whole numbers in the smallest type that holds them."""
    return numbers.astype(_type_of(int(numbers.max(initial=0))))


def _type_of(largest: int) -> type[np.integer[Any]]:
    known = (np.uint8, np.uint16, np.uint32)
    # Not uint64, which makes fractions of what it is added to.
    return next((t for t in known if largest <= np.iinfo(t).max), np.int64)


def together(parts: Sequence[Counts]) -> Counts:
    """Return the counts of samples that ``tally`` gave as those of one.

    They may be as long as there are subjects, so that nothing but the result is held
    beside them: a stretch of time is merged after the other.

    Examples
    --------
    >>> one = tally(Outcome([1, 2], [1, 0]))
    >>> [column.tolist() for column in together([one, tally(Outcome([2], [1])), one])]
    [[1.0, 2.0], [2, 3], [2, 1]]
    """
    size = sum(len(times) for times, _, _ in parts)
    kinds = np.float64, *(_type_together([p[i] for p in parts]) for i in (1, 2))
    merged: list[Any] = [np.empty(size, kind) for kind in kinds]
    longest = max((times for times, _, _ in parts), key=len)
    step = max(_STRETCH // len(parts), 1)
    ends = longest[step::step]
    places = [[0, *np.searchsorted(p[0], ends).tolist(), len(p[0])] for p in parts]
    k = 0
    for i in range(len(ends) + 1):
        own = [slice(place[i], place[i + 1]) for place in places]
        some = [[c[rows] for c in p] for p, rows in zip(parts, own, strict=True)]
        own_times, *numbers = map(np.concatenate, zip(*some, strict=True))
        times: Any = own_times
        if not len(times):
            continue
        order = np.argsort(times, kind="stable")  # which makes use of what ascends
        times = times[order]
        first = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
        here = slice(k, k + len(first))
        merged[0][here] = times[first]
        for column, values in zip(merged[1:], numbers, strict=True):
            column[here] = np.add.reduceat(values[order], first, dtype=column.dtype)
        k += len(first)
    if 2 * k < size:  # pages that nobody has written take no memory
        merged = [column[:k].copy() for column in merged]
    return merged[0][:k], merged[1][:k], merged[2][:k]


def _type_together(parts: Sequence[Numbers]) -> Any:
    if any(part.dtype.kind == "f" for part in parts):
        return np.float64
    return _type_of(sum(int(part.max(initial=0)) for part in parts))


def wide(numbers: Numbers) -> Numbers:
    """Return numbers that can be calculated with."""
    return numbers if numbers.dtype.kind == "f" else numbers.astype(np.int64)


def at_risk_of(subjects: Numbers) -> Numbers:
    """Return how many were there just before each time, from how many left at it."""
    kind = np.float64 if subjects.dtype.kind == "f" else np.int64
    return subjects[::-1].cumsum(dtype=kind)[::-1]


def at_events(counts: Counts) -> tuple[Float, Float, Numbers]:
    """Return the times of events, how many were at risk, and how many had it.

    Nothing else is held that is as long as these, or as the counts.

    Returns
    -------
    event_times, at_risk : ndarray of shape (M + 1,)
        The last time is infinite, and the first number that of all subjects.
    events : ndarray of shape (M,)
    """
    times, subjects, events = counts
    m = int(np.count_nonzero(events))
    event_times, at_risk = np.empty(m + 1), np.empty(m + 1)
    numbers = np.empty(m, events.dtype)
    event_times[m], left = np.inf, 0.0
    for stop in range(len(times), 0, -_STRETCH):  # from the end, where nobody is left
        rows = slice(max(stop - _STRETCH, 0), stop)
        own = np.append(subjects[rows], left)[::-1].cumsum()[:0:-1]
        left, place = own[0], np.flatnonzero(events[rows])
        here = slice(m - len(place), m)
        event_times[here] = times[rows][place]
        at_risk[1:][here], numbers[here] = own[place], events[rows][place]
        m -= len(place)
    at_risk[0] = left
    return event_times, at_risk, numbers


def product_limit(at_risk: Numbers, events: Numbers) -> Float:
    """Return 1 and S after each event time.

    ∏ (n_l − d_l)/n_l is taken as (n_m − d_m)/n_1 · ∏_{l<m} (n_l − d_l)/n_{l+1}: the
    factors are 1 where nobody is censored in between, so S has no rounding at all
    without censoring, and a level such as 0.5 is met exactly.

    Parameters
    ----------
    at_risk : ndarray of shape (M + 1,)
        What ``at_events`` gave; it becomes the result if it is of floats.
    events : ndarray of shape (M,)
    """
    survival: Float = at_risk.astype(np.float64, copy=False)
    n, product = float(survival[1]), np.ones(1)
    for start in range(0, len(events), _STRETCH):
        rows = slice(start + 1, start + 1 + _STRETCH)
        # Sums of weights are rounded.
        survivors: Float = np.maximum(
            survival[rows] - events[start : start + _STRETCH], 0.0
        )
        later = survival[rows.start + 1 : rows.stop + 1]
        ratios = survivors[: len(later)] / later
        products: Float = np.cumprod(np.append(product, ratios), dtype=np.float64)
        survivors /= n
        survivors *= products[: len(survivors)]
        survival[rows], product = survivors, products[-1:]
    survival[0] = 1.0
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
