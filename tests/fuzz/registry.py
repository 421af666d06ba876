"""What is fuzzed: functions that draw a case and judge it, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["TARGETS", "Draw", "target"]

# Draws a value from a strategy of Hypothesis.
Draw = Callable[[Any], Any]

TARGETS: dict[str, Callable[[Draw], None]] = {}


def target(function: Callable[[Draw], None]) -> Callable[[Draw], None]:
    """Register a function under its name, with - for _."""
    TARGETS[function.__name__.replace("_", "-")] = function
    return function
