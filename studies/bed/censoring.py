"""Who is censored when: draws of a form, scaled to a share of censored subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from consurv._checks import Float

__all__ = ["LIMITS", "draw_limits", "scale_for", "share_of"]

Draw = Callable[[Float, np.random.Generator], Float]


def _log_normal(effect: float) -> Draw:
    def draw(x: Float, rng: np.random.Generator) -> Float:
        limits: Float = np.exp(effect * x[:, 0] + 0.6 * rng.normal(size=len(x)))
        return limits

    return draw


def _dependent(x: Float, rng: np.random.Generator) -> Float:
    """Draw by the second covariate and by the one that moves widths."""
    pull = np.exp(0.9 * x[:, 1] + 0.5 * x[:, 2])
    limits: Float = pull * rng.weibull(1.5, size=len(x))
    return limits


LIMITS: Mapping[str, Draw] = {
    "none": lambda x, rng: np.full(len(x), np.inf),
    "indep": lambda x, rng: rng.exponential(size=len(x)),
    "admin": lambda x, rng: np.ones(len(x)),
    "stag": lambda x, rng: rng.uniform(0.05, 1, size=len(x)),
    "cov+": _log_normal(1.0),  # those at low risk are seen longer
    "cov-": _log_normal(-0.7),
    "dep": _dependent,
}


def draw_limits(name: str, x: Float, rng: np.random.Generator) -> Float:
    """Return limits of observation, up to scale."""
    return LIMITS[name.rstrip("0123456789")](x, rng)


def share_of(name: str) -> float:
    """Return the share of the subjects that are to be censored.

    Examples
    --------
    >>> share_of("stag80"), share_of("cov+50")
    (0.8, 0.5)
    """
    return int(name.lstrip("abcdefghijklmnopqrstuvwxyz+-") or 40) / 100


def scale_for(share: float, time: Float, limit: Float) -> float:
    """Return a with P(T > a·limit) = share, on a fixed sample."""
    low, high = 1e-6, 1e6
    for _ in range(80):
        middle = float(np.sqrt(low * high))
        if np.mean(time > middle * limit) > share:
            low = middle
        else:
            high = middle
    return float(np.sqrt(low * high))
