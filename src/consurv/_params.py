"""What parameters may be, declared once and checked when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from consurv.errors import InvalidInput

__all__ = [
    "AtLeast",
    "Between",
    "Constraint",
    "Constraints",
    "InstanceOf",
    "OneOf",
    "check_params",
    "make_rng",
]


class Constraint(Protocol):
    """What a parameter may be."""

    def accepts(self, value: Any) -> bool:
        """Say whether *value* is allowed."""

    def describe(self) -> str:
        """Return the allowed values in words, for the error message."""


# By parameter; of several constraints one must hold.
Constraints = Mapping[str, Constraint | tuple[Constraint, ...]]


class OneOf:
    """One of the given values; ``None`` may be among them."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices

    def accepts(self, value: Any) -> bool:
        """Say whether *value* is one of the choices."""
        return any(
            value is choice
            if choice is None or isinstance(choice, bool)
            else isinstance(value, type(choice)) and value == choice
            for choice in self.choices
        )

    def describe(self) -> str:
        """Return the choices in words."""
        return "one of " + ", ".join(repr(choice) for choice in self.choices)


@dataclass(frozen=True)
class AtLeast:
    """A number no smaller than *minimum*; whole unless *real*."""

    minimum: float
    real: bool = False

    def accepts(self, value: Any) -> bool:
        """Say whether *value* is such a number."""
        if isinstance(value, bool | np.bool_):
            return False
        kind = Real if self.real else Integral
        return isinstance(value, kind) and bool(value >= self.minimum)  # type: ignore[operator]

    def describe(self) -> str:
        """Return the range in words."""
        return f"a {'' if self.real else 'whole '}number >= {self.minimum:g}"


@dataclass(frozen=True)
class Between:
    """A number strictly between two bounds."""

    low: float
    high: float

    def accepts(self, value: Any) -> bool:
        """Say whether *value* is such a number."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            return False
        return bool(self.low < value < self.high)  # type: ignore[operator]

    def describe(self) -> str:
        """Return the range in words."""
        return f"a number strictly between {self.low:g} and {self.high:g}"


class InstanceOf:
    """An instance of one of the given types."""

    def __init__(self, *types: type) -> None:
        self.types = types

    def accepts(self, value: Any) -> bool:
        """Say whether *value* is such an instance."""
        return isinstance(value, self.types)

    def describe(self) -> str:
        """Return the type names in words."""
        return "an instance of " + " or ".join(t.__name__ for t in self.types)


def check_params(values: Mapping[str, Any], constraints: Constraints) -> None:
    """Raise an error that names parameter, value and choices if one is not allowed.

    Examples
    --------
    >>> check_params({"percentiles": 19}, {"percentiles": AtLeast(1)})
    >>> check_params({"percentiles": 0}, {"percentiles": AtLeast(1)})
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: percentiles=0 is not valid; it must be a whole \
number >= 1
    """
    for name, allowed in constraints.items():
        options = allowed if isinstance(allowed, tuple) else (allowed,)
        if not any(option.accepts(values[name]) for option in options):
            said = " or ".join(option.describe() for option in options)
            shown = repr(values[name])
            shown = shown if len(shown) <= 200 else f"{shown[:197]}..."
            raise InvalidInput(f"{name}={shown} is not valid; it must be {said}")


def make_rng(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """Return the generator that a seed stands for; a Generator is itself.

    Examples
    --------
    >>> make_rng(-1)
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: random_state=-1 is not valid; it must be a whole \
number >= 0, a numpy Generator or None
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name}={random_state!r} is not valid; it must be a whole number >= 0, a "
            "numpy Generator or None"
        ) from error
