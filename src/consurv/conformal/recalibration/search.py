"""The recalibration that blocks of conformal subjects together lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float
from consurv._weights import drawn
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Partitions, as_partitions
from consurv.conformal.quantile.search import rank
from consurv.conformal.recalibration.counts import Counts, count
from consurv.conformal.recalibration.map_fit import fit_map
from consurv.conformal.recalibration.order import OrderGuard, hold_order
from consurv.conformal.recalibration.poisson import fit_ratios
from consurv.conformal.recalibration.ratios import HazardRatios
from consurv.conformal.recalibration.recalibration import Recalibration
from consurv.conformal.recalibration.risk import RiskScale, knot_shares, n_groups
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.shapes import FINE_LEVELS
from consurv.conformal.recalibration.survey import Gathered, Survey, survey
from consurv.conformal.recalibration.time_map import N_NUMBERS, TimeMap

__all__ = ["FEWEST_EVENTS", "FoundRecalibration", "find_recalibration"]

# As many events beyond a level tell where it lies; fewer do where fewer are expected.
_ENOUGH_EVENTS = 5
# One event alone would move all curves by what the prior allows.
FEWEST_EVENTS = 2
# The order of medians is looked at among no more subjects than these, each as often as
# it weighs.
_MOST_PAIRS = 1 << 15


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


def find_recalibration(
    blocks: Partitions | Sequence[Block],
) -> FoundRecalibration:
    """Return the recalibration of all blocks together.

    The split into blocks and the order of subjects do not matter but for rounding:
    scales of risk rest on all log medians, and all else is a sum over subjects.

    Parameters
    ----------
    blocks : Partitions or sequence of Block
        Whose readings are those of ``read_curves``.
    """
    partitions = as_partitions(blocks)
    subjects, levels = survey(partitions), partitions.levels
    facts = subjects.facts
    n_without = partitions.n - facts.n
    known = facts.n_events, n_without, facts.n_ending
    if facts.n_events < FEWEST_EVENTS:
        nothing = np.zeros(len(levels), dtype=np.bool_)
        return FoundRecalibration(_unchanged(subjects), *known, 0.0, nothing)
    found, dof = _held(_forms(subjects), subjects)
    found = replace(found, scale=subjects.scale, follow_up=subjects.follow_up)
    return FoundRecalibration(found, *known, dof, _identified(found, subjects, levels))


def _forms(subjects: Survey) -> list[_Form]:
    """Return the form that explains most, and the map alone, which keeps the order.

    Accelerated times and proportional hazards are both plausible, and a wrong one
    leaves the ratios a rest: the map with ratios on top, or ratios alone where these
    explain more.
    """
    n = subjects.facts.total
    risk, groups = _risk_scale(subjects), n_groups(n)
    time_map, dof = fit_map(subjects)
    none = TimeMap(np.zeros(N_NUMBERS), time_map.centre)
    maps = (time_map, none) if time_map.numbers.any() else (time_map,)
    tables = subjects.total(_Tables(maps, risk, groups))
    forms = [
        _form(one, counts, risk, subjects.facts.unit, some)
        for one, counts, some in zip(maps, tables, (dof, 0.0), strict=False)
    ]
    mapped = replace(forms[0].recalibration, ratios=HazardRatios.none(risk))
    best = forms[0] if len(forms) == 1 else _better(forms[0], forms[1], subjects)
    return [best, _Form(mapped, dof)]


def _held(forms: list[_Form], subjects: Survey) -> _Form:
    """Return the form with the order of medians held.

    Where the ratios are worth less than the order that they change, as with hazards
    that cross, the map alone may explain more than what is left of them.
    """
    best, mapped = forms
    if best.recalibration.ratios.is_none:
        return best
    guard = _guard(best.recalibration, subjects)
    held = _Form(replace(best.recalibration, guard=guard), best.dof)
    return _better(held, mapped, subjects) if guard.share else held


def _better(one: _Form, other: _Form, subjects: Survey) -> _Form:
    """Return the first form, or the other where Akaike's criterion is for it."""
    forms = one.recalibration, other.recalibration
    *values, counted = subjects.total(_LogLikelihoods(forms), part=True)
    gain = (values[1] - values[0]) * (subjects.facts.total / counted)
    return other if gain > other.dof - one.dof else one


