"""The border for numeric input: coerce once with a clear message, then trust.

Every array that a user hands over passes through here, so that strings, dates,
masked arrays, NaN and wrong shapes are refused in the same words everywhere, and
lists, pandas, polars, float32, big-endian and read-only arrays simply work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from consurv._cells import explain_objects, explain_text
from consurv._rows import row_number
from consurv.errors import InvalidInput

__all__ = [
    "Bool",
    "Float",
    "Index",
    "as_floats",
    "as_levels",
    "as_plain_array",
    "check_finite",
    "check_magnitude",
    "check_plain",
    "check_same_length",
    "from_arrow",
]

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]
Index = NDArray[np.intp]  # positions of rows, nodes or bins

_KINDS = {
    "U": "text",
    "S": "text",
    "T": "text",
    "M": "dates",
    "m": "time differences",
    "c": "complex numbers",
}
_REMEDIES = {
    "M": "; subtract the start date and divide by a unit, such as pd.Timedelta('1D')",
    "m": "; divide by a unit, such as pd.Timedelta('1D')",
    "c": "; give their real part (.real) if the rest means nothing",
}


# Times outside have reciprocals, sums or ends of tails that are not finite.
_SMALLEST, _LARGEST = float(np.finfo(np.float64).tiny), 1e290


def check_plain(values: Any, name: str) -> None:
    """Refuse what numpy would read with a loss, or not at all: masks and gradients.

    Examples
    --------
    >>> check_plain([[1.0, 2.0]], "X")
    >>> check_plain(np.ma.array([1.0, 2.0], mask=[0, 1]), "risk")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: risk is a masked array and the mask would be lost; \
drop or fill the masked entries first
    """
    parts = values if isinstance(values, list | tuple) else ()
    for part in (values, *parts):  # of a list of masked rows the masks go too
        if isinstance(part, np.ma.MaskedArray):
            raise InvalidInput(
                f"{name} is a masked array and the mask would be lost; "
                "drop or fill the masked entries first"
            )
        if getattr(part, "requires_grad", False) is True:
            raise InvalidInput(
                f"{name} is a tensor that records gradients; give {name}.detach()"
            )
        if getattr(part, "is_sparse", False) is True:
            raise InvalidInput(f"{name} is a sparse tensor; give {name}.to_dense()")


def from_arrow(table: Any) -> Any:
    """Return a pyarrow Table as a DataFrame, anything else as it is.

    Its ``columns`` are arrays where those of pandas and polars are names.
    """
    if type(table).__module__.partition(".")[0] == "pyarrow":
        return table.to_pandas()
    return table


def as_plain_array(values: Any, name: str) -> NDArray[Any]:
    """Return *values* as an ndarray, refusing what has a mask or cannot be one."""
    check_plain(values, name)
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:  # ragged nested lists
        raise InvalidInput(f"{name} cannot be read as an array: {error}") from error
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind in "US" and array.size:
        raise InvalidInput(f"{name} holds text, not numbers, {explain_text(array)}")
    if array.dtype.kind in _KINDS:
        first = f", the first is {array.flat[0]!r}" if array.size else ""
        raise InvalidInput(
            f"{name} holds {_KINDS[array.dtype.kind]}, not numbers{first}"
            f"{_REMEDIES.get(array.dtype.kind, '')}"
        )
    return array


def _from_objects(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Read an object array whose entries are plain numbers."""
    if any(isinstance(value, str | bytes) for value in array.flat):
        raise InvalidInput(f"{name} holds text, not numbers, {explain_text(array)}")
    missing = np.asarray(pd.isna(array))
    if missing.any():
        place = tuple(int(i) for i in np.argwhere(missing)[0])
        raise InvalidInput(
            f"{name} has {int(missing.sum())} missing values, the first at "
            f"{_place(place)}; drop or fill them"
        )
    try:
        if all(isinstance(value, bool | np.bool_) for value in array.flat):
            return array.astype(bool)
        return array.astype(np.float64)
    except OverflowError as error:
        raise InvalidInput(
            f"{name} holds a number above 1.8e308, which no float can; choose a larger "
            "unit"
        ) from error
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} holds {explain_objects(array)}") from error


