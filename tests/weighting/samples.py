"""Samples that the tests of bounds share."""

import numpy as np

from consurv import Outcome, SurvivalCurves
from consurv.weighting.sample import Sample


def steps(rng, n, k=6, *, low=0.2, shared=True):
    """Return falling step curves that stay above *low*."""
    times = np.arange(1.0, k + 1)
    if not shared:
        times = times + rng.uniform(0, 0.5, (n, 1))
    falls = rng.uniform(size=(n, k))
    falls = np.cumsum(falls, axis=1) / (falls.sum(axis=1, keepdims=True) * 1.02)
    return SurvivalCurves(times, 1 - (1 - low) * falls, "step")


def small(seed=0, n=40, *, ties=True):
    """Return a censored sample of few step curves, with ties of all sorts."""
    rng = np.random.default_rng(seed)
    time = rng.integers(1, 7, n) if ties else rng.uniform(0.5, 6.0, n)
    event = rng.random(n) < 0.6
    limit = np.where(event, time + rng.integers(0, 4, n), time).astype(float)
    return Sample(
        Outcome(time.astype(float), event),
        steps(rng, n),
        steps(rng, n, low=0.3),
        limit=limit,
    )


def exponential(scale, last=60.0, k=600):
    """Return the curves exp(−t/scale), nearly smooth."""
    times = np.linspace(last / k, last, k)
    return SurvivalCurves(times, np.exp(-times / np.asarray(scale)[:, None]))


def world(n, rng):
    """Return X, T and C: both depend on the one feature."""
    x = rng.uniform(-1, 1, n)
    time = rng.exponential(5 * np.exp(x))
    limit = rng.exponential(8 * np.exp(-x))
    return x, time, limit
