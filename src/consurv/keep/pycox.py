"""Trained models of pycox: network, times and baselines."""

from __future__ import annotations

from typing import Any

from consurv.keep.classes import class_path, find_class, rebuild
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_MODELS = ("pycox.models",)
_PARTS = ("pycox.preprocessing", "pycox.models.interpolation")
# What serves training alone, the training data among it, or is made anew.
_LEFT_OUT = frozenset(
    [
        "net",
        "loss",
        "optimizer",
        "_optimizer",
        "_device",
        "make_dataloader_predict",
        "log",
        "train_metrics",
        "val_metrics",
        "callbacks",
        "metrics",
        "training_data",
        "fit_info",
        "batch_metrics",
        "batch_loss",
    ]
)


def store(value: Any) -> Any:
    """Return what predictions rest on."""
    kind = type(value)
    if not hasattr(kind, "predict_net"):
        try:
            find_class(class_path(kind), _PARTS)
        except ValueError as error:
            raise NotPlain(f"a {kind.__name__} of pycox") from error
        return {"class": class_path(kind), "state": dict(vars(value))}
    state = {k: v for k, v in vars(value).items() if k not in _LEFT_OUT}
    return {"class": class_path(kind), "net": value.net, "state": state}


def restore(state: Any) -> Any:
    """Return the model on the CPU; it cannot be trained on."""
    if "net" not in state:
        return rebuild(find_class(state["class"], _PARTS), state["state"])
    kind = find_class(state["class"], _MODELS)
    if not hasattr(kind, "predict_net"):
        raise ValueError(f"it names {state['class']!r}, which is no model of pycox")
    model = kind(state["net"], device="cpu")
    if any(name.startswith("__") for name in state["state"]):
        raise ValueError("it sets what no model sets")
    vars(model).update(state["state"])
    return model
