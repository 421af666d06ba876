"""The recalibration against shifts with the exact Kaplan–Meier rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.report import Measure
from benchmarks.simulate import LEVELS, conformal_set
from benchmarks.timing import peak_memory, race
from consurv import Outcome
from consurv.conformal.adjustments import adjustment_kind
from consurv.conformal.parts.blocks import Block
from consurv.conformal.recalibration.shapes import FINE_LEVELS

__all__ = ["measure", "run"]

CASE = "Recalibration: likelihood by risk against exact kaplan-meier shifts"
# The model's shape in ``conformal_set``, and the drops of its coarse version.
_SHAPE, _DROPS = 1.3, 10.0
# Curves that are smooth, and such that drop at few times while times are whole.
_KINDS = {"smooth curves": False, "coarse steps and whole times": True}


def run(quick: bool) -> list[Measure]:
    """Measure all sizes."""
    sizes = (10**4,) if quick else (10**4, 10**5)
    return [m for n in sizes for name in _KINDS for m in measure(n, name)]


def measure(n: int, name: str) -> list[Measure]:
    """Measure one size; targets hold at 10⁵ subjects."""
    coarse = _KINDS[name]
    q, y = conformal_set(n, whole=coarse)
    reading = _reading(q, coarse)
    calls = {
        "shifts": _make("time", "kaplan-meier", q, y),
        "found": _make("recalibrated", "auto", reading, y),
    }
    adjustment: Any = calls["found"]()
    times = race({**calls, "applied": lambda: adjustment.apply(reading)}, rounds=3)
    label = f"N = {n:,}, {name}: "
    target = 15 if n >= 10**5 else None
    found = [
        Measure.of_times(
            CASE, f"{label}found / shifts", times["found"], times["shifts"], target
        ),
        Measure.of_times(
            CASE, f"{label}applied / shifts", times["applied"], times["shifts"]
        ),
    ]
    sides = peak_memory(calls["found"]), reading.nbytes
    text = f"{label}extra memory of finding / what is read"
    return [*found, Measure.of_bytes(CASE, text, sides)]


def _reading(q: Any, coarse: bool) -> Any:
    """Return what is read off the same curves at fine levels; they go on for ever."""
    median = q[:, [list(LEVELS).index(0.5)]]
    fine = median * (np.log(FINE_LEVELS) / np.log(0.5)) ** (1 / _SHAPE)
    if coarse:
        fine = np.ceil(fine / _DROPS) * _DROPS
    return np.column_stack([fine, np.zeros(len(q)), np.full(len(q), np.inf)])


def _make(name: str, censoring: str, reading: Any, y: Outcome) -> Callable[[], object]:
    kind = adjustment_kind(name)
    rule, rng = kind.choose_rule(censoring, None), np.random.default_rng(0)
    return lambda: kind.make([Block(reading, LEVELS, y)], rule, rng)
