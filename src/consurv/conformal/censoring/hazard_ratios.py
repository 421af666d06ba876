"""Hazard ratios by cell and stratum: how far the events are from the raw model.

Counts d of events and expected numbers e of the raw model, by stratum of risk g and
cell m of the raw cumulative hazard, are taken as Poisson: d_gm ~ λ_gm·e_gm. If the raw
model is right, λ = 1. The estimate is

    λ_gm = a_m · f_g · h_gm,

a by cell (the model's law is off), f by stratum (its dependence on the risk is off: a
log-linear trend in the risk, and what is left of it), h by both at once. Each factor is
shrunk to 1, or to its neighbour, by as much as the data cannot tell it from noise:
gamma priors whose variance is estimated from the counts by moments, less one standard
error; and for the single numbers (the overall ratio, the trend) a James–Stein factor
that lets a number in once it is two standard errors away from saying nothing. So a
right model is left alone, a wrong one corrected, and cells without data borrow from
those that have some.
"""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv._warnings import warn

__all__ = ["hazard_ratios"]

# Of a single number, how many times its variance its square must exceed to count.
_PENALTY = 4.0
# A cell is worth at least so many events of its neighbour above.
_NEIGHBOUR = 2.0
# Cells and strata in turn. On the test bed's data 10 rounds leave 2e-4 and 25 leave
# 1e-8; a model whose curves fit two kinds of subjects badly takes some hundred.
_ROUNDS = 5000
_PRECISION = 1e-10
_NEWTON = 30
# The trend's limit, in log hazard per standard deviation of the risk.
_STEEPEST = 4.0


def hazard_ratios(events: Float, expected: Float, score: Float) -> Float:
    """Return λ of every stratum and cell.

    Parameters
    ----------
    events, expected : ndarray of shape (G, M)
        Counts, and what the raw model expects among the same subjects. Cells come in
        the order in which subjects pass them.
    score : ndarray of shape (G,)
        The risk of the strata, for the trend.

    Examples
    --------
    Ten times as many events as expected, in every cell of both strata:

    >>> events = np.full((2, 3), 100.0)
    >>> hazard_ratios(events, events / 10, np.array([-1.0, 1.0])).round(2)
    array([[9.97, 9.97, 9.97],
           [9.97, 9.97, 9.97]])
    """
    if not events.any():
        return np.ones_like(expected)
    ratio = _by_turns(events, expected, score)
    mu = ratio * expected
    variance = _variance(events, mu)
    return ratio * (events * variance + 1) / (mu * variance + 1)


def _by_turns(events: Float, expected: Float, score: Float) -> Float:
    """Return the product of the ratios by stratum and by cell, each given the other."""
    stratum, ratio = np.ones(len(events)), np.ones_like(expected)
    for _ in range(_ROUNDS):
        cell = _by_cell(events.sum(axis=0), stratum @ expected)
        stratum = _by_stratum(events.sum(axis=1), expected @ cell, score)
        last, ratio = ratio, np.outer(stratum, cell)
        if np.allclose(ratio, last, rtol=_PRECISION, atol=0.0):
            return ratio
    change = float(np.abs(ratio / last - 1).max())
    warn(
        f"the hazard ratios of censoring='auto' still change by {change:.1g} after "
        f"{_ROUNDS} rounds; the raw curves may be far from the data: look at the "
        "model, or choose censoring='kaplan-meier'"
    )
    return ratio


def _by_cell(d: Float, mu: Float) -> Float:
    """Return the ratio of each cell: a walk from the overall one, cell by cell."""
    n = float(d.sum())
    overall = float(np.exp(_shrunk(np.log(n / mu.sum()), 1 / n)))
    variance = _variance(d, overall * mu)
    weight = max(1 / variance, _NEIGHBOUR) if variance > 0 else np.inf
    ratio, last = np.empty(len(d)), overall
    for m in range(len(d)):
        if weight < np.inf:
            last = (d[m] + weight * last) / (mu[m] + weight)
        ratio[m] = last
    return ratio


def _by_stratum(d: Float, mu: Float, score: Float) -> Float:
    """Return the ratio of each stratum: a trend, and what is left of it."""
    trend = _trend(d, mu, score)
    trend *= mu.sum() / (mu * trend).sum()
    mu = mu * trend
    variance = _variance(d, mu)
    return trend * (d * variance + 1) / (mu * variance + 1)


def _trend(d: Float, mu: Float, score: Float) -> Float:
    """Return exp(βz), β by maximum likelihood and shrunk."""
    z = score - (mu @ score) / mu.sum()
    mean, beta, spread = float(d @ z / d.sum()), 0.0, 0.0
    for _ in range(_NEWTON):
        weight = mu * np.exp(beta * z)
        weight /= weight.sum()
        centre = float(weight @ z)
        spread = float(weight @ (z - centre) ** 2)
        if spread < 1e-9:
            return np.ones_like(mu)
        step = min(max((mean - centre) / spread, -1.0), 1.0)
        beta = min(max(beta + step, -_STEEPEST), _STEEPEST)
        if abs(step) < 1e-12:
            break
    trend: Float = np.exp(_shrunk(beta, 1 / (d.sum() * spread)) * z)
    return trend


def _variance(d: Float, mu: Float) -> float:
    """Return the variance of the ratios λ, if Var d = μ + μ²·Var λ.

    One standard error is taken off, that of the estimate where all λ = 1.
    """
    excess = float(((d - mu) ** 2 - mu).sum()) - np.sqrt((2 * mu**2 + mu).sum())
    return max(float(excess / (mu**2).sum()), 0.0)


def _shrunk(value: float, variance: float) -> float:
    """Return *value*, an estimate with that variance, drawn to 0."""
    return value * max(1 - _PENALTY * variance / value**2, 0.0) if value else 0.0
