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
from consurv.outcome import Outcome

__all__ = ["Counts", "count"]

# Events are spread over their windows, or the drops they stand on, at the middles of
# three equal parts of the survival in them.
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
    shapes, outcome = sample.shapes, sample.outcome
    survival = [
        np.exp(-hazard_at(shapes, time_map.residual(shapes, time))[0])
        for time in sample.spread
    ]
    above, below = survival
    events = exposure = np.zeros((groups, len(BORDERS)))
    for point in _POINTS:
        left = np.maximum(below + point * (above - below), _LOWEST)
        seen, spent = _spend(group, -np.log(left), groups, outcome)
        events, exposure = events + seen, exposure + spent
    return events / len(_POINTS), exposure / len(_POINTS)


def _spend(
    group: Index, hazard: Float, groups: int, outcome: Outcome
) -> tuple[Float, Float]:
    """Return the events in each cell, and the hazard spent there by all."""
    hazard = np.minimum(hazard, _MOST_HAZARD)
    cell = np.searchsorted(BORDERS, hazard, side="right") - 1
    place, weight, event = group * len(BORDERS) + cell, outcome.weight, outcome.event
    rest = hazard - BORDERS[cell]
    left, seen, inside = (
        np.bincount(at, values, minlength=groups * len(BORDERS))
        .reshape(groups, len(BORDERS))
        .astype(np.float64)
        for at, values in (
            (place, weight),
            (place[event], None if weight is None else weight[event]),
            (place, rest if weight is None else rest * weight),
        )
    )
    # Whoever left in a later cell has passed this one as a whole; the last has no end.
    later = left[:, ::-1].cumsum(axis=1)[:, ::-1] - left
    return seen, inside + later * np.append(np.diff(BORDERS), 0.0)
