"""Counting concordant, tied and comparable pairs of subjects in O(n log n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Bool, Float
from consurv.outcome import Outcome

__all__ = ["PairCounts", "count_pairs"]

Counts = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """For each subject, with how many others it forms a pair of each kind.

    Where subjects have weights, pairs count as much as both of them together: the
    product.

    A pair is counted at the subject whose event came first, so a censored subject
    has zeros. All arrays have shape (n,), in the order of the subjects.

    Attributes
    ----------
    comparable : array of int
        Others known to have lived longer: observed later, or censored at this time.
    concordant : array of int
        Comparable others with a lower risk.
    tied_risk : array of int
        Comparable others with the same risk.
    tied_time : array of int
        Others with an event at the same time; each such pair is counted once.
    """

    comparable: Counts
    concordant: Counts
    tied_risk: Counts
    tied_time: Counts


def count_pairs(y: Outcome, risk: Float) -> PairCounts:
    """Count the pairs that each subject's event forms with the others.

    Sorted by time, events before censorings, the subjects comparable with an event
    are all those behind the events of its time. A higher risk in front of a lower
    one is then a concordant pair, so counting them is counting inversions.

    Parameters
    ----------
    y : Outcome
        Outcomes of n >= 1 subjects.
    risk : array of shape (n,)
        Risk scores, higher = earlier; infinities are allowed and tie with each other.
    """
    # Equal risks ascend within events of one time, so these are never inverted.
    order = np.lexsort((risk, ~y.event, y.time))
    time, event, risk = y.time[order], y.event[order], risk[order]
    n, weight = len(order), None if y.weight is None else y.weight[order]
    moment = _starts(time) | _starts(event)
    behind = _run_ends(moment)

    by_risk = np.argsort(risk, kind="stable")
    same_risk = _starts(risk[by_risk])
    same_risk_and_moment = same_risk | _starts(np.cumsum(moment)[by_risk])
    # How much lies before a place, in the order of time and in that of risk.
    until: Counts = np.arange(n + 1)
    until_risk = until
    if weight is not None:
        until, until_risk = _sums(weight), _sums(weight[by_risk])
    ends, earlier_ends = _run_ends(same_risk), _run_ends(same_risk_and_moment)
    tied_risk = np.empty(n, dtype=until.dtype)
    tied_risk[by_risk] = until_risk[ends] - until_risk[earlier_ends]

    def in_rows(counts: NDArray[Any]) -> Counts:
        rows: Counts = np.empty(n, dtype=until.dtype)
        rows[order] = np.where(event, counts, 0)
        if weight is not None:
            rows[order] *= weight
        return rows

    return PairCounts(
        comparable=in_rows(until[-1] - until[behind]),
        concordant=in_rows(
            _inversions(by_risk)
            if weight is None
            else _weighted_inversions(by_risk, weight)
        ),
        tied_risk=in_rows(tied_risk),
        tied_time=in_rows(until[behind] - until[np.arange(n) + 1]),
    )


def _sums(weight: Float) -> Float:
    return np.append(0.0, np.cumsum(weight))


def _starts(values: NDArray[Any]) -> Bool:
    """Mark the first entry of each run of equal values."""
    starts = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts


def _run_ends(starts: Bool) -> Counts:
    """Return for each entry the index just past its run."""
    first = np.append(np.flatnonzero(starts), len(starts))
    return np.repeat(first[1:], np.diff(first))


def _inversions(sorted_places: Counts) -> Counts:
    """Count for each place how many places behind it hold a smaller value.

    A merge sort run backwards, all blocks of one size at a time: it begins with all
    places in one block in order of their values, and splits each block into its left
    and its right half of places, keeping the order of values inside. A left place
    then stands behind as many right ones as hold a smaller value.

    Parameters
    ----------
    sorted_places : array of shape (n,)
        The permutation that sorts the values, equal values by place.
    """
    n = len(sorted_places)
    # Filled up to a power of two with large values at the far end, which take part
    # in no inversion, every block has a left and a right half of the same size.
    size = 1 << (n - 1).bit_length()
    whole = np.int32 if size <= np.iinfo(np.int32).max else np.int64
    # Small integers halve the memory traffic, which is where the time goes.
    places: NDArray[Any] = np.arange(size, dtype=whole)
    places[:n] = sorted_places
    counts: NDArray[Any] = np.zeros(size, dtype=whole)
    lefts_before: NDArray[Any] = np.arange(size // 2, dtype=whole)
    half = size // 2
    while half:
        is_left = (places & half) == 0
        left, right = np.flatnonzero(is_left), np.flatnonzero(~is_left)
        # Before the k-th left place come k left ones and, in the blocks before its
        # own, half * (k // half) right ones; the rest are the right ones it beats.
        rights_elsewhere = lefts_before & -half
        counts[left] += left - lefts_before - rights_elsewhere
        places = _halves(places, left, right, half)
        counts = _halves(counts, left, right, half)
        half //= 2
    return counts[:n].astype(np.int64)


def _weighted_inversions(sorted_places: Counts, weight: Float) -> Float:
    """Return for each place the weight of those behind it that hold a smaller value.

    As ``_inversions``, with sums of weights in the place of counts.
    """
    n = len(sorted_places)
    size = 1 << (n - 1).bit_length()
    places, weights, totals = np.arange(size), np.zeros(size), np.zeros(size)
    places[:n], weights[:n] = sorted_places, weight[sorted_places]
    half = size // 2
    while half:
        is_left = (places & half) == 0
        left, right = np.flatnonzero(is_left), np.flatnonzero(~is_left)
        # The weight of right places before each, less that of earlier blocks.
        before = _sums(np.where(is_left, 0.0, weights))
        totals[left] += before[left] - before[left & -(2 * half)]
        places, weights, totals = (
            _halves(values, left, right, half) for values in (places, weights, totals)
        )
        half //= 2
    return totals[:n]


def _halves(
    values: NDArray[Any], left: Counts, right: Counts, half: int
) -> NDArray[Any]:
    """Split each block of ``2 * half`` values into its left and right ones."""
    split = np.empty((len(values) // (2 * half), 2, half), dtype=values.dtype)
    split[:, 0] = values[left].reshape(-1, half)
    split[:, 1] = values[right].reshape(-1, half)
    return split.ravel()
