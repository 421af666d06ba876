"""One cell: a truth, a size, a model and a seed; calibrated as users do it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from consurv import ConformalSurvival, SurvivalCurves
from consurv.adapters import adapter_for
from studies.bed.judge import Errors, judge
from studies.evaluation import describe_error
from studies.folds import make
from studies.limits import one_thread
from studies.whole.truth import Truth, truth_of

__all__ = ["CONTESTANTS", "record", "run"]

CONTESTANTS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "holdout": {"conformal_set": "holdout"},
    "training rows": {"conformal_set": "train"},
    "0.1.0": {"adjustment": "time", "conformal_set": "paper"},
}
_INTERVAL = np.array([0.9, 0.1])


def record(place: str, model: str, seed: int) -> dict[str, Any]:
    """Return the record of a cell; an error becomes part of it.

    Parameters
    ----------
    place : str
        Truth and size, such as ``"weibull.indep40@600"``.
    model : str
    seed : int
    """
    found: dict[str, Any] = {"dataset": place, "model": model, "seed": seed}
    try:
        with one_thread():
            return {**found, "scores": run(place, model, seed)}
    except Exception as error:  # the run goes on
        return {**found, "error": describe_error(error)}


def run(place: str, model: str, seed: int) -> dict[str, dict[str, float]]:
    """Return the errors of the raw model and of every contestant."""
    name, _, n = place.partition("@")
    truth = truth_of(name)
    X, y = truth.sample(int(n), np.random.default_rng([seed, int(n)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapter = adapter_for(make(model, seed))
        raw = adapter.curves(adapter.fit(make(model, seed), X, y), truth.x_test)
        scores = {"raw": _scores(truth, raw, raw)}
        for name, how in CONTESTANTS.items():
            post = ConformalSurvival(make(model, seed), random_state=seed, **how)
            curves = post.fit(X, y).predict_survival_function(truth.x_test)
            scores[name] = _scores(truth, raw, curves)
    return scores


def _scores(
    truth: Truth, raw: SurvivalCurves, curves: SurvivalCurves
) -> dict[str, float]:
    found = judge(truth, raw, curves)
    early, late = curves.percentile_times(_INTERVAL).T[:, :, None]
    x, end = truth.x_test, truth.end
    inside = truth.law.s(np.clip(early, 1e-12, end), x) - truth.law.s(late, x)
    errors = {n: getattr(found, n) for n in Errors._fields[:3]}
    return {**errors, "coverage": float(inside.mean())}
