"""What a report says about the model, the data and the software."""

from __future__ import annotations

import platform
from typing import Any

from consurv._versions import __version__, installed_versions
from consurv._weights import Weighing
from consurv.conformal.estimator import ConformalSurvival
from consurv.conformal.sets.conformal_sets import CONFORMAL_SETS
from consurv.outcome import Outcome
from consurv.report.predictions import Predictions

__all__ = ["about_data", "about_model", "about_rows", "model_title", "versions"]

_LIBRARIES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "lifelines",
    "scikit-survival",
)


def model_title(estimator: Any) -> str:
    """Return a short name of a model, with the steps of a pipeline.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> model_title(make_pipeline(StandardScaler(), Ridge()))
    'StandardScaler → Ridge'
    """
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list):
        return " → ".join(model_title(step) for _, step in steps)
    return str(getattr(estimator, "__name__", type(estimator).__name__))


def about_model(model: ConformalSurvival) -> dict[str, str]:
    """Return what was done, by name."""
    adjustment, levels = model.adjustment_, model.levels_
    policy = adjustment.conformal_set
    rule = adjustment.censoring
    if adjustment.n_samples is not None:
        rule = f"{rule}, {adjustment.n_samples:,} draws for each censored subject"
    groups = adjustment.groups
    return {
        "Model": model_title(model.estimator_),
        "Method": adjustment.method,
        "Conformal set": f"{policy}: {CONFORMAL_SETS[policy].meaning}",
        "Conformal subjects": f"{model.n_conformal_:,}{_weighed(adjustment.weighing)}",
        **({} if groups is None else {"Groups": groups.told}),
        "Levels": f"{len(levels):,}, from {levels.min():g} to {levels.max():g}",
        "Censoring rule": rule,
        "Crossing curves": f"rearranged, {adjustment.rearrange}"
        if adjustment.can_cross
        else "none can cross",
    }


def about_data(y: Outcome, time_unit: str | None = None) -> dict[str, str]:
    """Return what the outcomes hold, by name."""
    n, unit = len(y), f" {time_unit}" if time_unit else ""
    return {
        "Subjects": f"{n:,}{_weighed(y.weighing)}",
        "Events": f"{y.n_events:,}",
        "Censored": f"{n - y.n_events:,} ({1 - y.n_events / n:.1%})",
        "Last observed time": f"{y.time.max():.4g}{unit}",
    }


def _weighed(weighing: Weighing | None) -> str:
    return "" if weighing is None else f", {weighing.told}"


def about_rows(predictions: Predictions) -> list[tuple[str, int, float]]:
    """Return what happened to how many subjects: what, number and share."""
    curves = predictions.calibrated
    counts = {
        "Raw tail extrapolated": predictions.n_extrapolated,
        "Rearranged": curves.n_rearranged,
        "Clipped at 0": curves.n_clipped,
        "Never comes down": predictions.n_infinite,
    }
    return [(what, count, count / len(curves)) for what, count in counts.items()]


def versions() -> dict[str, str]:
    """Return the versions of what is installed of the libraries that matter."""
    own = {"consurv": __version__, "Python": platform.python_version()}
    return own | installed_versions(_LIBRARIES)
