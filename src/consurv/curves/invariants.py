"""The border of survival curves: what is refused, and what is put right in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import (
    Float,
    as_floats,
    as_plain_array,
    check_magnitude,
    check_same_length,
)
from consurv._rows import row_number
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput

__all__ = [
    "check_own_times",
    "check_percentile_times",
    "check_span",
    "check_times",
    "make_nodes",
]

# Rounding of float32 sums; larger rises or excesses are mistakes.
_TOLERANCE = 1e-6
# Squares of the ratio of two times must be finite for a cubic.
_SPAN = 1e150


def make_nodes(times: ArrayLike, survival: ArrayLike) -> tuple[Float, NDArray[Any]]:
    """Return checked node times and survival that start at (0, 1).

    Nothing is copied unless something has to change.
    """
    nodes = as_floats(survival, "survival", ndim=(1, 2), keep_float32=True)
    nodes = np.atleast_2d(nodes)
    grid = as_floats(times, "times", ndim=(1, 2))
    _check_shapes(grid, nodes)
    _check_grid(grid)
    return _start_at_one(grid, _keep_falling(_keep_in_range(nodes)))


def _check_shapes(times: Float, survival: NDArray[Any]) -> None:
    if survival.size == 0 or times.size == 0:
        raise InvalidInput(
            f"curves are empty: times has shape {times.shape}, survival "
            f"{survival.shape}; give at least one subject and one time"
        )
    wanted = times.shape if times.ndim == 2 else (len(survival), len(times))
    if survival.shape == wanted:
        return
    hint = "survival needs a row per subject and a column per time"
    if survival.T.shape[-times.ndim :] == times.shape:
        hint = (
            "survival looks transposed (times x subjects): pass survival.T, or a "
            "frame to SurvivalCurves.from_frame"
        )
    raise InvalidInput(
        f"shapes differ: times has {times.shape}, survival {survival.shape}; {hint}"
    )


def _check_grid(times: Float) -> None:
    _refuse_negative(times, "times")
    check_magnitude(times, "times")
    falls = times[..., 1:] < times[..., :-1]
    if falls.any():
        place = tuple(np.argwhere(falls)[0])
        after = (*place[:-1], place[-1] + 1)
        row = f" of row {row_number(place[0])}" if times.ndim == 2 else ""
        raise InvalidInput(
            f"times must be sorted, but {times[place]:g} comes before "
            f"{times[after]:g} at position {place[-1]}{row}; sort times and the "
            "columns of survival together"
        )


def check_span(times: Float) -> None:
    """Refuse times whose slopes a cubic cannot compare: they lie too far apart."""
    positive = times[times > 0]
    if positive.size and positive.max() / _SPAN > positive.min():
        raise InvalidInput(
            f"times reach from {positive.min():g} to {positive.max():g}, too far for "
            "pchip; use interpolation='linear', or another first time"
        )


def _refuse_negative(times: Float, name: str) -> None:
    if times.size and times.min() < 0:
        bad = times[times < 0]
        raise InvalidInput(
            f"{name} has {bad.size} negative values, the first is {bad[0]:g}; "
            "times count from 0"
        )


def _keep_in_range(survival: NDArray[Any]) -> NDArray[Any]:
    low, high = float(survival.min()), float(survival.max())
    if low < -_TOLERANCE or high > 1 + _TOLERANCE:
        bad = (survival < -_TOLERANCE) | (survival > 1 + _TOLERANCE)
        row, column = np.argwhere(bad)[0]
        percent = low >= -_TOLERANCE and high <= 100
        hint = "; if these are percentages, divide by 100" if percent else ""
        raise InvalidInput(
            f"survival must lie between 0 and 1, but {int(bad.sum())} values do not, "
            f"the first at row {row_number(row)}, column {column}: "
            f"{survival[row, column]:g}{hint}"
        )
    return np.clip(survival, 0, 1) if low < 0 or high > 1 else survival


def _keep_falling(survival: NDArray[Any]) -> NDArray[Any]:
    blocks = (survival[rows] for rows in row_blocks(*survival.shape))
    if not any((block[:, 1:] > block[:, :-1]).any() for block in blocks):
        return survival
    lowest = np.minimum.accumulate(survival, axis=1)
    for rows in row_blocks(*survival.shape):
        rises = survival[rows] - lowest[rows] > _TOLERANCE
        if rises.any():
            _explain_rise(survival, rows.start + np.argwhere(rises)[0][0])
    return lowest


def _explain_rise(survival: NDArray[Any], row: int) -> None:
    if not (survival[:, 1:] < survival[:, :-1]).any():
        raise InvalidInput(
            "survival rises everywhere, so it looks like a cumulative incidence; "
            "pass 1 - it"
        )
    column = int(np.argmax(np.diff(survival[row])))
    before, after = survival[row, column : column + 2]
    raise InvalidInput(
        f"survival must not rise, but row {row_number(row)} rises from {before:g} to "
        f"{after:g} at "
        f"column {column + 1}; np.minimum.accumulate(survival, axis=1) flattens noise"
    )


def _start_at_one(times: Float, survival: NDArray[Any]) -> tuple[Float, NDArray[Any]]:
    """Prepend the node (0, 1) to all curves if it is missing in one.

    A curve that starts below 1 at time 0 gets a second node at 0: it drops at once.
    """
    if (times[..., 0] == 0).all() and (survival[:, 0] == 1).all():
        return times, survival
    n, k = survival.shape
    longer = np.empty((n, k + 1), dtype=survival.dtype)
    longer[:, 0], longer[:, 1:] = 1, survival
    zeros = np.zeros((*times.shape[:-1], 1))
    return np.concatenate([zeros, times], axis=-1), longer


def check_times(times: ArrayLike, name: str = "times") -> Float:
    """Return one or more times to look at: finite, >= 0, in any order."""
    array: Float = as_floats(np.atleast_1d(as_plain_array(times, name)), name)
    _refuse_negative(array, name)
    return array


def check_own_times(time: ArrayLike, name: str, n: int) -> Float:
    """Return one time per curve; a single number stands for all of them."""
    array = check_times(time, name)
    if np.ndim(time) == 0:
        return np.full(n, array[0])
    check_same_length(**{name: len(array), "curves": n})
    return array


def check_percentile_times(percentile_times: ArrayLike, levels: Float) -> Float:
    """Return percentile times in the order of falling levels; +inf may occur."""
    array: Float = as_floats(
        percentile_times, "percentile_times", ndim=2, allow_inf=True
    )
    if array.shape[1] != levels.size:
        raise InvalidInput(
            f"shapes differ: percentile_times has {array.shape}, levels "
            f"{levels.shape}; percentile_times needs a column per level"
        )
    _refuse_negative(array, "percentile_times")
    array = array[:, np.argsort(-levels)]
    crossing = np.any(array[:, 1:] < array[:, :-1], axis=1)
    if crossing.any():
        raise InvalidInput(
            f"percentile_times cross in {int(crossing.sum())} rows, the first is row "
            f"{int(np.argmax(crossing))}: times must not fall as the level falls; "
            "rearrange them first (consurv.curves.rearrange)"
        )
    return array
