"""One cell: a dataset, a model and a seed; every calibrator on the same folds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from consurv import ConformalSurvival
from consurv._checks import Float
from consurv.adapters import adapter_for
from consurv.conformal.reading.raw_model import RawModel
from consurv.conformal.sets.alignment import Anchor
from consurv.curves.curves import SurvivalCurves
from consurv.metrics import evaluate
from consurv.models import make_model
from consurv.outcome import Outcome
from studies.calibrators.rivals import RIVALS, Calibrator
from studies.evaluation import describe_error
from studies.harm.cell import make
from studies.harm.sources import load
from studies.limits import one_thread
from studies.protocol import Split, split_table

__all__ = ["OURS", "X_CAL", "contestants", "record"]

OURS, PUBLISHED, X_CAL = "our default", "CSD as published", "X-cal training"
_FOLDS = 5
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
    X, y, impute = load(dataset)
    split = split_table(X, y, seed, False, impute)
    times = _times(split.train[1])
    final = _trained(make(model, seed), *split.train)
    test, own = (_curves(final, data[0], times) for data in (split.test, split.train))
    unseen = _out_of_fold(model, seed, split, times, RawModel(final))
    scores, seconds = {"raw": _scores(split, test)}, {}
    tried = {name: (each, unseen) for name, each in contestants().items()}
    tried[PUBLISHED] = _ours(adjustment="time", censoring="kaplan-meier"), own
    for name, (calibrator, known) in tried.items():
        start = time.process_time()
        curves = calibrator(known, split.train[1], test)
        seconds[name] = time.process_time() - start
        scores[name] = _scores(split, curves)
    if model == _NETWORK:
        other = make_model(model, seed).set_params(loss="x-cal", weight=_WEIGHT)
        trained = _trained(other, *split.train)
        scores[X_CAL] = _scores(split, _curves(trained, split.test[0], times))
    return {"scores": scores, "seconds": seconds}


def _out_of_fold(
    model: str, seed: int, split: Split, times: Float, final: RawModel
) -> SurvivalCurves:
    """Return the curves of the training rows by models that did not see them.

    Those that stop early are aligned with the final one, as ``ConformalSurvival`` does;
    all contestants learn from the same curves.
    """
    X, y = split.train
    stops = final.adapter.takes_validation(final.estimator)
    anchor = Anchor.of(final, X) if stops else None
    fold = np.random.default_rng(seed).permutation(len(y)) % _FOLDS
    survival = np.empty((len(y), len(times)))
    for i in range(_FOLDS):
        rest, own = np.flatnonzero(fold != i), np.flatnonzero(fold == i)
        folded = RawModel(_trained(make(model, seed), X.iloc[rest], y[rest]))
        if anchor is not None:
            folded = anchor.align(folded, X, rest)
        survival[own] = folded.curves(X.iloc[own]).survival_at(times)
    return SurvivalCurves(times, survival)


def _times(y: Outcome) -> Float:
    """Return the grid: quantiles of the observed times, and some way beyond."""
    inside = np.unique(np.quantile(y.time, np.linspace(0, 1, _POINTS)))
    return np.concatenate([inside, inside[-1] * np.array([1.25, 1.5, 2.0, 3.0])])


def _trained(template: Any, X: Any, y: Outcome) -> Any:
    return adapter_for(template).fit(template, X, y, None)


def _curves(model: Any, X: Any, times: Float) -> SurvivalCurves:
    return SurvivalCurves(times, adapter_for(model).curves(model, X).survival_at(times))


def _scores(split: Split, curves: SurvivalCurves) -> dict[str, float]:
    found = evaluate(split.test[1], curves, y_train=split.kaplan_meier)
    return {name: float(value) for name, value in found.as_dict().items()}
