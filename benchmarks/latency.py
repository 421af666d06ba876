"""One row by a model that was saved and loaded: ``python -m benchmarks.latency``.

The raw model's own ``predict_survival_function`` and the calibrated one take turns, of
20 calls each: garbage collection between the turns makes a first call slow.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from lifelines import WeibullAFTFitter

from benchmarks.timing import race
from consurv import ConformalSurvival, Outcome, load
from consurv.adapters import adapter_for
from consurv.models import CoxPH

__all__ = ["kept_file", "simulate"]

_CALLS = 20


def main() -> None:
    """Print one line for each model and kind of adjustment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    asked = parser.parse_args()
    X, y = simulate()
    row = X[:1]
    for model in (WeibullAFTFitter(), CoxPH()):
        fitted = adapter_for(model).fit(model, X, y)
        for kind in ("recalibrated", "time"):
            calibrated = _kept(ConformalSurvival(fitted, adjustment=kind), X, y)
            times = race(
                {
                    "raw": lambda m=fitted: _ask(m, row),
                    "calibrated": lambda c=calibrated: _ask(c, row),
                },
                asked.rounds,
            )
            raw, own = (
                1000 * statistics.median(times[name].cpu) / _CALLS
                for name in ("raw", "calibrated")
            )
            print(
                f"{type(model).__name__} {kind}: raw {raw:.2f} ms, calibrated "
                f"{own:.2f} ms, at most {1.3 * raw + 1:.2f} ms wanted"
            )


def _ask(model: Any, row: Any) -> None:
    for _ in range(_CALLS):
        model.predict_survival_function(row)


def _kept(model: ConformalSurvival, X: Any, y: Outcome) -> ConformalSurvival:
    with tempfile.TemporaryDirectory() as folder:
        return load(kept_file(model.conformalize(X, y), Path(folder)))


def kept_file(model: ConformalSurvival, folder: Path) -> Path:
    """Save a model in a folder; return where."""
    path = folder / "m.consurv"
    model.save(path)
    return path


def simulate(n: int = 1000, m: int = 8) -> tuple[pd.DataFrame, Outcome]:
    """Return features and outcomes of 1,000 subjects."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, m)), columns=[f"x{i}" for i in range(m)])
    time, limit = rng.exponential(np.exp(X["x0"])), rng.exponential(2, n)
    return X, Outcome(np.minimum(time, limit), time <= limit)


if __name__ == "__main__":
    main()
