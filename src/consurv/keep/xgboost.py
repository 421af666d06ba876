"""Models of XGBoost, in its own binary JSON."""

from __future__ import annotations

from typing import Any

import xgboost

from consurv.keep.classes import class_path, find_class
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_HOMES = ("xgboost.sklearn",)


def store(value: Any) -> Any:
    """Return the trees, and the settings of a scikit-learn class."""
    if isinstance(value, xgboost.Booster):
        return {"booster": bytes(value.save_raw("ubj")), "threads": _threads(value)}
    if not isinstance(value, xgboost.XGBModel):
        raise NotPlain(f"a {type(value).__name__} of XGBoost")
    trained = value.__sklearn_is_fitted__()
    return {
        "class": class_path(type(value)),
        "settings": value.get_params(deep=False),
        "booster": bytes(value.get_booster().save_raw("ubj")) if trained else None,
    }


def restore(state: Any) -> Any:
    """Return the model."""
    if "class" not in state:
        booster = xgboost.Booster({"nthread": state["threads"]})
        booster.load_model(bytearray(state["booster"]))
        return booster
    model = find_class(state["class"], _HOMES, xgboost.XGBModel)(**state["settings"])
    if state["booster"] is not None:
        model.load_model(bytearray(state["booster"]))
    return model


def _threads(booster: Any) -> int:
    import json

    config = json.loads(booster.save_config())
    return int(config["learner"]["generic_param"]["nthread"])
