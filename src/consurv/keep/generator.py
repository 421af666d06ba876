"""NumPy's random generators: where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv.keep.plain import NotPlain

__all__ = ["restore", "store"]

_BITS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def store(value: Any) -> Any:
    """Return the state of the bits."""
    if not isinstance(value, np.random.Generator):
        raise NotPlain(f"a numpy.random.{type(value).__name__}")
    return value.bit_generator.state


def restore(state: Any) -> Any:
    """Return a generator that goes on from there."""
    if state["bit_generator"] not in _BITS:
        raise ValueError(f"it has a generator {state['bit_generator']!r}")
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)
