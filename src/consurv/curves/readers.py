"""Reading curves from the objects of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float, as_floats
from consurv.errors import InvalidInput

__all__ = ["read_frame", "read_step_functions"]


def read_frame(frame: Any) -> tuple[Any, Any]:
    """Return times and survival of a frame whose index holds the times."""
    if not (hasattr(frame, "index") and hasattr(frame, "to_numpy")):
        raise InvalidInput(
            f"frame is a {type(frame).__name__}; give a pandas DataFrame of times x "
            "subjects, or arrays to SurvivalCurves(times, survival)"
        )
    times = as_floats(frame.index, "the index of frame (its times)")
    return times, frame.to_numpy().T


def read_step_functions(functions: Any) -> tuple[Float, Float]:
    """Return times and survival of objects with ``x``, ``y`` and maybe ``a``, ``b``.

    Functions on one grid share it; otherwise short grids repeat their last node.
    """
    parts = [functions] if hasattr(functions, "x") else list(functions)
    if not parts:
        raise InvalidInput("functions is empty; give at least one step function")
    for part in parts:
        if not (hasattr(part, "x") and hasattr(part, "y")):
            raise InvalidInput(
                f"functions holds a {type(part).__name__}, not step functions with x "
                "and y; give arrays to SurvivalCurves(times, survival, 'step')"
            )
    grids = [part.x for part in parts]
    values = [np.asarray(part.y, dtype=np.float64) for part in parts]
    shift = np.array([getattr(part, "b", 0.0) for part in parts])
    scale = np.array([getattr(part, "a", 1.0) for part in parts])
    first = grids[0]
    # Models hand out one grid object for all subjects: then nothing is compared.
    if all(grid is first or np.array_equal(grid, first) for grid in grids):
        survival, times = np.stack(values), np.asarray(first)
    else:
        survival, times = _pad(values), _pad(grids)
    if (scale != 1).any() or (shift != 0).any():
        survival = scale[:, None] * survival + shift[:, None]
    return times, survival


def _pad(rows: Sequence[NDArray[Any]]) -> Float:
    width = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, width - len(row)), mode="edge") for row in rows])
