"""A Cox model with continuous times: what calibrating takes beside the fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from benchmarks.report import Measure
from benchmarks.timing import Times, peak_memory
from consurv import ConformalSurvival, Outcome
from consurv.metrics import concordance_index, d_calibration
from consurv.models import CoxPH

__all__ = ["measure", "run"]

CASE = "A Cox model with continuous times and 20 features"
RULES = ("kaplan-meier", "auto")
ROUNDS = 3
LEVELS = np.arange(1, 20) / 20


def run(quick: bool) -> list[Measure]:
    """Measure 10⁵ and 10⁶ subjects."""
    return measure((2_000, 20_000) if quick else (100_000, 1_000_000))


def measure(sizes: tuple[int, int]) -> list[Measure]:
    """Fit, conformalize on as many fresh subjects, and read all percentile times."""
    # A process each: memory that one has given back would not show in the next.
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        jobs = [(n, rule) for n in sizes for rule in RULES]
        found = dict(zip(jobs, pool.map(_times, jobs), strict=True))
    measures = []
    for n in sizes:
        for rule in RULES:
            measures += _compared(n, rule, found[n, rule])
    for rule in RULES:
        small, large = (found[n, rule] for n in sizes)
        what = f"{sizes[1]:,} / {sizes[0]:,} subjects"
        measures += [
            _ratio(f"calibrating, {rule}, {what}", _work(large), _work(small), 13),
            _ratio(
                f"reading curves alone, {rule}, {what}", large["read"], small["read"]
            ),
        ]
    return measures


def _compared(n: int, rule: str, took: dict[str, float]) -> list[Measure]:
    """Return the measures of one size and rule."""
    fit = took["fit"]
    label = f"{n:,} subjects, {rule}"
    measures = [
        _ratio(
            f"conformalize and percentile times / fit, {label}", _work(took), fit, 8
        ),
        _ratio(f"of these, the search for shifts / fit, {label}", took["search"], fit),
        Measure.of_bytes(
            CASE,
            f"peak memory / matrix of percentile times, {label}",
            (int(took["peak"]), n * len(LEVELS) * 8),
            target=3,
        ),
    ]
    if rule == RULES[0]:
        names = ("read", "own", "d_cal", "c_index", "mean")
        measures += [_ratio(f"{NAMES[k]} / fit, {n:,}", took[k], fit) for k in names]
    return measures


NAMES = {
    "read": "percentile times of all",
    "own": "survival at own times",
    "d_cal": "D-calibration",
    "c_index": "concordance index",
    "mean": "mean survival times",
}


def _work(took: dict[str, float]) -> float:
    return took["conformalize"] + took["read"]


def _ratio(what: str, slow: float, fast: float, target: float | None = None) -> Measure:
    return Measure.of_times(CASE, what, Times(cpu=[slow]), Times(cpu=[fast]), target)


def _times(job: tuple[int, str]) -> dict[str, float]:
    """Return CPU seconds of every part, of its best round, and bytes at the peak."""
    n, rule = job
    X, y = _subjects(n, 0)
    X_new, y_new = _subjects(n, 1)
    took: dict[str, float] = {}
    small = slice(0, 200)  # what is done once
    CoxPH().fit(X[small], y[small]).predict(X[small])
    model = CoxPH()
    _clock(took, "fit", lambda: model.fit(X, y))

    def conformalize() -> object:
        frozen = FrozenEstimator(model)
        wrapped = ConformalSurvival(frozen, adjustment="time", censoring=rule)
        return wrapped.conformalize(X_new, y_new)

    def read() -> object:
        return curves.percentile_times(LEVELS)

    _clock(took, "conformalize", conformalize)
    curves = _clock(took, "curves", lambda: model.predict_survival_function(X_new))
    _clock(took, "read", read)
    # Again, because counting memory takes time.
    took["peak"] = max(peak_memory(conformalize), peak_memory(read))
    took["search"] = max(took["conformalize"] - took["curves"] - took["read"], 0.0)
    _clock(took, "own", lambda: curves.survival_at_observed(y_new.time))
    _clock(took, "d_cal", lambda: d_calibration(y_new, curves))
    _clock(took, "c_index", lambda: concordance_index(y_new, curves))
    _clock(took, "mean", curves.mean)
    return took


def _clock(took: dict[str, float], name: str, call: Callable[[], Any]) -> Any:
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        answer = call()
        rounds.append(time.process_time() - start)
    took[name] = min(rounds)
    return answer


def _subjects(n: int, seed: int) -> tuple[Any, Outcome]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    risk = X[:, :4] @ np.array([0.8, -0.5, 0.3, 0.1])
    event, limit = (
        10 * rng.weibull(1.5, n) * np.exp(-risk / 1.5),
        rng.exponential(14, n),
    )
    return X, Outcome(time=np.minimum(event, limit), event=event <= limit)
