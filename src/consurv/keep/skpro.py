"""Survival regressors of skpro: their attributes, the models inside among them."""

from __future__ import annotations

from typing import Any

from skpro.base import BaseEstimator

from consurv.keep.classes import class_path, find_class, rebuild
from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_HOMES = ("skpro.survival", "skpro.regression")


def store(value: Any) -> Any:
    """Return the attributes."""
    if not isinstance(value, BaseEstimator):
        raise NotPlain(f"a {type(value).__name__} of skpro")
    return {"class": class_path(type(value)), "state": dict(vars(value))}


def restore(state: Any) -> Any:
    """Return the regressor."""
    return rebuild(find_class(state["class"], _HOMES, BaseEstimator), state["state"])
