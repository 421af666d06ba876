"""The 16 cells of simulation 3 of Nyangweso and Wang (2026)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from consurv._checks import Float
from studies.bounds.world import Setting, World, world_of

__all__ = ["PUBLISHED", "SETTINGS"]

_TEST = 2000

# Means over the cells: coverage, |coverage − .9|, median bound.
PUBLISHED = {
    "oracle": (0.900, 0.005, 0.574),
    "DR-COSARC, adaptive": (0.930, 0.030, 0.418),
    "AIPCW, clipped": (0.933, 0.038, 0.400),
    "AIPCW, Hájek": (0.889, 0.061, 0.473),
    "CSD": (0.970, 0.070, 0.239),
}


def _features(n: int, rng: np.random.Generator) -> Float:
    return np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2))])


def _mean_b(x: Float) -> Float:
    return 0.8 * np.sin(x[:, 0]) + 0.5 * x[:, 1] ** 2 - 0.7 * x[:, 2] * x[:, 3]


def _law(name: str, x: Float) -> tuple[Float, Float | float]:
    """Return mean and spread of log T."""
    if name == "B":
        return _mean_b(x), 0.6
    mean = 0.5 * x[:, 0] - 0.4 * x[:, 1] + 0.6 * x[:, 2]
    return mean, 0.5 + 0.3 * np.abs(x[:, 0])


def _log_rate(name: str, x: Float) -> Float:
    """Return the log rate of C, up to a constant."""
    if name == "C2":
        return _mean_b(x)
    return 0.5 * x[:, 0] - 0.5 * x[:, 1] + 1.2 * (x[:, 0] > 1.25)


@cache
def _rate(law: str, censoring: str, share: float) -> float:
    """Return λ₀ for a share of censored subjects, by halving on 200,000 of them."""
    rng = np.random.default_rng(0)
    x = _features(200_000, rng)
    mean, spread = _law(law, x)
    time = np.exp(mean + spread * rng.normal(size=len(x)))
    limit = rng.exponential(size=len(x)) * np.exp(-_log_rate(censoring, x))
    low, high = 1e-4, 1e4
    for _ in range(60):
        middle = np.sqrt(low * high)
        if np.mean(limit / middle < time) < share:
            low = middle
        else:
            high = middle
    return float(low)


def _draw(
    law: str, censoring: str, share: float, n: int
) -> Callable[[np.random.Generator], World]:
    def draw(rng: np.random.Generator) -> World:
        x = _features(n + _TEST, rng)
        mean, spread = _law(law, x)
        time = np.exp(mean + spread * rng.normal(size=len(x)))
        scale = np.exp(-_log_rate(censoring, x)) / _rate(law, censoring, share)
        limit = rng.exponential(size=len(x)) * scale
        return world_of(x, time, limit, int(0.6 * n), _TEST)

    return draw


SETTINGS = tuple(
    Setting(
        "nyangweso-wang",
        f"{law} {censoring} {share:.0%} {n}",
        _draw(law, censoring, share, n),
        15,
    )
    for law in "BC"
    for censoring in ("C2", "C3")
    for share in (0.6, 0.8)
    for n in (600, 1200)
)
