"""A variant evaluated on the test set: the part of a record that holds metrics."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.curves.curves import SurvivalCurves
from consurv.metrics import evaluate
from consurv.metrics.evaluate import Evaluation
from studies.memory import peak_memory
from studies.predictions import Predictions
from studies.preset.conformal import joined_as_authors
from studies.preset.metrics import evaluate_as_paper
from studies.variants import Variant

__all__ = ["describe_error", "evaluate_variant"]

# Runs that a time of the study of costs is the median of.
_REPEATS = 3
# Points of a mean curve that are kept for the figures.
_CURVE_POINTS = 100


def evaluate_variant(
    predictions: Predictions, variant: Variant, seed: int, study: str
) -> dict[str, Any]:
    """Return the entry of a variant in a record; an error becomes part of it."""
    entry: dict[str, Any] = {
        "name": variant.name,
        "adjustment": variant.adjustment,
        "censoring": variant.censoring,
        "n_samples": variant.n_samples,
        "conformal_set": None,
        "percentiles": variant.percentiles,
        "status": "done",
        "error": None,
        "metrics": {},
        "counts": {"n_conformal": None, "n_rearranged": None, "n_clipped": None},
        "seconds": {"conformalize": None, "predict": None, "evaluate": None},
        "peak_memory": None,
        "warnings": [],
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fill(entry, predictions, variant, seed, study)
        except Exception as error:  # the other variants can still be evaluated
            entry.update(status="failed", error=describe_error(error), metrics={})
    texts = dict.fromkeys(" ".join(str(w.message).split()) for w in caught)
    entry["warnings"] = list(texts)
    return entry


def describe_error(error: BaseException) -> dict[str, str]:
    """Return an error as a record keeps it."""
    return {"type": type(error).__name__, "message": " ".join(str(error).split())}


def _fill(
    entry: dict[str, Any],
    predictions: Predictions,
    variant: Variant,
    seed: int,
    study: str,
) -> None:
    seconds, result = entry["seconds"], None
    if not variant.is_raw:
        entry["conformal_set"] = predictions.policy(variant.conformal_set or "")
        found = predictions.conformalize(variant, seed)
        result, seconds["conformalize"] = found.adjustment, found.seconds
        if study == "cost":
            _measure(entry, predictions, variant, seed)
    curves, seconds["predict"] = _timed(lambda: _curves(predictions, result))
    split = predictions.split
    measured = curves
    if predictions.causes.conformal == "paper":
        measured = joined_as_authors(curves)
    measure: Callable[..., Evaluation] = (
        evaluate_as_paper if predictions.causes.metrics == "paper" else evaluate
    )
    evaluation, seconds["evaluate"] = _timed(
        lambda: measure(split.test[1], measured, y_train=split.kaplan_meier)
    )
    _put_metrics(entry, evaluation)
    if result is not None and isinstance(curves, AdjustedCurves):
        entry["counts"] = {
            "n_conformal": result.n_conformal,
            "n_rearranged": curves.n_rearranged,
            "n_clipped": curves.n_clipped,
        }
    identified = getattr(result, "identified", None)
    if identified is not None:
        entry["counts"]["n_unidentified"] = int((~identified).sum())
    if study == "main" and "reasons" not in entry:  # of what is not finite, no figure
        entry["details"] = _details(evaluation)


def _curves(predictions: Predictions, result: Adjustment | None) -> SurvivalCurves:
    return predictions.raw if result is None else predictions.adjusted(result)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = perf_counter()
    result = work()
    return result, perf_counter() - start


def _measure(
    entry: dict[str, Any], predictions: Predictions, variant: Variant, seed: int
) -> None:
    """Measure conformalizing afresh, after the run that gave the result."""
    runs = [predictions.fresh().conformalize(variant, seed) for _ in range(_REPEATS)]
    entry["seconds"].update(
        conformalize=median(run.seconds for run in runs),
        shifts=median(run.shift_seconds for run in runs),
    )
    entry["peak_memory"] = peak_memory(lambda: predictions.conformalize(variant, seed))


def _put_metrics(entry: dict[str, Any], evaluation: Evaluation) -> None:
    metrics = evaluation.as_dict()
    broken = {name: v for name, v in metrics.items() if not math.isfinite(v)}
    entry["metrics"] = {
        name: None if name in broken else value for name, value in metrics.items()
    }
    if broken:
        entry["reasons"] = {name: f"the metric is {v}" for name, v in broken.items()}


def _details(evaluation: Evaluation) -> dict[str, Any]:
    d_cal, km_cal = evaluation.d_calibration, evaluation.km_calibration
    kept = np.unique(
        np.linspace(0, len(km_cal.times) - 1, _CURVE_POINTS).round().astype(int)
    )
    return {
        "pp": {"levels": _listed(d_cal.levels), "observed": _listed(d_cal.cumulative)},
        "mean_curve": {
            "times": km_cal.times[kept].tolist(),
            "survival": _listed(km_cal.mean_curve[kept]),
            "kaplan_meier": _listed(km_cal.km[kept]),
        },
    }


def _listed(values: Float) -> list[float]:
    rounded: list[float] = values.round(6).tolist()
    return rounded
