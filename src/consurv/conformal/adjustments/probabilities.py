"""The mass of survival probabilities at the events, and where it reaches a rank.

The mass N·F is piecewise linear: between neighbouring probabilities of the conformal
set (*kinks*) it is a line, and at a kink it may jump. An event whose curve drops at its
time is spread over (S(t), S(t⁻)]; a censored subject may be spread over (0, S(c)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index

__all__ = ["Counts", "Mass", "equal_weights", "product_limit"]

# Smaller probabilities count as 0: sums of 1/S could overflow.
_TINY = 1e-290
# Narrower drops are points: their densities would drown the others in rounding.
_NARROW = 1e-6


@dataclass(frozen=True)
class Counts:
    """Subjects by kinks, ascending from 0 on; the j-th piece ends at the j-th kink.

    Attributes
    ----------
    kinks : ndarray of shape (K,)
    points : ndarray of shape (K,)
        Events at a kink.
    pieces : ndarray of shape (K,)
        Events spread over the piece, in parts.
    censored : ndarray of shape (K,)
        Subjects censored at a kink.
    """

    kinks: Float
    points: Float
    pieces: Float
    censored: Float

    @classmethod
    def of(
        cls, survival: Float, event: Bool, before: Float, weight: Float | None = None
    ) -> Counts:
        """Count subjects by S(t), whether the event happened, and S(t⁻)."""
        if weight is not None:  # sums are the same whatever the order
            order = np.lexsort((weight, before, event, survival))
            survival, event, before = survival[order], event[order], before[order]
            weight = weight[order]
        low = np.where(survival < _TINY, 0.0, survival)
        high = np.where(event & (before > low + _NARROW), before, low)
        # 0 is a kink: the first line starts there.
        kinks, place = np.unique(np.r_[0.0, low, high], return_inverse=True)
        size, n = len(kinks), len(low)
        first, last = place[1 : n + 1], place[n + 1 :]
        spread = last > first

        def of_some(rows: Bool) -> Float:
            own = None if weight is None else weight[rows]
            return np.bincount(first[rows], own, minlength=size).astype(np.float64)

        own = None if weight is None else weight[spread]
        return cls(
            kinks,
            of_some(event & ~spread),
            _spread(kinks, first[spread], last[spread], own),
            of_some(~event),
        )

    def events_below(self, u: Float) -> Float:
        """Return how many events have probabilities of at most *u*."""
        after = np.cumsum(self.points + self.pieces)
        i = np.searchsorted(self.kinks, u, side="right") - 1
        following = np.minimum(i + 1, len(self.kinks) - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            width = self.kinks[following] - self.kinks[i]
            way = np.where(width > 0, (u - self.kinks[i]) / width, 0.0)
        found: Float = after[i] + way * self.pieces[following]
        return found


def _spread(
    kinks: Float, first: Index, last: Index, weight: Float | None = None
) -> Float:
    """Return the mass in each piece of subjects spread evenly between two kinks."""
    order = np.lexsort((last, first))  # sums are the same whatever the order
    first, last, size = first[order], last[order], len(kinks)
    mass = 1.0 if weight is None else weight[order]
    density = mass / (kinks[last] - kinks[first])
    # A subject's density begins after its first kink and ends with its last.
    turns = np.bincount(first, density, size) - np.bincount(last, density, size)
    covers = np.bincount(first, minlength=size) - np.bincount(last, minlength=size)
    # Cumulated turns cancel to rounding, not to zero.
    here = np.where(np.cumsum(covers) > 0, np.cumsum(turns).clip(0.0), 0.0)
    pieces: Float = np.append(0.0, here[:-1] * np.diff(kinks))
    return pieces


@dataclass(frozen=True)
class Mass:
    """N·F by kinks: jumps there, and what the pieces before them hold.

    Attributes
    ----------
    kinks, jumps, pieces : ndarray of shape (K,)
    rising : ndarray of shape (K,)
        Weight spread over (0, u) at a kink u: that of censored subjects.
    """

    kinks: Float
    jumps: Float
    pieces: Float
    rising: Float

    def smallest(self, ranks: Any, n: float) -> Float:
        """Return the smallest u with N·F(u) ≥ k for every rank k ≤ N."""
        kinks = self.kinks
        slopes = np.zeros(len(kinks))
        np.divide(self.rising, kinks, out=slopes, where=kinks > 0)
        # Added up from the top: small terms first, and none is ever taken off again.
        slope = slopes[::-1].cumsum()[::-1]  # in the piece before each kink
        slope_after = np.append(slope[1:], 0.0)
        # Weight that no longer rises: jumps, whole pieces, censored all counted.
        settled = np.cumsum(self.jumps + self.pieces + self.rising)
        settled_before = np.append(0.0, settled[:-1])
        before = settled_before + self.pieces + kinks * slope
        mass = np.maximum.accumulate(settled + kinks * slope_after)
        # The same tolerance as for shifts.
        target = ranks - (1e-9 + 1e-12 * n)
        i = np.minimum(np.searchsorted(mass, target), len(kinks) - 1)
        start = kinks[np.maximum(i - 1, 0)]
        with np.errstate(divide="ignore", invalid="ignore"):
            # Where nothing is spread this is (k − settled)/slope, to the last bit.
            own = np.where(self.pieces[i] > 0, self.pieces[i] / (kinks[i] - start), 0.0)
            inside = (ranks - settled_before[i] + own * start) / (slope[i] + own)
        inside = np.clip(inside, start, kinks[i])
        found: Float = np.where((before[i] >= target) & (i > 0), inside, kinks[i])
        return found


def equal_weights(counts: Counts) -> Mass:
    """Let each subject count 1, as the paper does."""
    censored = np.where(counts.kinks > 0, counts.censored, 0.0)
    jumps = counts.points + (counts.censored - censored)
    return Mass(counts.kinks, jumps, counts.pieces, censored)


def product_limit(counts: Counts) -> Mass:
    """Let a censored subject hand its weight on to all with lower probabilities.

    This is Efron's redistribution: what the events get are the jumps of the
    product-limit estimate, and lines where events are spread (with events of mass e
    spread over a piece at whose upper end Y are at risk the estimate falls by e/Y, in a
    straight line). Below the last event nobody can take the weight.
    """
    n = float(sum(part.sum() for part in (counts.points, counts.pieces)))
    n += float(counts.censored.sum())
    # From the highest probability, which is the earliest time, down: at each kink
    # first its points, then its censored, then the piece before it.
    steps = np.stack([counts.points, counts.censored, counts.pieces], axis=1)[::-1]
    at_risk = steps.ravel()[::-1].cumsum()[::-1].reshape(steps.shape)
    share = np.zeros(steps.shape)
    happened = (steps > 0) & [True, False, True]
    share[happened] = np.minimum(steps[happened] / at_risk[happened], 1.0)
    left = np.cumprod(1 - share.ravel()).reshape(steps.shape)
    before = np.append(1.0, left.ravel()[:-1]).reshape(steps.shape)
    weight = (n * before * share)[::-1]
    # Nothing is left for the censored above the last event.
    last = np.flatnonzero(happened.any(axis=1))
    below = counts.censored[::-1].copy()
    below[: last[-1] if last.size else 0] = 0.0
    if last.size and happened[last[-1], 2]:
        below[last[-1]] = 0.0
    rising = below[::-1] * (n * left[-1, -1] / below.sum() if below.any() else 0.0)
    at_zero = np.where(counts.kinks > 0, 0.0, rising)
    return Mass(counts.kinks, weight[:, 0] + at_zero, weight[:, 2], rising - at_zero)
