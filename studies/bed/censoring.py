"""Who is censored when: draws of a form, scaled to a share of censored subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy import special

from consurv._checks import Float
from studies.bed.laws import Law

__all__ = ["LIMITS", "draw_limits", "hidden_cause", "scale_for", "share_of"]

Draw = Callable[[Float, np.random.Generator], Float]
# Between a hidden cause and the normal score of T given x.
_CORRELATION = 0.5


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


def _hidden(effect: float) -> Draw:
    """Draw by the last column: what moves T and no model sees."""

    def draw(x: Float, rng: np.random.Generator) -> Float:
        limits: Float = np.exp(effect * x[:, -1] + 0.6 * rng.normal(size=len(x)))
        return limits

    return draw


def hidden_cause(law: Law, x: Float, time: Float, rng: np.random.Generator) -> Float:
    """Return x with one more column, a cause of T that no model is given.

    It is standard normal and independent of x, so that the law of T given x is what it
    was; T given x is late where it is high.
    """
    late = -special.ndtri(law.s(time[:, None], x)[:, 0])
    rest = np.sqrt(1 - _CORRELATION**2) * rng.normal(size=len(x))
    return np.column_stack([x, _CORRELATION * late + rest])


LIMITS: Mapping[str, Draw] = {
    "none": lambda x, rng: np.full(len(x), np.inf),
    "indep": lambda x, rng: rng.exponential(size=len(x)),
    "admin": lambda x, rng: np.ones(len(x)),
    "stag": lambda x, rng: rng.uniform(0.05, 1, size=len(x)),
    "cov+": _log_normal(1.0),  # those at low risk are seen longer
    "cov-": _log_normal(-0.7),
    "dep": _dependent,
    "hid+": _hidden(1.0),  # those whom a hidden cause protects are seen longer
    "hid-": _hidden(-1.0),
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
