"""When subjects are censored: exponential, with a scale that may follow covariates."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import brentq

from studies.truth.law import Baseline

__all__ = ["CENSORED", "log_scale"]

CENSORED = 0.45  # share of the population

_WAITING = -np.log((np.arange(2000) + 0.5) / 2000)  # equally likely exponential times


@cache
def log_scale(law: Baseline) -> float:
    """Return the log scale of censoring times that censors 45 % of the population.

    Parameters
    ----------
    law : Baseline
        Of event times divided by what covariates do to the censoring times. All that
        still varies with them is normal and goes into ``law.hidden``.
    """

    def excess(log_time: float) -> float:
        return float(law.survival(np.exp(log_time) * _WAITING).mean()) - CENSORED

    return float(brentq(excess, -10, 10, xtol=1e-9))
