"""How far adjusted curves are from the truth, computed and not sampled."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from consurv import adjust
from studies.truth.setting import LEVELS, Setting

__all__ = ["error_of", "floor", "population", "true_error", "true_levels"]

Float = NDArray[np.float64]

# Equally likely subjects, not random ones: 2,000 give the error to four digits.
N_POPULATION = 2000


@cache
def population(setting: Setting) -> tuple[Float, Float]:
    """Return the covariate (m,) and raw percentile times (m, 19) of all subjects."""
    x = ndtri((np.arange(N_POPULATION) + 0.5) / N_POPULATION)
    return x, setting.percentile_times(LEVELS, x)


def true_levels(setting: Setting, shifts: ArrayLike) -> Float:
    """Return P(T > q'(ρ|x)) at every level: what q'(ρ) = q(ρ) − b(ρ) really attains.

    The adjusted curves are those of ``consurv.adjust``, clipped at 0 and rearranged.
    """
    x, raw = population(setting)
    times = adjust(raw, LEVELS, shifts).percentile_times(LEVELS)
    attained: Float = setting.true_survival(times, x).mean(axis=0)
    return attained


def error_of(attained: Float) -> float:
    """Return the mean squared distance from the diagonal, × 10³."""
    return float(1e3 * np.mean((attained - LEVELS) ** 2))


def true_error(setting: Setting, shifts: ArrayLike) -> float:
    """Return the mean squared distance of the P–P line from the diagonal, × 10³.

    Parameters
    ----------
    setting : Setting
    shifts : array-like of shape (19,)
        b(ρ) at ``LEVELS``.
    """
    return error_of(true_levels(setting, shifts))


def floor(n: int) -> float:
    """Return mean ρ(1−ρ)/(N+2) × 10³: the error when all N true times are seen."""
    return float(1e3 * np.mean(LEVELS * (1 - LEVELS)) / (n + 2))
