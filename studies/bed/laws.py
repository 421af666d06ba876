"""Laws of T given x, known exactly.

x has four columns: the first two move the location (log time goes with the index
η = 0.7 x₀ + 0.35 x₁), the third the width where a law says so, the last nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from consurv._checks import Float

__all__ = ["LAWS", "Law", "index"]

Of = Callable[[Float, Float], Float]


@dataclass(frozen=True)
class Law:
    """Percentile times q(u (n, k), x) and survival s(t (n, k), x); maybe a lattice."""

    q: Of
    s: Of
    unit: float | None = None


def index(x: Float) -> Float:
    """Return η as a column."""
    return (0.7 * x[:, 0] + 0.35 * x[:, 1])[:, None]


def _location_scale(
    quantile: Callable[[Float], Float],
    survival: Callable[[Float], Float],
    scale: Callable[[Float], Float] | float,
) -> Law:
    """Log T = η + scale·E, E of a known law."""

    def width(x: Float) -> Float | float:
        return scale(x)[:, None] if callable(scale) else scale

    def q(u: Float, x: Float) -> Float:
        times: Float = np.exp(index(x) + width(x) * quantile(u))
        return times

    def s(t: Float, x: Float) -> Float:
        with np.errstate(divide="ignore"):
            return survival((np.log(t) - index(x)) / width(x))

    return Law(q, s)


def _extreme(scale: Callable[[Float], Float] | float) -> Law:
    return _location_scale(
        lambda u: np.log(-np.log(u)),
        lambda e: np.exp(-np.exp(np.minimum(e, 50))),
        scale,
    )


def _normal(scale: float) -> Law:
    return _location_scale(
        lambda u: -special.ndtri(u), lambda e: special.ndtr(-e), scale
    )


def _logistic(scale: Callable[[Float], Float] | float) -> Law:
    return _location_scale(
        lambda u: -special.logit(u), lambda e: special.expit(-e), scale
    )


def _student(df: float, scale: float) -> Law:
    t = stats.t(df)
    return _location_scale(lambda u: -t.ppf(u), lambda e: t.sf(e), scale)


def _proportional(
    hazard: Callable[[Float], Float], inverse: Callable[[Float], Float], effect: float
) -> Law:
    """H(t|x) = hazard(t)·exp(−effect·η)."""

    def q(u: Float, x: Float) -> Float:
        return inverse(-np.log(u) * np.exp(effect * index(x)))

    def s(t: Float, x: Float) -> Float:
        survival: Float = np.exp(-hazard(t) * np.exp(-effect * index(x)))
        return survival

    return Law(q, s)


def _gompertz(growth: float, rate: float, effect: float) -> Law:
    return _proportional(
        lambda t: rate / growth * np.expm1(np.minimum(growth * t, 600)),
        lambda h: np.log1p(growth * h / rate) / growth,
        effect,
    )


def _piecewise(borders: list[float], rates: list[float], effect: float) -> Law:
    start, rate = np.array([0.0, *borders]), np.array(rates)
    passed = np.append(0.0, np.cumsum(np.diff(start) * rate[:-1]))

    def hazard(t: Float) -> Float:
        k = np.searchsorted(start[1:], t, side="right")
        return np.asarray(passed[k] + rate[k] * (t - start[k]))

    def inverse(h: Float) -> Float:
        k = np.searchsorted(passed[1:], h, side="right")
        return np.asarray(start[k] + (h - passed[k]) / rate[k])

    return _proportional(hazard, inverse, effect)


def _cured(law: Law, share: float) -> Law:
    """Let some never have the event, more of them where η is high."""

    def never(x: Float) -> Float:
        cured: Float = special.expit(special.logit(share) + 0.8 * index(x))
        return cured

    def q(u: Float, x: Float) -> Float:
        v = (u - never(x)) / (1 - never(x))
        times = law.q(np.clip(v, 1e-9, 1 - 1e-12), x)
        return np.where(v > 1e-9, times, np.inf)

    def s(t: Float, x: Float) -> Float:
        return never(x) + (1 - never(x)) * law.s(t, x)

    return Law(q, s)


def _lattice(law: Law, unit: float) -> Law:
    """Round times up to whole units."""

    def q(u: Float, x: Float) -> Float:
        times: Float = np.ceil(law.q(u, x) / unit - 1e-9) * unit
        return times

    def s(t: Float, x: Float) -> Float:
        whole = np.floor(t / unit + 1e-9) * unit
        return np.where(whole > 0, law.s(np.maximum(whole, 1e-12), x), 1.0)

    return Law(q, s, unit)


LAWS = {
    # development
    "weibull": _extreme(0.7),
    "lognormal": _normal(0.8),
    "piecewise": _piecewise([0.3, 0.8, 2.0], [1.8, 0.3, 1.5, 0.4], 1.3),
    "crossing": _extreme(lambda x: 0.7 * np.exp(0.4 * x[:, 2])),
    "cured": _cured(_extreme(0.6), 0.25),
    "months": _lattice(_extreme(0.7), 0.12),
    # held out
    "loglogistic": _logistic(0.45),
    "gompertz": _gompertz(1.5, 0.25, 1.6),
    "heavy": _student(2.5, 0.6),
    "crossing2": _logistic(lambda x: 0.45 * np.exp(-0.5 * x[:, 1] + 0.2 * x[:, 2])),
    "cured2": _cured(_normal(0.7), 0.4),
    "months2": _lattice(_normal(0.6), 0.2),
    "piecewise2": _piecewise([0.2, 1.0, 1.5], [0.2, 1.2, 3.0, 0.5], 1.0),
    "weibull2": _extreme(1.2),
}
