"""Curves for many subjects: what they take beside the answer itself."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.report import Measure, seconds
from consurv.datasets import make_weibull
from consurv.models import make_model

__all__ = ["MODELS", "measure", "peak_growth", "run"]

CASE = "Curves: peak memory of predict_survival_function / memory of the curves"
PLAIN = ("weibull-aft", "coxph", "gradient-boosting")
DEEP = ("deepsurv", "n-mtlr", "deephit", "coxtime", "cqrnn", "lognormal")
MODELS = (*PLAIN, *DEEP)


def run(quick: bool) -> list[Measure]:
    """Measure 10⁵ subjects."""
    return measure(10_000 if quick else 100_000)


def measure(
    n: int, n_train: int = 2_000, models: Sequence[str] = MODELS
) -> list[Measure]:
    """Train each model for a moment and let it give *n* curves."""
    # A process each: memory that one has given back would not show in the next.
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        return list(pool.map(partial(_measure, n, n_train), models))


def _measure(n: int, n_train: int, name: str) -> Measure:
    torch.set_num_threads(1)
    data = make_weibull(n_train, n_features=10, random_state=0)
    X = np.random.default_rng(1).standard_normal((n, 10)).astype(np.float32)
    params = {} if name in PLAIN else {"max_epochs": 2, "device": "cpu"}
    model = make_model(name, random_state=0, **params)
    model.fit(np.asarray(data.X), data.outcome)
    model.predict_survival_function(X[:10])  # what is allocated once
    start = time.process_time()
    grown, curves = peak_growth(lambda: model.predict_survival_function(X))
    took = time.process_time() - start
    points = curves._form.n_nodes
    # Of the table, also where none was made.
    size = n * points * 8
    if curves._form.is_table:
        size = curves.survival.nbytes + curves.times.nbytes
    what = f"{n:,} curves of {points} points, {name}"
    detail = f"{grown / 1e6:.0f} MB / {size / 1e6:.0f} MB, {seconds(took)}"
    return Measure(CASE, what, grown / size, target=1.5, detail=detail)


def peak_growth(call: Any) -> tuple[int, Any]:
    """Return how far the process grew at its peak during a call, and its answer.

    The kernel counts, because torch allocates where tracemalloc does not look.
    """
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = _resident("VmRSS")
    answer = call()
    return _resident("VmHWM") - before, answer


def _resident(field: str) -> int:
    status = Path(f"/proc/{os.getpid()}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
