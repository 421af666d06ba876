"""scikit-learn's parameter searches: of a finished one, the best estimator."""

from __future__ import annotations

from typing import Any

from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]


def store(value: Any) -> Any:
    """Return what gives the predictions; how it was found is not kept."""
    if not hasattr(value, "best_estimator_"):
        raise NotPlain(f"{type(value).__name__} has no best estimator")
    return {"best": value.best_estimator_}


def restore(state: Any) -> Any:
    """Return the best estimator in place of the search."""
    return state["best"]
