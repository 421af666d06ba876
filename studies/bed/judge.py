"""How far curves are from the truth, × 10³. T is never drawn: its law is known."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import stats

from consurv import SurvivalCurves
from consurv._checks import Float
from studies.bed.laws import Law
from studies.bed.world import N_TEST

__all__ = ["LEVELS", "Errors", "Judged", "judge"]

LEVELS: Float = np.arange(1, 20) / 20
_GROUPS = 5
_TIMES = 60
_MOST_UNITS = 200


class Judged(Protocol):
    """A truth and its test subjects, as in ``World``."""

    @property
    def law(self) -> Law:
        """T given x."""

    @property
    def x_test(self) -> Float:
        """The test subjects."""

    @property
    def horizon(self) -> float:
        """Until when curves are compared."""

    @property
    def end(self) -> float:
        """What comes later does not count."""


class Errors(NamedTuple):
    """The errors of curves of the test subjects.

    Attributes
    ----------
    marginal : float
        Mean over 19 levels of (P(U ≤ ρ) − ρ)², U = S'(T|x), over all subjects.
    by_risk : float
        The same within fifths of the raw median, averaged over the fifths.
    ise : float
        Mean over subjects and a grid of times of (S'(t|x) − S(t|x))².
    mae : float
        Mean |log median' − log median|, where both are finite.
    tau : float
        Kendall's τ of adjusted and raw medians (not × 10³).
    """

    marginal: float
    by_risk: float
    ise: float
    mae: float
    tau: float


def judge(world: Judged, raw: SurvivalCurves, curves: SurvivalCurves) -> Errors:
    """Return the errors of *curves*, whose risk groups are those of *raw*."""
    law, x = world.law, world.x_test
    reached = _reached(world, curves)
    order = np.argsort(np.argsort(raw.median(), kind="stable"), kind="stable")
    group = order * _GROUPS // N_TEST
    gaps = [reached[group == g].mean(axis=0) - LEVELS for g in range(_GROUPS)]
    grid = (np.arange(_TIMES) + 0.5) / _TIMES * world.horizon
    off = curves.survival_at(grid) - law.s(np.broadcast_to(grid, (N_TEST, _TIMES)), x)
    median, true = curves.median(), law.q(np.full((N_TEST, 1), 0.5), x)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(median) - np.log(true))
    known = np.isfinite(ratio)
    return Errors(
        1e3 * float(np.mean((reached.mean(axis=0) - LEVELS) ** 2)),
        1e3 * float(np.mean(np.square(gaps))),
        1e3 * float(np.mean(off**2)),
        1e3 * float(ratio[known].mean()) if known.any() else np.nan,
        _order(median, raw.median()),
    )


def _order(median: Float, raw: Float) -> float:
    """Return τ; 1 where the raw medians are all the same, and have no order to keep."""
    if raw.min() == raw.max():
        return 1.0
    return float(np.nan_to_num(stats.kendalltau(median, raw).statistic))


def _reached(world: Judged, curves: SurvivalCurves) -> Float:
    """Return P(U ≤ ρ | x), (N_TEST, 19)."""
    if world.law.unit:
        return _on_lattice(world, curves, world.law.unit)
    q = curves.percentile_times(LEVELS)
    found = world.law.s(np.clip(q, 1e-12, world.end), world.x_test)
    if np.isfinite(world.end):
        # Nobody is seen past the end: who survives it counts ρ/S'(end), as in D-cal.
        at_end = np.maximum(curves.survival_at([world.end]), 1e-9)
        found = np.where(q > world.end, found * np.minimum(LEVELS / at_end, 1), found)
    return found


def _on_lattice(world: Judged, curves: SurvivalCurves, unit: float) -> Float:
    """Return the same where T is in whole units: U is even on a drop of S'."""
    x = world.x_test
    latest = float(world.law.q(np.full((N_TEST, 1), 0.002), x).max())
    times = np.arange(min(int(np.ceil(latest / unit)) + 2, _MOST_UNITS)) * unit
    true = world.law.s(np.broadcast_to(times, (N_TEST, len(times))), x)
    low = curves.survival_at(times[1:])
    drop = curves.survival_at(times[1:] * (1 - 1e-9)) - low
    found = np.empty((N_TEST, len(LEVELS)))
    for i, level in enumerate(LEVELS):
        part = np.clip((level - low + 1e-12) / np.maximum(drop, 1e-9), 0, 1)
        found[:, i] = (-np.diff(true) * part).sum(axis=1) + true[:, -1]
    return found
