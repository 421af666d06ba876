"""Models of CatBoost, in its own binary form."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import catboost

from consurv.keep.classes import class_path, find_class
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_HOMES = ("catboost.core",)


def store(value: Any) -> Any:
    """Return trees and settings."""
    if not isinstance(value, catboost.CatBoost):
        raise NotPlain(f"a {type(value).__name__} of CatBoost")
    trees = None
    if value.is_fitted():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.cbm"
            value.save_model(str(path))
            trees = path.read_bytes()
    return {
        "class": class_path(type(value)),
        "settings": value.get_params(),
        "trees": trees,
    }


def restore(state: Any) -> Any:
    """Return the model."""
    kind = find_class(state["class"], _HOMES, catboost.CatBoost)
    model = kind(**state["settings"])
    if state["trees"] is not None:
        model.load_model(blob=state["trees"])
    return model
