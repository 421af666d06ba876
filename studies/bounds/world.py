"""One repetition of a published setting: who trains, who calibrates, who tests."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from consurv import Outcome
from consurv._checks import Float

__all__ = ["Setting", "World", "rng_of", "world_of"]


@dataclass(frozen=True)
class World:
    """Subjects of one repetition, with the truth that no method sees.

    ``limit`` is C of the calibration subjects, ``time`` T of the test subjects.
    """

    X_train: Float
    y_train: Outcome
    X_calibration: Float
    y_calibration: Outcome
    limit: Float
    X_test: Float
    time: Float


@dataclass(frozen=True)
class Setting:
    """A published setting.

    Attributes
    ----------
    group, name : str
    draw : callable
        From a generator to a World.
    leaf : int
        Fewest rows in a leaf of the forests that speak for event and censoring.
    """

    group: str
    name: str
    draw: Callable[[np.random.Generator], World]
    leaf: int

    def __str__(self) -> str:
        return f"{self.group} {self.name}"


def rng_of(setting: Setting, repetition: int) -> np.random.Generator:
    """Return the random numbers of one repetition."""
    return np.random.default_rng([zlib.crc32(str(setting).encode()), repetition])


def world_of(X: Float, event: Float, limit: Float, n_train: int, n_test: int) -> World:
    """Cut subjects in random order into those who train, calibrate and test."""
    train, test = slice(n_train), slice(len(X) - n_test, None)
    middle = slice(n_train, len(X) - n_test)
    y = Outcome(np.minimum(event, limit), event <= limit)
    return World(
        X[train], y[train], X[middle], y[middle], limit[middle], X[test], event[test]
    )
