"""The exact rule against sampling, the latter written as well as numpy allows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Measure
from benchmarks.simulate import LEVELS, conformal_set
from benchmarks.timing import peak_memory, race
from consurv import KaplanMeier, Outcome, conformal_shifts

__all__ = ["VARIANTS", "draw", "measure", "run"]

Array = NDArray[np.float64]

CASE = "Sampling: R draws per censored subject, Kaplan-Meier given to both"


def run(quick: bool) -> list[Measure]:
    """Measure N = 5,000 with R = 1000."""
    return measure(5_000, n_samples=100 if quick else 1000, rounds=1 if quick else 5)


def measure(n: int, n_samples: int, rounds: int) -> list[Measure]:
    """Compare time, memory and answers."""
    q, y = conformal_set(n)
    km = KaplanMeier(y)

    def exact() -> Array:
        return conformal_shifts(q, LEVELS, y, censoring="kaplan-meier", kaplan_meier=km)

    sampled = {
        name: partial(variant, q, y, km, n_samples)
        for name, variant in VARIANTS.items()
    }
    times = race({"exact": exact, **sampled}, rounds)
    best = min(sampled, key=lambda name: times[name].best)
    label = f"N = {n:,}, R = {n_samples}: sampling"
    result = [
        Measure.of_times(
            CASE,
            f"{label} ({name}) / exact, time"
            + (", the faster" if name == best else ""),
            times[name],
            times["exact"],
            target=200 if name == best else None,
            at_most=False,
        )
        for name in sampled
    ]
    sides = peak_memory(sampled[best]), peak_memory(exact)
    text = f"{label} ({best}) / exact, memory"
    result.append(Measure.of_bytes(CASE, text, sides, target=50, at_most=False))
    error = np.abs(sampled[best]() - exact()).max() / y.time.mean()
    text = f"{label}, largest error of a shift"
    return [*result, Measure(CASE, text, float(error), unit=" mean times")]


def draw(c: Array, km: KaplanMeier, n_samples: int) -> Array:
    """Return (n, R) draws of T given T > c by inverse transform; n·R memory."""
    level = np.random.default_rng(0).random((len(c), n_samples))
    level *= km.survival_at(c)[:, None]
    # Ascending survival: event_survival[m] belongs to the time of event m.
    ascending = km.event_survival[::-1]
    times = np.append(km.event_times, km.t_end)[::-1]
    draws: Array = times[np.searchsorted(ascending, level, side="right")]
    if km.s_max > 0:
        in_tail = level < km.s_max
        draws[in_tail] = km.t_end * (1 - level[in_tail])
    return draws


def stacked_shifts(q: Array, y: Outcome, km: KaplanMeier, n_samples: int) -> Array:
    """Select from all N·R scores, events repeated R times, as the paper does."""
    draws = draw(y.time[~y.event], km, n_samples)
    n, n_fixed = len(y), y.n_events * n_samples
    scores = np.empty(n * n_samples)
    free = scores[n_fixed:].reshape(draws.shape)
    shifts = []
    for p, k in enumerate(_ranks(n)):
        fixed = q[y.event, p] - y.time[y.event]
        scores[:n_fixed].reshape(-1, n_samples)[:] = fixed[:, None]
        np.subtract(q[~y.event, p][:, None], draws, out=free)
        place = k * n_samples - 1
        scores.partition(place)
        shifts.append(scores[place])
    return np.array(shifts)


def counted_shifts(q: Array, y: Outcome, km: KaplanMeier, n_samples: int) -> Array:
    """Select from the scores of draws, with events counted R times, not repeated."""
    draws = draw(y.time[~y.event], km, n_samples)
    scores = np.empty_like(draws)
    flat = scores.ravel()
    shifts = []
    for p, k in enumerate(_ranks(len(y))):
        fixed = np.sort(q[y.event, p] - y.time[y.event])
        np.subtract(q[~y.event, p][:, None], draws, out=scores)
        wanted = k * n_samples
        i = bisect_left(range(len(fixed)), wanted, key=_counter(fixed, flat, n_samples))
        # With i events below, the answer is the next event or this draw.
        place = wanted - i * n_samples - 1
        candidates = [fixed[i]] if i < len(fixed) else []
        if 0 <= place < flat.size:
            flat.partition(place)
            candidates.append(flat[place])
        shifts.append(min(candidates))
    return np.array(shifts)


def _counter(fixed: Array, flat: Array, n_samples: int) -> Callable[[int], int]:
    def mass(i: int) -> int:
        return (i + 1) * n_samples + int(np.count_nonzero(flat <= fixed[i]))

    return mass


def _ranks(n: int) -> list[int]:
    ranks = np.ceil(LEVELS * (n + 1) * (1 - 1e-13)).astype(int)
    return [min(int(k), n) for k in ranks]


VARIANTS = {"stacked": stacked_shifts, "counted": counted_shifts}
