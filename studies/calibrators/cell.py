"""One cell: a dataset, a model and a seed; every calibrator on the same folds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from consurv import ConformalSurvival
from consurv._checks import Float
from consurv.conformal.reading.raw_model import RawModel
from consurv.curves.curves import SurvivalCurves
from consurv.models import make_model
from consurv.outcome import Outcome
from studies.calibrators.rivals import RIVALS, Calibrator
from studies.evaluation import describe_error
from studies.folds import Trained, fit, scores_of, trained
from studies.limits import one_thread

__all__ = ["OURS", "X_CAL", "contestants", "record"]

OURS, PUBLISHED, X_CAL = "our default", "CSD as published", "X-cal training"
# Curves of the folds are put on one grid of so many times.
_POINTS = 400
# The network whose loss X-cal changes, and with which weight.
_NETWORK, _WEIGHT = "lognormal", 1e3


def contestants() -> dict[str, Calibrator]:
    """Return those that learn from out-of-fold curves, by name.

    Examples
    --------
    >>> list(contestants())[:2]
    ['our default', 'CiPOT']
    """
    return {OURS: _ours(), "CiPOT": _ours(adjustment="level", censoring="uniform")} | (
        RIVALS
    )


def _ours(**options: Any) -> Calibrator:
    def calibrate(
        curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
    ) -> SurvivalCurves:
        return ConformalSurvival.from_curves(curves, outcome, **options).calibrate(new)

    return calibrate


def record(dataset: str, model: str, seed: int) -> dict[str, Any]:
    """Return the record of a cell; an error becomes part of it."""
    found: dict[str, Any] = {"dataset": dataset, "model": model, "seed": seed}
    try:
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {**found, **_run(dataset, model, seed)}
    except Exception as error:  # the run goes on
        return {**found, "error": describe_error(error)}


def _run(dataset: str, model: str, seed: int) -> dict[str, Any]:
    models = trained(dataset, model, seed)
    split, final = models.split, models.final
    times = _times(split.train[1])
    test, own = (_on(times, final.curves(X)) for X in (split.test[0], split.train[0]))
    unseen = _out_of_fold(models, times)
    scores, seconds = {"raw": scores_of(split, test)}, {}
    tried = {name: (each, unseen) for name, each in contestants().items()}
    tried[PUBLISHED] = _ours(adjustment="time", censoring="kaplan-meier"), own
    for name, (calibrator, known) in tried.items():
        start = time.process_time()
        curves = calibrator(known, split.train[1], test)
        seconds[name] = time.process_time() - start
        scores[name] = scores_of(split, curves)
    if model == _NETWORK:
        other = make_model(model, seed).set_params(loss="x-cal", weight=_WEIGHT)
        raw = RawModel(fit(other, split.train))
        scores[X_CAL] = scores_of(split, _on(times, raw.curves(split.test[0])))
    return {"scores": scores, "seconds": seconds}


def _out_of_fold(models: Trained, times: Float) -> SurvivalCurves:
    """Return the curves of the training rows by models that did not see them."""
    survival = np.empty((len(models.split.train[1]), len(times)))
    for fold in models.folds:
        X, _ = models.own(fold)
        survival[fold.rows] = fold.model.curves(X).survival_at(times)
    return SurvivalCurves(times, survival)


def _times(y: Outcome) -> Float:
    """Return the grid: quantiles of the observed times, and some way beyond."""
    inside = np.unique(np.quantile(y.time, np.linspace(0, 1, _POINTS)))
    return np.concatenate([inside, inside[-1] * np.array([1.25, 1.5, 2.0, 3.0])])


def _on(times: Float, curves: SurvivalCurves) -> SurvivalCurves:
    return SurvivalCurves(times, curves.survival_at(times))
