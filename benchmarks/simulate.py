"""Outcomes with a covariate, and percentile times of a slightly wrong model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from consurv import Outcome

__all__ = ["LEVELS", "conformal_set"]

LEVELS = np.arange(1, 20) / 20


def conformal_set(
    n: int, *, whole: bool = False, seed: int = 0
) -> tuple[NDArray[np.float64], Outcome]:
    """Return percentile times (n, 19) and outcomes, about 40 % of them censored.

    Times are Weibull; the model has the wrong shape, scale and effect of the covariate.
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    event_time = 100 * np.exp(0.5 * x) * rng.weibull(1.5, n)
    censoring_time = rng.exponential(150, n)
    time = np.minimum(event_time, censoring_time)
    outcome = Outcome(
        time=np.ceil(time) if whole else time, event=event_time <= censoring_time
    )
    unit = (-np.log(LEVELS)) ** (1 / 1.3)
    return 110 * np.exp(0.4 * x)[:, None] * unit, outcome
