"""The recalibration that blocks of conformal subjects together lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float
from consurv.conformal.blocks import Block
from consurv.conformal.quantile import rank
from consurv.conformal.recalibration.counts import count
from consurv.conformal.recalibration.map_fit import centre_of, fit_map
from consurv.conformal.recalibration.order import OrderGuard, hold_order
from consurv.conformal.recalibration.poisson import fit_ratios
from consurv.conformal.recalibration.ratios import HazardRatios
from consurv.conformal.recalibration.recalibration import Recalibration
from consurv.conformal.recalibration.risk import RiskScale, n_groups
from consurv.conformal.recalibration.sample import Sample, read_samples, thin
from consurv.conformal.recalibration.shapes import FINE_LEVELS
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap

__all__ = ["FEWEST_EVENTS", "FoundRecalibration", "find_recalibration"]

# As many events beyond a level tell where it lies; fewer do where fewer are expected.
_ENOUGH_EVENTS = 5
# One event alone would move all curves by what the prior allows.
FEWEST_EVENTS = 2


class FoundRecalibration(NamedTuple):
    """A recalibration and what it rests on."""

    recalibration: Recalibration
    n_events: int
    n_without_shape: int
    n_ending: int
    dof: float
    identified: Bool


class _Form(NamedTuple):
    recalibration: Recalibration
    dof: float


def find_recalibration(blocks: Sequence[Block]) -> FoundRecalibration:
    """Return the recalibration of all blocks together.

    The split into blocks does not matter: scales of risk rest on all log medians, and
    all else is a sum over subjects.

    Parameters
    ----------
    blocks : sequence of Block
        Whose readings are those of ``read_curves``.
    """
    samples, unit, scale = read_samples(blocks)
    n = sum(map(len, samples))
    n_events = sum(sample.outcome.n_events for sample in samples)
    n_without = sum(len(block.outcome) for block in blocks) - n
    n_ending = sum(int(np.isfinite(s.shapes.t_end).sum()) for s in samples)
    levels = blocks[0].levels
    if n_events < FEWEST_EVENTS:
        nothing = np.zeros(len(levels), dtype=np.bool_)
        return FoundRecalibration(
            _unchanged(samples, scale), n_events, n_without, n_ending, 0.0, nothing
        )
    part = thin(samples, unit)
    found, dof = _better_form(samples, part, unit)
    guard = OrderGuard.none() if found.ratios.is_none else _guard(found, part)
    found = replace(found, guard=guard, scale=scale)
    identified = _identified(found, samples, levels)
    return FoundRecalibration(found, n_events, n_without, n_ending, dof, identified)


def _better_form(
    samples: Sequence[Sample], part: Sequence[Sample], unit: float
) -> _Form:
    """Return the map with ratios on top, or ratios alone where these explain more.

    Accelerated times and proportional hazards are both plausible, and a wrong one
    leaves the ratios a rest: Akaike's criterion decides.
    """
    log_median = np.concatenate([sample.shapes.log_median for sample in samples])
    risk, groups = RiskScale.of(log_median), n_groups(len(log_median))

    def form(time_map: TimeMap, dof: float) -> _Form:
        ratios, more = fit_ratios(count(samples, time_map, risk, groups), risk)
        guard = OrderGuard.none()
        found = Recalibration(FINE_LEVELS, time_map, ratios, guard, unit)
        return _Form(found, dof + more)

    time_map, dof = fit_map(samples, part)
    both = form(time_map, dof)
    if not time_map.numbers.any():
        return both
    alone = form(TimeMap(np.zeros(N_NUMBERS), time_map.centre), 0.0)
    share = sum(map(len, part)) / len(log_median)
    gain = sum(
        alone.recalibration.log_likelihood(sample)
        - both.recalibration.log_likelihood(sample)
        for sample in part
    )
    return alone if gain / share > alone.dof - both.dof else both


def _guard(found: Recalibration, part: Sequence[Sample]) -> OrderGuard:
    raw = np.concatenate([sample.shapes.log_median for sample in part])
    adjusted = np.concatenate([found.log_medians(sample.shapes) for sample in part])
    return hold_order(raw, adjusted, float(np.exp(found.time_map.numbers[1])))


def _unchanged(samples: Sequence[Sample], scale: float) -> Recalibration:
    """Return a recalibration that does nothing."""
    log_median = [sample.shapes.log_median for sample in samples] or [np.zeros(1)]
    centre = centre_of(samples)[0] if samples else np.zeros(2)
    ratios = HazardRatios.none(RiskScale.of(np.concatenate(log_median)))
    time_map = TimeMap(np.zeros(N_NUMBERS), centre)
    guard = OrderGuard.none()
    return Recalibration(FINE_LEVELS, time_map, ratios, guard, scale=scale)


def _identified(found: Recalibration, samples: Sequence[Sample], levels: Float) -> Bool:
    """Say at which levels enough events came at or past the adjusted time."""
    n, beyond = sum(map(len, samples)), np.zeros(len(levels))
    for sample in samples:
        event = sample.outcome.event
        hazard = found.hazard(sample.shapes.take(event), sample.outcome.time[event])
        beyond += np.searchsorted(np.sort(np.exp(-hazard)), levels, side="right")
    wanted = [min(_ENOUGH_EVENTS, rank(float(level), n) / 2) for level in levels]
    return beyond >= np.array(wanted)
