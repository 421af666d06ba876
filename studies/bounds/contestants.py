"""Who is compared: ways from two forests and calibration subjects to bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv import ConformalLowerBound, ConformalSurvival
from consurv._checks import Float
from consurv.bounds.forest import NeighbourForest
from consurv.conformal.censoring.nuisance import flipped
from consurv.conformal.reading.curve_rows import CurveRows
from studies.bounds.world import World

__all__ = ["CONTESTANTS", "COVERAGE", "Fitted", "calibrated", "fitted", "screening"]

COVERAGE = 0.9


@dataclass(frozen=True)
class Fitted:
    """A world with what the forests say of those who calibrate and test.

    They predict once: all contestants see the same curves.
    """

    world: World
    event: CurveRows
    censoring: CurveRows

    @property
    def calibration(self) -> Float:
        """Rows that stand for those who calibrate."""
        return self.event.numbers(0)

    @property
    def test(self) -> Float:
        """Rows that stand for those who test."""
        return self.event.numbers(1)


def fitted(world: World, leaf: int) -> Fitted:
    """Train both forests."""
    found = []
    for y in (world.y_train, flipped(world.y_train)):
        forest = NeighbourForest(min_samples_leaf=leaf, random_state=0)
        forest.fit(world.X_train, y)
        predict = forest.predict_survival_function
        found.append(CurveRows(predict(world.X_calibration), predict(world.X_test)))
    return Fitted(world, *found)


def _raw(fit: Fitted) -> Float:
    curves = fit.event.predict_survival_function(fit.test)
    return curves.percentile_times([COVERAGE])[:, 0]


def _curves(**settings: Any) -> Callable[[Fitted], Float]:
    def bound(fit: Fitted) -> Float:
        model = ConformalSurvival(fit.event, **settings)
        model.conformalize(fit.calibration, fit.world.y_calibration)
        return model.predict_quantile(fit.test, [COVERAGE])[:, 0]

    return bound


def _bound(method: str, *, limit: bool = False, **settings: Any) -> Any:
    def bound(fit: Fitted) -> Float:
        model = calibrated(fit, method, limit=limit, **settings)
        return model.predict_lower_bound(fit.test)

    return bound


def calibrated(
    fit: Fitted, method: str, *, limit: bool = False, **settings: Any
) -> ConformalLowerBound:
    """Return a calibrated bound; with *limit* C of everybody is known."""
    model = ConformalLowerBound(
        fit.event,
        method=method,
        censoring_model=fit.censoring,
        coverage=COVERAGE,
        random_state=0,
        **settings,
    )
    known = fit.world.limit if limit else None
    y = fit.world.y_calibration
    return model.conformalize(fit.calibration, y, censoring_time=known)


CONTESTANTS: dict[str, Callable[[Fitted], Float]] = {
    "raw": _raw,
    "recalibrated": _curves(),
    "CSD": _curves(adjustment="time", censoring="kaplan-meier"),
    "CiPOT": _curves(adjustment="level"),
    "kaplan-meier": _bound("kaplan-meier"),
    "aipcw": _bound("aipcw"),
    "aipcw, clipped": _bound("aipcw", clip=0.9, least_seen=None),
    "ipcw": _bound("ipcw"),
    "ipcw, Hájek": _bound("ipcw", stabilise=True, clip=0.9, least_seen=None),
    "dr-cosarc": _bound("dr-cosarc"),
    "focused": _bound("focused"),
    "fused": _bound("fused"),
    "fixed, C known": _bound("fixed", limit=True),
    "adaptive, C known": _bound("adaptive", limit=True),
}


def screening(fit: Fitted) -> list[float]:
    """Return the shares of false discoveries, of the flagged, and of who survives.

    Asked for is survival of the time until which a fifth of the test subjects have the
    event, with at most a tenth of false discoveries.
    """
    time = float(np.quantile(fit.world.time, 0.2))
    time = min(time, float(fit.world.y_calibration.time.max()))
    found = calibrated(fit, "ipcw").screen(fit.test, time, survival=0.9, fdr=0.1)
    chosen = found.selected
    false = chosen & (fit.world.time <= time)
    share = float(false.sum() / max(chosen.sum(), 1))
    return [share, float(chosen.mean()), float(np.mean(fit.world.time > time))]
