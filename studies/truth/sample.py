"""Conformal subjects drawn in a setting."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from consurv import Outcome
from studies.truth.setting import LEVELS, Setting

__all__ = ["Sample", "simulate"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """A conformal set with what real data hide.

    Attributes
    ----------
    x : ndarray of shape (n,)
        What the model sees.
    true_time : ndarray of shape (n,)
    outcome : Outcome
    percentile_times : ndarray of shape (n, 19)
        The raw model's, at ``LEVELS``.
    survival : ndarray of shape (n,)
        The raw model's survival at the observed times.
    """

    x: Float
    true_time: Float
    outcome: Outcome
    percentile_times: Float
    survival: Float


def simulate(setting: Setting, seed: int) -> Sample:
    """Return the conformal set of a seed; every setting has draws of its own.

    Examples
    --------
    >>> from studies.truth import settings
    >>> simulate(settings()[0], seed=0).percentile_times.shape
    (300, 19)
    """
    rng = np.random.default_rng([seed, crc32(setting.name.encode())])
    x, z = rng.standard_normal((2, setting.n))
    waiting, limit = rng.exponential(size=(2, setting.n))
    law = setting.truth
    log_time = setting.effect * x + setting.hidden * z
    true_time = law.scale * np.exp(log_time) * waiting ** (1 / law.shape)
    limit = limit * setting.censoring_scale(x, z)
    time = np.minimum(true_time, limit)
    return Sample(
        x=x,
        true_time=true_time,
        outcome=Outcome(time=time, event=true_time <= limit),
        percentile_times=setting.percentile_times(LEVELS, x),
        survival=setting.model_survival(time, x),
    )
