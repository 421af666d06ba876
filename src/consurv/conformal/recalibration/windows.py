"""Outcomes as windows of time, so that no likelihood rests on a density at a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri, expit

from consurv._checks import Bool, Float
from consurv.conformal.recalibration.hazards import hazard_at, residual_at
from consurv.conformal.recalibration.shapes import OUTER, Shapes
from consurv.outcome import Outcome

__all__ = [
    "CONTAMINATION",
    "FREE",
    "MOST_TIMES",
    "Grain",
    "Windows",
    "around",
    "mixed",
    "reach_for",
    "whole_unit",
]

# An event is a window: what the raw log H passes through within this share of its rise
# over the middle half of a curve, before and after. That blurs the variance of any law
# by about 1 %, and bends of a raw curve narrower than that do not count.
_BLUR = 0.2
# It reaches no further than this share of the width of that half, and of an exponential
# law's: where a curve is flat, as where some are cured, an event would tell nothing,
# and its window would lie past the follow-up, where none is seen.
_FURTHEST = _BLUR * OUTER
# Nor than this share of the middle half of all log times of events: windows of raw
# curves that are far too wide would all hold the same time, and a law that has nothing
# but this time would explain everybody. Few events may lie together by chance; that
# their spread is told too small has this probability.
_BY_CHANCE = 1e-3
# The middle half of a normal law, in standard deviations.
_MIDDLE_HALF = 1.349
# Steps of an octave in which that is told: the order of subjects changes no bit.
_STEPS = 8
# The share of a broad law that every subject's law is mixed with, and how many times
# the raw width it has: curves that exclude what happened still have a slope.
CONTAMINATION = 0.02
_BROAD = 3.0
# The width of the standard logistic law between its quartiles.
_LOGISTIC_WIDTH = 2.2
# More distinct times than this are no lattice, or one so fine that it does not matter.
MOST_TIMES = 2000
# How far a time may lie from a whole number of units, as a share of the unit.
_WHOLE = 1e-3
# Times closer than this share of the longest are the same but for rounding, as where
# the date of entry was subtracted.
_ROUNDED = 1e-9
# A longest time of more units is no lattice of months or days, but one of rounding.
_MOST_UNITS = 1e6
# Fewer subjects may all have, say, even times by chance.
_FEWEST = 5
# What happens in the first unit happens after this share of it: log 0 is out of reach.
_FIRST = 0.05
# Nothing that was seen is less likely under the broad law: no subject rules.
_LEAST_LIKELY = 1e-9


class Grain(NamedTuple):
    """How finely times tell something.

    Attributes
    ----------
    unit : float
        Times of events are whole multiples of it, if it is not 0.
    reach : float
        How far windows reach at most, before and after, in log time.
    """

    unit: float = 0.0
    reach: float = _FURTHEST


# Before times have been looked at.
FREE = Grain()


def reach_for(spread: float, n: float) -> float:
    """Return how far windows reach at most, given how n events spread in log time.

    Parameters
    ----------
    spread : float
        Standard deviation of the log times of events.
    n : float
        How many events there are.

    Examples
    --------
    >>> round(reach_for(0.1, 1000), 3), round(reach_for(0.1, 10), 3)
    (0.031, 0.081)
    >>> reach_for(0.0, 5) == reach_for(2.0, 1000)  # no limit beyond the general one
    True
    """
    if n < 2 or not spread > 0:
        return _FURTHEST
    widest = spread * np.sqrt((n - 1) / chdtri(n - 1, 1 - _BY_CHANCE))
    reach = _BLUR * _MIDDLE_HALF * float(widest)
    reach = float(2.0 ** (np.ceil(_STEPS * np.log2(reach)) / _STEPS))
    return min(_FURTHEST, reach)


def whole_unit(times: Float, n: float) -> float:
    """Return the unit of which all times are whole multiples; 0 if there is none.

    Parameters
    ----------
    times : ndarray
        Distinct, ascending; one more than ``MOST_TIMES`` are enough.
    n : float
        How many subjects have them.

    Examples
    --------
    >>> whole_unit(np.array([2.0, 4, 6, 10]), 50)
    2.0
    >>> whole_unit(np.arange(1.0, 51), 50)  # nothing is tied
    0.0
    >>> whole_unit(np.array([2.0, 4, 4 + 1e-15, 6, 10]), 50)
    2.0
    """
    if times.size > MOST_TIMES or n < _FEWEST:
        return 0.0
    times = times[np.diff(times, prepend=0.0) > _ROUNDED * times.max(initial=0.0)]
    if not times.size or np.isclose(times.size, n, rtol=1e-9):
        return 0.0
    counts = times / np.diff(times, prepend=0.0).min()
    whole = np.rint(counts)
    if whole[-1] > _MOST_UNITS or np.abs(counts - whole).max() >= _WHOLE:
        return 0.0
    # A difference of long times has lost digits. Of most times this is the very unit,
    # so that adjusted times are the same numbers as those of the data.
    units, n_times = np.unique(times / whole, return_counts=True)
    return float(units[n_times.argmax()])


@dataclass(frozen=True)
class Windows:
    """The event came between two times; a censored subject has one time, twice.

    Attributes
    ----------
    low, high : ndarray of shape (n,)
    event : ndarray of shape (n,) of bool
    """

    low: Float
    high: Float
    event: Bool

    @classmethod
    def of(cls, outcome: Outcome, shapes: Shapes, grain: Grain) -> Windows:
        """Return the windows of outcomes: of one unit where events come at whole ones.

        There a censored subject is known to be event-free up to the last whole one.
        """
        time, event = outcome.time, outcome.event
        unit, reach = grain
        if unit:
            passed = np.where(event, time - unit, _last_whole(time, unit))
            low = np.minimum(np.maximum(passed, _FIRST * unit), time)
            return cls(low, np.where(event, time, low), event)
        low, high = time.copy(), time.copy()
        rows = np.flatnonzero(event)
        low[rows], high[rows] = around(shapes.take(rows), time[rows], reach)
        return cls(low, high, event)

    def until(self, t_end: Float, time: Float) -> Windows:
        """Return what is seen of subjects that are followed no longer than *t_end*."""
        past = time > t_end
        low, high = (np.where(past, t_end, v) for v in (self.low, self.high))
        return Windows(low, high, self.event & ~past)

    def take(self, rows: Any) -> Windows:
        """Return some subjects."""
        return Windows(self.low[rows], self.high[rows], self.event[rows])

    def broad(self, shapes: Shapes) -> Float:
        """Return the probability of what was seen under the broad law.

        It is log-logistic round the raw median.
        """
        scale = _BROAD * np.exp(shapes.log_width) / _LOGISTIC_WIDTH
        low, high = (
            (np.log(t) - shapes.log_median) / scale for t in (self.low, self.high)
        )
        # From the side on which less lies, so that few digits cancel.
        side = np.where(low + high > 0, -1.0, 1.0)
        between = np.abs(expit(side * high) - expit(side * low))
        seen = np.where(self.event, between, expit(-high))
        broad: Float = np.maximum(seen, _LEAST_LIKELY)
        return broad


def _last_whole(time: Float, unit: float) -> Float:
    """Return the last whole number of units up to each time; one near it stays."""
    counts = time / unit
    near = np.abs(counts - np.rint(counts)) < _WHOLE
    return np.where(near, time, np.floor(counts) * unit)


def around(shapes: Shapes, time: Float, reach: float) -> tuple[Float, Float]:
    """Return the times at which the raw log H is a little less and more than at these.

    So windows follow the raw law: one of that law stays what it is, whatever its form,
    but for its ends. Past the outer nodes they have one width in log time, and nowhere
    more.
    """
    e = np.log(time) - shapes.log_median
    hazard, _ = hazard_at(shapes, e)
    around = np.log(hazard)[:, None] + np.array([-_BLUR, _BLUR]) * OUTER
    low, high = residual_at(shapes, around).T
    known = (e >= shapes.nodes[:, 0]) & (e <= shapes.nodes[:, -1])
    half = np.minimum(_BLUR * np.exp(shapes.log_width), reach)
    low = np.where(known, np.maximum(low, e - half), e - half)
    high = np.where(known, np.minimum(high, e + half), e + half)
    low, high = (np.exp(shapes.log_median + side) for side in (low, high))
    return np.minimum(low, time), np.maximum(high, time)


def mixed(p: Float, broad: Float) -> Float:
    """Return probabilities under the law with a little of the broad one."""
    return (1 - CONTAMINATION) * p + CONTAMINATION * broad
