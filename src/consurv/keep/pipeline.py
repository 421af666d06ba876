"""scikit-learn's Pipeline: each step in the form of its own library."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]


def store(value: Any) -> Any:
    """Return the steps; a FeatureUnion is left to skops."""
    if type(value) is not Pipeline:
        raise NotPlain(f"{type(value).__name__} is no Pipeline")
    return {"steps": [(str(name), step) for name, step in value.steps]}


def restore(state: Any) -> Any:
    """Return the Pipeline."""
    return Pipeline(state["steps"])
