"""scikit-learn's FrozenEstimator: the model inside."""

from __future__ import annotations

from typing import Any

from sklearn.frozen import FrozenEstimator

__all__ = ["restore", "store"]


def store(value: Any) -> Any:
    """Return the model."""
    return {"estimator": value.estimator}


def restore(state: Any) -> Any:
    """Return it frozen."""
    return FrozenEstimator(state["estimator"])
