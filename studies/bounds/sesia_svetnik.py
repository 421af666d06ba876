"""The ten settings of Sesia and Svetnik (ICML 2025)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from consurv._checks import Float
from studies.bounds.world import Setting, World, world_of

__all__ = ["SETTINGS"]

_N = 1000  # who train, who calibrate, who test

Law = Callable[[Float], tuple[Float, Float | float]]
Limit = Callable[[Float, np.random.Generator], Float]


def _exponential(rate: Callable[[Float], Float | float]) -> Limit:
    return lambda x, rng: rng.exponential(1 / np.asarray(rate(x)), len(x))


def _jump(high: float, slope: float) -> Law:
    return lambda x: (np.where(x[:, 0] > 2, high, slope * x[:, 0]), 0.5)


def _groups(x: Float) -> Float:
    """Return 1(X2 > .5) + 1(X3 < .5), columns counted from 1."""
    return np.asarray((x[:, 1] > 0.5) + 1.0 * (x[:, 2] < 0.5), dtype=np.float64)


# Number of columns, their range, law of log T, C; columns are counted from 0 here.
_LAWS: tuple[tuple[int, tuple[float, float], Law, Limit], ...] = (
    (1, (0, 4), lambda x: (0.632 * x[:, 0], 2.0), _exponential(lambda x: 0.1)),
    (1, (0, 4), _jump(3, 1), _exponential(lambda x: 0.1)),
    (1, (0, 4), _jump(2, 1), _exponential(lambda x: 0.25 + (x[:, 0] + 6) / 100)),
    (
        1,
        (0, 4),
        _jump(3, 1.5),
        lambda x, rng: np.exp(rng.normal(2 + (2 - x[:, 0]) / 50, 0.5)),
    ),
    (
        10,
        (0, 4),
        lambda x: (0.126 * (x[:, 0] + np.sqrt(x[:, 2] * x[:, 4])) + 1, 0.5),
        _exponential(lambda x: x[:, 9] / 10 + 1 / 20),
    ),
    (
        10,
        (0, 4),
        lambda x: (
            0.126 * (x[:, 0] + np.sqrt(x[:, 2] * x[:, 4])) + 1,
            (x[:, 1] + 2) / 4,
        ),
        _exponential(lambda x: x[:, 9] / 10 + 1 / 20),
    ),
    (
        100,
        (0, 1),
        lambda x: (x[:, 0] ** 0.25, 0.1),
        lambda x, rng: np.exp(rng.normal(x[:, 0] ** 4 + 0.4, 0.1)),
    ),
    (
        100,
        (0, 1),
        lambda x: (_groups(x) + (1 - x[:, 0]) ** 0.25, 0.1 * (1 - x[:, 0])),
        lambda x, rng: np.exp(
            rng.normal(_groups(x) + (1 - x[:, 0]) ** 4 + 0.4, 0.1 * x[:, 1])
        ),
    ),
    (
        100,
        (-1, 1),
        lambda x: (np.log(2) + 1 + 0.55 * (x[:, 0] ** 2 - x[:, 2] * x[:, 4]), 1.0),
        _exponential(lambda x: 0.4),
    ),
    (
        100,
        (-1, 1),
        lambda x: (
            np.log(2) + 1 + 0.55 * (x[:, 0] ** 2 - x[:, 2] * x[:, 4]),
            np.abs(x[:, 9]) + 1,
        ),
        _exponential(lambda x: 0.4),
    ),
)


def _draw(number: int) -> Callable[[np.random.Generator], World]:
    p, span, law, limit_of = _LAWS[number]

    def draw(rng: np.random.Generator) -> World:
        x = rng.uniform(*span, (3 * _N, p))
        mean, spread = law(x)
        time = np.exp(mean + spread * rng.normal(size=len(x)))
        return world_of(x, time, limit_of(x, rng), _N, _N)

    return draw


SETTINGS = tuple(
    Setting("sesia-svetnik", str(i + 1), _draw(i), 5) for i in range(len(_LAWS))
)