def _form(
    time_map: TimeMap, counts: Counts, risk: RiskScale, unit: float, dof: float
) -> _Form:
    ratios, more = fit_ratios(counts, risk)
    guard = OrderGuard.none()
    found = Recalibration(FINE_LEVELS, time_map, ratios, guard, unit)
    return _Form(found, dof + more)


@dataclass(frozen=True)
class _Tables:
    """Events and exposure on curves that are mapped in several ways."""

    maps: tuple[TimeMap, ...]
    risk: RiskScale
    groups: int

    def __call__(self, sample: Sample) -> tuple[Counts, ...]:
        return tuple(count([sample], m, self.risk, self.groups) for m in self.maps)


@dataclass(frozen=True)
class _LogLikelihoods:
    """The log-likelihoods of several forms, and how many subjects have them."""

    forms: tuple[Recalibration, ...]

    def __call__(self, sample: Sample) -> tuple[float, ...]:
        values = [form.log_likelihood(sample) for form in self.forms]
        return *values, sample.outcome.total_weight


def _risk_scale(subjects: Survey) -> RiskScale:
    shares = knot_shares(max(subjects.facts.total, 1))
    return RiskScale.through(subjects.log_medians(shares), shares)


def _guard(found: Recalibration, subjects: Survey) -> OrderGuard:
    pairs = subjects.ask(Gathered(_Medians(found)), part=True).values
    if (pairs[:, 2] != 1).any():
        pairs = pairs[drawn(pairs[:, 2], _MOST_PAIRS)]
    contrast = float(np.exp(found.time_map.numbers[1]))
    return hold_order(pairs[:, 0].copy(), pairs[:, 1].copy(), contrast)


@dataclass(frozen=True)
class _Medians:
    """Raw and adjusted log medians, and what they weigh."""

    form: Recalibration

    def __call__(self, sample: Sample) -> Float:
        shapes, weights = sample.shapes, sample.outcome.weights
        medians = shapes.log_median, self.form.log_medians(shapes)
        return np.stack([*medians, weights], axis=1)


def _unchanged(subjects: Survey) -> Recalibration:
    """Return a recalibration that does nothing."""
    ratios = HazardRatios.none(_risk_scale(subjects))
    time_map = TimeMap(np.zeros(N_NUMBERS), subjects.facts.centre)
    guard = OrderGuard.none()
    return Recalibration(FINE_LEVELS, time_map, ratios, guard, scale=subjects.scale)


def _identified(found: Recalibration, subjects: Survey, levels: Float) -> Bool:
    """Say at which levels enough events came at or past the adjusted time."""
    beyond, n = subjects.total(_Beyond(found, levels)), subjects.facts.total
    wanted = [min(_ENOUGH_EVENTS, rank(float(level), n) / 2) for level in levels]
    enough: Bool = beyond >= np.array(wanted) - 1e-9
    return enough


@dataclass(frozen=True)
class _Beyond:
    """How many events came at or past the adjusted times, as much as they weigh."""

    form: Recalibration
    levels: Float

    def __call__(self, sample: Sample) -> Float:
        event = sample.outcome.event
        shapes, time = sample.shapes.take(event), sample.outcome.time[event]
        survival = np.exp(-self.form.hazard(shapes, time))
        order = np.argsort(survival)
        passed = np.searchsorted(survival[order], self.levels, side="right")
        weight = sample.outcome[event].weights[order]
        beyond: Float = np.append(0.0, np.cumsum(weight))[passed]
        return beyond
