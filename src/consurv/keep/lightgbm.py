"""Models of LightGBM, in its own text."""

from __future__ import annotations

from typing import Any

import lightgbm

from consurv.keep.classes import class_path, find_class, rebuild
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_HOMES = ("lightgbm.sklearn",)
# What training has said of itself.
_LEFT_OUT = ("_evals_result", "_best_score")


def store(value: Any) -> Any:
    """Return the trees, and the attributes of a scikit-learn class."""
    if isinstance(value, lightgbm.Booster):
        return {"booster": value.model_to_string(num_iteration=-1)}
    if not isinstance(value, lightgbm.LGBMModel):
        raise NotPlain(f"a {type(value).__name__} of LightGBM")
    state = {k: v for k, v in vars(value).items() if k not in _LEFT_OUT}
    return {"class": class_path(type(value)), "state": state}


def restore(state: Any) -> Any:
    """Return the model."""
    if "booster" in state:
        return lightgbm.Booster(model_str=state["booster"])
    return rebuild(
        find_class(state["class"], _HOMES, lightgbm.LGBMModel),
        {"_evals_result": {}, "_best_score": {}, **state["state"]},
    )
