"""A calibrated model as plain values and objects that can be kept, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from consurv.conformal.keeping.store import adjustment_of_bytes, bytes_of_adjustment
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["facts_of", "features_of", "fill", "settings_of", "state_of", "told_model"]

_FEATURES = ("n_features_in_", "feature_names_in_", "fit_seconds_", "imputer_")
_KEPT = (str, int, float, np.generic, list, tuple, np.ndarray, KaplanMeier, type(None))


def state_of(model: Any) -> dict[str, Any]:
    """Return what a calibrated model is made of.

    The trained model stands for the untrained one, too. A setting that is code, a
    censoring rule of your own, is its default after loading; predictions do not need
    it.
    """
    return {
        "settings": settings_of(model, "estimator"),
        "estimator": model.estimator_,
        "adjustment": bytes_of_adjustment(model.adjustment_),
        "seen": {k: getattr(model, k) for k in _FEATURES if hasattr(model, k)},
    }


def settings_of(model: Any, *models: str) -> dict[str, Any]:
    """Return the settings of an estimator that are data, without its models."""
    settings = model.get_params(deep=False)
    kept = {k: v for k, v in settings.items() if isinstance(v, _KEPT)}
    return {name: value for name, value in kept.items() if name not in models}


def fill(kind: Any, state: Mapping[str, Any]) -> Any:
    """Return a model of class *kind* as ``state_of`` told of it."""
    model = kind(state["estimator"], **state["settings"])
    seen = dict(state["seen"])
    if not set(seen) <= set(_FEATURES):
        raise ValueError("it sets what no model sets")
    imputer = seen.pop("imputer_", None)
    adjustment = adjustment_of_bytes(state["adjustment"])
    model._set_state(state["estimator"], None, adjustment, imputer)
    model.__dict__.update(seen)
    return model


def facts_of(model: Any) -> dict[str, Any]:
    """Return what a reader wants to know before loading."""
    adjustment = model.adjustment_
    groups, weighing = adjustment.groups, adjustment.weighing
    return {
        "model": told_model(model.estimator_),
        "adjustment": adjustment.kind,
        "levels": [float(level) for level in adjustment.levels],
        "conformal_set": adjustment.conformal_set,
        "n_conformal": int(adjustment.n_conformal),
        "groups": None if groups is None else list(groups.labels),
        "group_column": None if groups is None else groups.column,
        "weights": None if weighing is None else weighing.to_stored(),
        "time_unit": model.time_unit,
        **features_of(model),
    }


def features_of(model: Any) -> dict[str, Any]:
    """Return number and names of the features of a fitted model."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "n_features": getattr(model, "n_features_in_", None),
        "features": None if names is None else [str(name) for name in names],
    }


def told_model(estimator: Any) -> str:
    """Return the name of a model, with those inside it."""
    kind = type(estimator).__name__
    if hasattr(estimator, "steps"):
        return f"{kind}({', '.join(told_model(step) for _, step in estimator.steps)})"
    for inner in ("best_estimator_", "model_", "module", "estimator"):
        if hasattr(estimator, inner):
            return f"{kind}({told_model(getattr(estimator, inner))})"
    return str(getattr(estimator, "__name__", kind))
