"""The log-likelihood of the map: sums over subjects, which add up over blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.recalibration.hazards import hazard_at
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.shapes import Shapes
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap
from consurv.conformal.recalibration.windows import CONTAMINATION, mixed

__all__ = ["Sums", "likelihood_sums", "seen_probability"]


class Sums(NamedTuple):
    """Log-likelihood, its gradient (5,) and the outer products of it (5, 5)."""

    value: float
    gradient: Float
    information: Float


def likelihood_sums(sample: Sample, time_map: TimeMap) -> Sums:
    """Return the sums of some subjects."""
    shapes, seen = sample.shapes, sample.seen
    hazard, slopes = _hazard(shapes, time_map, seen.high)
    survival = np.exp(-hazard)
    gradient = -survival * slopes
    low = np.zeros(len(hazard))
    rows = np.flatnonzero(seen.event)
    if rows.size:
        low[rows], slopes = _hazard(shapes, time_map, seen.low[rows], rows)
        gradient[:, rows] = -np.exp(-low[rows]) * slopes - gradient[:, rows]
    p = mixed(seen_probability(seen.event, low, hazard), sample.broad)
    gradient *= (1 - CONTAMINATION) / p
    value, weight = np.log(p), sample.outcome.weight
    if weight is None:
        return Sums(float(value.sum()), gradient.sum(axis=1), gradient @ gradient.T)
    many = gradient * weight
    return Sums(float(value @ weight), many.sum(axis=1), many @ gradient.T)


def seen_probability(event: Bool, low: Float, high: Float) -> Float:
    """Return P(seen) from the cumulative hazards at both ends of the windows.

    exp(−low) − exp(−high), without the digits that early events would lose in it.
    """
    between = np.exp(-low) * -np.expm1(low - high)
    return np.where(event, np.maximum(between, 0.0), np.exp(-high))


def _hazard(
    shapes: Shapes, time_map: TimeMap, time: Float, rows: Index | None = None
) -> tuple[Float, Float]:
    """Return H (m,) at times (m,) and its derivatives (5, m) by the numbers."""
    some = slice(None) if rows is None else rows
    log_median, log_width = shapes.log_median[some], shapes.log_width[some]
    location, scale = time_map.place(log_median, log_width)
    delayed = time_map.delayed(time)
    e = (np.log(delayed) - location) / scale
    hazard, slope = hazard_at(shapes, e, rows)
    by_place = slope / scale
    middle, usual = time_map.centre
    slopes = np.empty((N_NUMBERS, len(time)))
    slopes[0] = -by_place
    slopes[1] = -np.exp(time_map.numbers[1]) * (log_median - middle) * by_place
    slopes[2] = -e * slope
    slopes[3] = slopes[2] * (log_width - usual)
    slopes[4] = np.exp(middle) / delayed * by_place
    return hazard, slopes
