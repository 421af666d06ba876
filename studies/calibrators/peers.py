"""``make peers``: our rivals against the packages that have them, to 1e-6.

hazardous 0.2 subtracts the *absolute* difference between the mean curve and
Kaplan–Meier, so that a model that is too pessimistic becomes more so; its formula, and
ours, has the sign. So they are held against each other where the model is too
optimistic, and the rest is told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from consurv import Outcome, SurvivalCurves
from consurv._checks import Float
from studies.calibrators.rivals import breslow_slope, isotonic, km_shift

__all__ = ["PEERS", "main"]

_CLOSE = 1e-6
_TIMES = np.linspace(0.25, 60, 240)


def _subjects(n: int, seed: int, stretch: float) -> tuple[SurvivalCurves, Outcome]:
    rng = np.random.default_rng(seed)
    x = rng.normal(scale=0.6, size=n)
    time, limit = rng.exponential(8 * np.exp(x)), rng.exponential(30, n)
    said = np.exp(-_TIMES / (stretch * 8 * np.exp(0.7 * x[:, None])))
    outcome = Outcome(np.minimum(time, limit), time <= limit)
    return SurvivalCurves(_TIMES, said), outcome


def hazardous() -> float:
    """Return the largest difference to hazardous where the model is optimistic."""
    import pandas as pd

    theirs = import_module("hazardous.metrics._km_calibration")
    (curves, y), (new, _) = _subjects(220, 0, 1.5), _subjects(100, 1, 1.5)
    times = np.unique(y.time[y.event])
    mean = curves.survival_at(times).mean(axis=0)
    found = theirs.recalibrate_survival_function_predictions(
        new.survival_at(times),
        curves.survival_at(times),
        pd.DataFrame({"event": y.event.astype(int), "duration": y.time}),
        times,
    )
    # What they take for the curve of all tells where the sign is lost.
    off = (new.survival_at(times) - found)[0]
    optimistic = mean > _marginal(y, times)
    sys.stdout.write(
        f"hazardous: {int((~optimistic).sum())} of {len(times)} times at which the "
        "mean curve is too low, and is lowered further\n"
    )
    ours = new.survival_at(times)[0] - km_shift(curves, y, new).survival_at(times)[0]
    inside = optimistic & (new.survival_at(times)[0] > off)
    return float(np.abs(ours - off)[inside].max())


def _marginal(y: Outcome, times: Float) -> Float:
    from consurv import KaplanMeier

    return KaplanMeier(y).survival_at(times)


def mlsurv_isotonic() -> float:
    """Return the largest difference to mlsurv's isotonic maps at their horizons."""
    recalibration = import_module("mlsurv.evaluation._recalibration")
    (curves, y), (new, _) = _subjects(400, 2, 1.5), _subjects(100, 3, 1.5)
    happened = y.time[y.event]
    horizons = np.unique(np.quantile(happened, np.linspace(0.02, 0.98, 20)))
    maps, _ = recalibration._fit_isotonic_recalibrators(
        curves.survival_at(horizons), horizons, _structured(y)
    )
    theirs = np.stack(
        [maps[float(h)].predict(new.survival_at([h])[:, 0]) for h in horizons], axis=1
    )
    theirs = np.minimum.accumulate(theirs, axis=1)
    return float(np.abs(isotonic(curves, y, new).survival_at(horizons) - theirs).max())


def mlsurv_breslow() -> float:
    """Return the largest difference to mlsurv's Breslow with a slope."""
    calibrators = import_module("mlsurv.evaluation._calibrators")
    (curves, y), (new, _) = _subjects(400, 4, 1.5), _subjects(100, 5, 1.5)
    middle = [float(np.median(y.time))]

    def index(some: SurvivalCurves) -> Float:
        score: Float = np.log(-np.log(some.survival_at(middle)))[:, 0]
        return score

    class Scores:
        def predict(self, X: Any) -> Float:
            return index(new)

    times = np.unique(y.time[y.event])[::5]
    theirs = calibrators.BreslowSlopeCalibrator().fit(
        y_train=_structured(y), horizons=times, oof_scores=index(curves)
    )
    found = theirs.apply(pipeline=Scores(), X=None, surv_probs=None, eval_times=times)
    return float(np.abs(breslow_slope(curves, y, new).survival_at(times) - found).max())


def _structured(y: Outcome) -> Any:
    found = np.empty(len(y), dtype=[("event", bool), ("time", float)])
    found["event"], found["time"] = y.event, y.time
    return found


PEERS: dict[str, Callable[[], float]] = {
    "hazardous, Kaplan–Meier shift": hazardous,
    "mlsurv, isotonic with IPCW": mlsurv_isotonic,
    "mlsurv, Breslow with a slope": mlsurv_breslow,
}


def main() -> int:
    """Compare with every peer that is installed; 1 if one disagrees."""
    worst = 0.0
    for name, compare in PEERS.items():
        try:
            gap = compare()
        except ImportError as error:
            sys.stdout.write(f"{name}: not installed ({error.name})\n")
            continue
        worst = max(worst, gap)
        sys.stdout.write(f"{name}: {gap:.1e} apart\n")
    return int(worst > _CLOSE)


if __name__ == "__main__":
    sys.exit(main())
