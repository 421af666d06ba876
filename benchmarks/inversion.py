"""Percentile times of many curves against SciPy and NumPy row by row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from benchmarks.report import Measure
from benchmarks.simulate import LEVELS
from benchmarks.timing import Times, race
from consurv import SurvivalCurves

__all__ = ["make_curves", "measure", "row_by_row", "run"]

Array = NDArray[np.float64]

CASE = "Inversion: percentile times of curves, per curve"


def run(quick: bool) -> list[Measure]:
    """Measure 10⁵ curves of 200 points; the loops run on 1,000 of them."""
    n, n_looped = (10_000, 200) if quick else (100_000, 1_000)
    return measure(n, n_looped, rounds=2 if quick else 3)


def measure(n: int, n_looped: int, rounds: int) -> list[Measure]:
    """Compare times per curve."""
    times, survival = make_curves(n)
    few = survival[:n_looped]
    ours = {
        kind: SurvivalCurves(times, survival, kind)
        for kind in ("linear", "step", "pchip")
    }
    contestants: dict[str, Callable[[], object]] = {
        kind: partial(curves.percentile_times, LEVELS) for kind, curves in ours.items()
    }
    loops = {"SciPy pchip": _scipy, "np.interp": _numpy}
    for name, invert in loops.items():
        contestants[name] = partial(row_by_row, times, few, invert)
    result = race(contestants, rounds)
    each = {k: _per_curve(t, n if k in ours else n_looped) for k, t in result.items()}
    return [
        Measure.of_times(
            CASE,
            f"{n:,} x {len(times)} points: {loop} row by row / ours, {kind}",
            each[loop],
            each[kind],
            target=50 if loop == "SciPy pchip" else None,
            at_most=False,
        )
        for loop in loops
        for kind in ours
    ]


def make_curves(n: int, n_times: int = 200) -> tuple[Array, Array]:
    """Return a shared grid and Weibull curves that fall below every level."""
    scale = np.random.default_rng(0).uniform(7, 14, n)
    times = np.linspace(0.2, 40, n_times)
    return times, np.exp(-((times / scale[:, None]) ** 1.5))


def row_by_row(
    times: Array, survival: Array, invert: Callable[[Array, Array], Array]
) -> Array:
    """Invert curve by curve, with (0, 1) in front."""
    grid = np.append(0.0, times)
    return np.array([invert(np.append(0.0, 1 - row), grid) for row in survival])


def _scipy(fallen: Array, times: Array) -> Array:
    inverse: Array = PchipInterpolator(fallen, times)(1 - LEVELS)
    return inverse


def _numpy(fallen: Array, times: Array) -> Array:
    return np.interp(1 - LEVELS, fallen, times)


def _per_curve(times: Times, n: int) -> Times:
    return Times([t / n for t in times.cpu], [t / n for t in times.wall])
