"""Events and exposure by group of risk and cell of hazard: tables that add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from consurv._checks import Float, Index
from consurv.conformal.recalibration.hazards import hazard_at
from consurv.conformal.recalibration.ratios import BORDERS
from consurv.conformal.recalibration.risk import RiskScale
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.time_map import TimeMap

__all__ = ["Counts", "count"]

# An event is spread over its window, or the drop it stands on, at the middles of three
# equal parts of the survival in it.
_POINTS = 1 / 6, 1 / 2, 5 / 6
# Survival so low is as good as 0: exposure stays finite.
_LOWEST, _MOST_HAZARD = 1e-9, 20.0


@dataclass(frozen=True)
class Counts:
    """What was observed and what the mapped curves spent, group by group.

    Attributes
    ----------
    events, exposure : ndarray of shape (G, M)
        Exposure is the cumulative hazard that subjects used up in a cell.
    members, scores : ndarray of shape (G,)
        Number of subjects, and the sum of their scores; all as much as they weigh.
    """

    events: Float
    exposure: Float
    members: Float
    scores: Float

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.events + other.events,
            self.exposure + other.exposure,
            self.members + other.members,
            self.scores + other.scores,
        )

    @property
    def score(self) -> Float:
        """The mean score of each group; 0 where nobody is."""
        return self.scores / np.where(self.members > 0, self.members, 1.0)


def count(
    samples: Iterable[Sample], time_map: TimeMap, risk: RiskScale, groups: int
) -> Counts:
    """Return the table of all samples together, on mapped curves.

    Parameters
    ----------
    samples : iterable of Sample
    time_map : TimeMap
    risk : RiskScale
    groups : int
        Number of groups, of equal size if there are no ties.
    """
    edges = ndtri(np.arange(1, groups) / groups)
    zero = np.zeros((groups, len(BORDERS)))
    total = Counts(zero, zero, zero[:, 0], zero[:, 0])
    for sample in samples:
        score = risk.at(sample.shapes.log_median)
        group = np.searchsorted(edges, score, side="right")
        weight = sample.outcome.weight
        members, scores = (
            np.bincount(group, values, minlength=groups).astype(np.float64)
            for values in (weight, score if weight is None else score * weight)
        )
        events, exposure = _table(sample, time_map, group, groups)
        total += Counts(events, exposure, members, scores)
    return total


def _table(
    sample: Sample, time_map: TimeMap, group: Index, groups: int
) -> tuple[Float, Float]:
    shapes, windows = sample.shapes, sample.windows
    event = windows.event
    high, _ = hazard_at(shapes, time_map.residual(shapes, windows.high))
    # Censored subjects have one time: its hazard is there.
    low, rows = high.copy(), np.flatnonzero(event)
    e = time_map.residual(shapes, windows.low)[rows]
    low[rows], _ = hazard_at(shapes, e, rows)
    weight = sample.outcome.weight
    others, own = (None, None) if weight is None else (weight[~event], weight[event])
    _, exposure = _spend(group[~event], high[~event], groups, others)
    events = np.zeros_like(exposure)
    group, above, below = group[event], np.exp(-low[event]), np.exp(-high[event])
    for point in _POINTS:
        survival = np.maximum(below + point * (above - below), _LOWEST)
        seen, spent = _spend(group, -np.log(survival), groups, own)
        events += seen / len(_POINTS)
        exposure += spent / len(_POINTS)
    return events, exposure


def _spend(
    group: Index, hazard: Float, groups: int, weight: Float | None
) -> tuple[Float, Float]:
    """Return how many left in each cell, and the hazard spent there."""
    hazard = np.minimum(hazard, _MOST_HAZARD)
    cell = np.searchsorted(BORDERS, hazard, side="right") - 1
    shape = groups, len(BORDERS)
    place, size = group * len(BORDERS) + cell, groups * len(BORDERS)
    rest = hazard - BORDERS[cell]
    rest = rest if weight is None else rest * weight
    left = np.bincount(place, weight, minlength=size).reshape(shape).astype(np.float64)
    inside = np.bincount(place, rest, minlength=size).reshape(shape)
    # Whoever left in a later cell has passed this one as a whole; the last has no end.
    later = left[:, ::-1].cumsum(axis=1)[:, ::-1] - left
    return left, inside + later * np.append(np.diff(BORDERS), 0.0)
