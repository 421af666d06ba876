"""What calibration adds to a booster that is fitted: ``python -m benchmarks.boosters``.

Fit and prediction of the booster itself, hist and one thread, beside ``conformalize``
on 10,000 other rows and the calibrated curves of all rows, in CPU time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from consurv import ConformalSurvival, Outcome
from consurv.models import XGBSurvivalAFT, XGBSurvivalCox

_CONFORMAL = 10_000
_KINDS = {"AFT": XGBSurvivalAFT, "Cox": XGBSurvivalCox}


def main() -> None:
    """Print one line for each objective and kind of adjustment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--adjustments", default="recalibrated,time")
    parser.add_argument("--objectives", default="AFT,Cox")
    asked = parser.parse_args()
    X, y = _simulate(asked.rows, asked.features)
    X_new, y_new = _simulate(_CONFORMAL, asked.features, seed=1)
    for name in asked.objectives.split(","):
        model = _KINDS[name](
            n_estimators=asked.trees,
            max_depth=6,
            early_stopping_rounds=None,
            n_jobs=1,
            params={"tree_method": "hist"},
        )
        fit, _ = _timed(lambda model=model: model.fit(X, y))
        raw, _ = _timed(lambda model=model: model._margin(X))
        for kind in asked.adjustments.split(","):
            calibrated = ConformalSurvival(model, adjustment=kind, random_state=0)
            step, _ = _timed(lambda c=calibrated: c.conformalize(X_new, y_new))
            predict, curves = _timed(
                lambda c=calibrated: c.predict_survival_function(X)
            )
            assert len(curves) == len(X)
            added = step + predict - raw
            print(
                f"{name} {kind}: fit {fit:.1f} s, predict {raw:.1f} s; conformalize "
                f"{step:.2f} s, calibrated curves {predict:.1f} s: "
                f"{100 * added / (fit + raw):.1f} % added"
            )


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    # Of one thread it is the wall time of a quiet machine.
    start = process_time()
    found = call()
    return process_time() - start, found


def _simulate(n: int, m: int, seed: int = 0) -> tuple[Any, Outcome]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)).astype(np.float32)
    time = 10 * np.exp(0.5 * X[:, 0] - 0.3 * X[:, 1]) * rng.weibull(1.3, n)
    limit = rng.exponential(20, n)
    return X, Outcome(np.minimum(time, limit), time <= limit)


if __name__ == "__main__":
    main()
