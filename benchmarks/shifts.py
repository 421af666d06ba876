"""Censoring rules against each other and against a bare np.partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Measure
from benchmarks.simulate import LEVELS, conformal_set
from benchmarks.timing import peak_memory, race
from consurv import Outcome, conformal_shifts

__all__ = ["bare_shifts", "measure", "measure_rules", "measure_weights", "run"]

CASE = "Shifts: exact kaplan-meier, uncensored, bare np.partition"
COVARIATE_RULES = ("self-consistent", "local", "auto")
WEIGHTED_RULES = ("uncensored", "margin", "kaplan-meier", "auto")


def run(quick: bool) -> list[Measure]:
    """Measure all sizes."""
    sizes = (10**4, 10**5) if quick else (10**4, 10**5, 10**6)
    kinds = (False, True)
    found = [m for n in sizes for whole in kinds for m in measure(n, whole)]
    n = 10**4 if quick else 10**5
    found += [m for whole in kinds for m in measure_rules(n, whole)]
    return found + [m for whole in kinds for m in measure_weights(n, whole)]


def measure(n: int, whole: bool) -> list[Measure]:
    """Measure one size; targets hold at 10⁶ subjects."""
    q, y = conformal_set(n, whole=whole)
    large = n >= 10**6
    exact = _call(q, y, "kaplan-meier")
    times = race(
        {
            "exact": exact,
            "uncensored": _call(q, y, "uncensored"),
            "bare": lambda: bare_shifts(q, y),
            "ready": _ready(q, y),
        },
        rounds=5,
    )
    kind = "whole-number" if whole else "continuous"
    label = f"N = {n:,}, {kind} times: "

    def compare(a: str, b: str, text: str, target: float | None) -> Measure:
        target = target if large else None
        return Measure.of_times(CASE, label + text, times[a], times[b], target)

    stretch = 3 if whole else 4
    result = [
        compare("exact", "uncensored", "exact / uncensored", 6),
        compare("exact", "uncensored", "the same, stretch target", stretch),
        compare("uncensored", "bare", "uncensored / bare np.partition", 2.5),
        compare(
            "uncensored", "ready", "uncensored / np.partition of ready scores", None
        ),
    ]
    sides = peak_memory(exact), q.nbytes
    text = label + "extra memory of exact / percentile times"
    memory = Measure.of_bytes(CASE, text, sides, target=1 if large else None)
    return [m for m in result if large or "stretch" not in m.what] + [memory]


def measure_rules(n: int, whole: bool) -> list[Measure]:
    """Measure the rules that know the covariates; targets hold at 10⁵ subjects."""
    q, y = conformal_set(n, whole=whole)
    rules = {name: _call(q, y, name) for name in ("kaplan-meier", *COVARIATE_RULES)}
    times = race(rules, rounds=3)
    label = f"N = {n:,}, {'whole-number' if whole else 'continuous'} times: "
    result = []
    for name in COVARIATE_RULES:
        sides = times[name], times["kaplan-meier"]
        result.append(Measure.of_times(CASE, f"{label}{name} / exact", *sides, 15))
        text = f"{label}extra memory of {name} / percentile times"
        sizes = peak_memory(rules[name]), q.nbytes
        result.append(Measure.of_bytes(CASE, text, sizes))
    return result


def measure_weights(n: int, whole: bool) -> list[Measure]:
    """Measure what it costs that subjects have weights, rule by rule."""
    q, y = conformal_set(n, whole=whole)
    weighted = y.weighted(np.random.default_rng(1).uniform(0.2, 3, n))
    label = f"N = {n:,}, {'whole-number' if whole else 'continuous'} times: "
    result = []
    for name in WEIGHTED_RULES:
        sides = {"with": _call(q, weighted, name), "without": _call(q, y, name)}
        times = race(sides, rounds=3)
        text = f"{label}{name} with weights / without"
        result.append(Measure.of_times(CASE, text, times["with"], times["without"]))
    return result


def bare_shifts(q: NDArray[np.float64], y: Outcome) -> NDArray[np.float64]:
    """Return the shifts from events alone, as a user would write it."""
    t, event = y.time, y.event
    shifts = []
    for p, level in enumerate(LEVELS):
        k = int(np.ceil(level * (event.sum() + 1) * (1 - 1e-13)))
        shifts.append(np.partition(q[event, p] - t[event], k - 1)[k - 1])
    return np.array(shifts)


def _call(q: NDArray[np.float64], y: Outcome, censoring: str) -> Callable[[], object]:
    return lambda: conformal_shifts(q, LEVELS, y, censoring=censoring)


def _ready(q: NDArray[np.float64], y: Outcome) -> Callable[[], object]:
    scores = [q[y.event, p] - y.time[y.event] for p in range(len(LEVELS))]
    ranks = [int(level * len(s)) for level, s in zip(LEVELS, scores, strict=True)]
    return lambda: [np.partition(s, k) for s, k in zip(scores, ranks, strict=True)]
