"""Exact rearrangement against the paper's draws, per row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Measure
from benchmarks.simulate import LEVELS
from benchmarks.timing import Times, race
from consurv.curves.rearrange import rearrange

__all__ = ["crossing_rows", "measure", "run"]

CASE = "Rearrangement of crossing rows, per row"


def run(quick: bool) -> list[Measure]:
    """Measure 10⁴ rows; the draws run on a few of them."""
    draws = 100_000 if quick else 1_000_000
    return measure(10_000, n_drawn=2 if quick else 5, n_draws=draws, rounds=5)


def measure(n: int, n_drawn: int, n_draws: int, rounds: int) -> list[Measure]:
    """Compare times per row."""
    q = crossing_rows(n)
    few = q[:n_drawn]
    times = race(
        {
            "exact": lambda: rearrange(q, LEVELS),
            "bootstrap": lambda: rearrange(
                few, LEVELS, "bootstrap", random_state=0, n_draws=n_draws
            ),
        },
        rounds,
    )
    slow, fast = _per_row(times["bootstrap"], n_drawn), _per_row(times["exact"], n)
    what = f"{n:,} rows: {n_draws:,} draws / exact"
    return [Measure.of_times(CASE, what, slow, fast, target=10_000, at_most=False)]


def crossing_rows(n: int) -> NDArray[np.float64]:
    """Return percentile times that all cross, as a quantile regression gives them."""
    rng = np.random.default_rng(0)
    q = 10 * (-np.log(LEVELS)) * rng.lognormal(0, 0.15, (n, len(LEVELS)))
    q[:, 9:11].sort(axis=1)  # levels rise along a row, so times should fall
    return q


def _per_row(times: Times, n: int) -> Times:
    return Times([t / n for t in times.cpu], [t / n for t in times.wall])
