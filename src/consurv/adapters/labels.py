"""Outcomes as boosters want them, and their answers as curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.adapters.adapter import describe
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["needs_baseline", "signed_times", "upper_bounds"]


def signed_times(y: Outcome) -> Float:
    """Return the labels of a Cox loss: time of an event, minus time of a censoring.

    Examples
    --------
    >>> signed_times(Outcome(time=[1, 2], event=[1, 0]))
    array([ 1., -2.])
    """
    return np.where(y.event, y.time, -y.time)


def upper_bounds(y: Outcome, never: float) -> Float:
    """Return until when an event may have happened; *never* ends a censored row."""
    return np.where(y.event, y.time, never)


def needs_baseline(estimator: Any) -> InvalidInput:
    """Say that a model gives risks alone, and what makes curves of them."""
    name = describe(estimator)
    return InvalidInput(
        f"{name} gives risk scores and no survival curves; FromRisk(model) from "
        "consurv.models trains it by the Cox likelihood and adds Breslow's baseline, "
        "FromRisk(FrozenEstimator(model)).fit(X_train, y_train) takes a trained one as "
        "it is"
    )