def as_floats(
    values: ArrayLike,
    name: str,
    *,
    ndim: int | tuple[int, ...] = 1,
    allow_inf: bool = False,
    keep_float32: bool = False,
) -> NDArray[Any]:
    """Return *values* as a native float array of the wanted number of dimensions.

    A column of shape (n, 1) is taken as n values where one dimension is wanted.
    NaN is refused always, infinities unless *allow_inf* (then only +inf).
    """
    array = as_plain_array(values, name)
    if array.dtype.kind not in "fiub":
        raise InvalidInput(
            f"{name} has dtype {array.dtype}, not numbers; give one number for each "
            "entry"
        )
    wanted = (ndim,) if isinstance(ndim, int) else ndim
    if wanted == (1,) and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in wanted:
        shape = " or ".join(f"{d}-dimensional" for d in wanted)
        raise InvalidInput(f"{name} must be {shape}, got shape {array.shape}")
    single = keep_float32 and array.dtype.kind == "f" and array.dtype.itemsize == 4
    array = np.asarray(array, dtype=np.float32 if single else np.float64)
    check_finite(array, name, allow_inf=allow_inf)
    return array


def check_finite(array: NDArray[Any], name: str, *, allow_inf: bool = False) -> None:
    """Refuse NaN and, unless *allow_inf*, infinities; the first place is named."""
    # The sum is NaN or infinite if any entry is: one pass and no temporary.
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(array.sum(dtype=np.float64))
    if np.isfinite(total):
        return
    bad = np.isnan(array) | (array == -np.inf) if allow_inf else ~np.isfinite(array)
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        kind = "NaN" if np.isnan(array[bad]).any() else "infinite"
        raise InvalidInput(
            f"{name} has {int(bad.sum())} {kind} values, the first at "
            f"{_place(place)}: {array[place]}; drop or fill them"
        )


def check_magnitude(times: Float, name: str) -> None:
    """Refuse times, >= 0, whose ratios, sums or squares a float does not hold.

    Examples
    --------
    >>> check_magnitude(np.array([0.0, 1e-310]), "time")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: time has 1 values too small to compute with, the \
first at row 1: 1e-310; choose a smaller unit
    """
    if not times.size or (times.max() <= _LARGEST and times.min() >= _SMALLEST):
        return
    bad = {
        "small": (times > 0) & (times < _SMALLEST),
        "large": (times > _LARGEST) & np.isfinite(times),
    }
    for word, where in bad.items():
        if where.any():
            place = tuple(int(i) for i in np.argwhere(where)[0])
            unit = "smaller" if word == "small" else "larger"
            raise InvalidInput(
                f"{name} has {int(where.sum())} values too {word} to compute with, the "
                f"first at {_place(place)}: {times[place]:g}; choose a {unit} unit"
            )


def _place(index: tuple[int, ...]) -> str:
    if len(index) > 1:  # one number for each row may also be a grid of times
        index = (row_number(index[0]), *index[1:])
    names = ("row", "column", "plane")
    return (
        ", ".join(f"{what} {i}" for what, i in zip(names, index, strict=False))
        or "the only place"
    )


def check_same_length(**lengths: int) -> None:
    """Refuse arrays that should have one entry per subject but do not."""
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise InvalidInput(f"lengths differ: {said}")


def as_levels(levels: ArrayLike, name: str = "levels") -> Float:
    """Return percentile levels as floats, strictly inside (0, 1) and distinct.

    The order that the caller chose is kept.
    """
    array: Float = as_floats(np.atleast_1d(as_plain_array(levels, name)), name)
    if array.size == 0:
        raise InvalidInput(f"{name} is empty; give at least one level in (0, 1)")
    outside = (array <= 0) | (array >= 1)
    if outside.any():
        value = array[outside][0]
        hint = "; divide percentages by 100" if value > 1 else ""
        raise InvalidInput(
            f"{name} must lie strictly between 0 and 1, got {value:g}{hint}"
        )
    if np.unique(array).size < array.size:
        raise InvalidInput(f"{name} must be distinct, got {array.tolist()}")
    return array
