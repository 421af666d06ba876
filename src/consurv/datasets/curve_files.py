"""Survival curves that another program has written: wide, long or percentile times."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consurv.curves.curves import SurvivalCurves
from consurv.datasets.table import StrPath, pick_columns, read_table
from consurv.errors import InvalidInput

__all__ = ["CurveFile", "ids_of", "read_curves"]

# A time over a column; R puts X before a number.
_TIME = re.compile(r"(?:X|t|time)?[ _.]?(\d+\.?\d*(?:[eE][+-]?\d+)?)")
_LEVEL = re.compile(r"t_at_(0?\.\d+)")
# What `consurv calibrate` writes beside percentile times.
_BESIDE = frozenset(["subject", "median", "mean", "rearranged", "clipped"])


@dataclass(frozen=True)
class CurveFile:
    r"""Curves with the ids of their subjects, as text and in the order of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "curves.csv"
    ...     _ = path.write_text("id,1,2,4\nanna,0.9,0.5,0.1\n")
    ...     found = read_curves(path)
    >>> found.ids.tolist(), len(found.curves)
    (['anna'], 1)
    """

    ids: pd.Index[Any]
    curves: SurvivalCurves


def read_curves(
    path: StrPath, *, id: str = "id", interpolation: str = "linear"
) -> CurveFile:
    r"""Read survival curves from a CSV or Parquet file.

    Parameters
    ----------
    path : path-like
        - Long: the columns id, ``time`` and ``survival``, a row for each node.
        - Wide: the column id and one for each time, named by it (12.5, X12.5, t12.5).
        - Percentile times: the column id and ``t_at_0.9``, ``t_at_0.5``, ...
    id : str, default="id"
        The column that names the subjects, as it is written: 007 is not 7.
    interpolation : {"linear", "step", "pchip"}, default="linear"
        Between nodes; ``"step"`` for Cox models and Kaplan–Meier.

    Returns
    -------
    CurveFile
        With ``ids`` and ``curves``.

    Raises
    ------
    InvalidInput
        If an id or a time comes twice, a column cannot be understood, or the numbers
        are no survival curves.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "curves.csv"
    ...     _ = path.write_text("id,1,2,4\nanna,0.9,0.5,0.1\nbert,0.8,0.6,0.4\n")
    ...     found = read_curves(path)
    >>> found.ids.tolist(), found.curves.median()
    (['anna', 'bert'], array([2., 3.]))
    """
    source = Path(path).name
    frame = read_table(path, text=id)
    ids = ids_of(frame, id, source)
    rest = frame.drop(columns=id)
    try:
        if {name.lower() for name in rest.columns} == {"time", "survival"}:
            return _long(ids, rest.rename(columns=str.lower), interpolation, source)
        _check_unique(ids, source)
        if any(_LEVEL.fullmatch(name) for name in rest.columns):
            return CurveFile(ids, _from_percentiles(rest))
        return CurveFile(ids, _wide(rest, interpolation, id))
    except InvalidInput as error:
        said = str(error)
        raise InvalidInput(said if source in said else f"{source}: {said}") from error


def ids_of(frame: pd.DataFrame, id: str, source: str) -> pd.Index[Any]:
    """Return the ids of a table as text; none may be missing."""
    column = pick_columns(frame, [id], source)[id]
    if column.isna().any():
        row = int(np.flatnonzero(column.isna())[0])
        raise InvalidInput(f"{source} has no {id} in row {row}")
    return pd.Index(column.astype(str))


def _check_unique(ids: pd.Index[Any], source: str) -> None:
    if not ids.is_unique:
        twice = ids[ids.duplicated()][0]
        rows = np.flatnonzero(ids == twice)
        raise InvalidInput(
            f"{source} has the id {twice!r} twice, in rows {rows[0]} and {rows[1]}; "
            "each subject must have one"
        )


def _wide(frame: pd.DataFrame, interpolation: str, id: str) -> SurvivalCurves:
    found = {name: _TIME.fullmatch(name) for name in frame.columns}
    odd = [name for name, match in found.items() if match is None]
    if odd:
        raise InvalidInput(
            f"the column {odd[0]!r} is neither the id {id!r} nor a time; give times as "
            "names of columns, or the columns id, time and survival, or t_at_0.5, ..."
        )
    times = np.array([float(match[1]) for match in found.values() if match])
    order = np.argsort(times, kind="stable")
    values = _numbers(frame)
    return SurvivalCurves(times[order], values[:, order], interpolation)


def _from_percentiles(frame: pd.DataFrame) -> SurvivalCurves:
    found = {name: _LEVEL.fullmatch(name) for name in frame.columns}
    odd = [name for name, match in found.items() if not match and name not in _BESIDE]
    if odd:
        raise InvalidInput(f"the column {odd[0]!r} stands beside t_at_...; remove it")
    levels = {name: float(match[1]) for name, match in found.items() if match}
    return SurvivalCurves.from_percentile_times(
        _numbers(frame[list(levels)]), list(levels.values())
    )


def _long(
    ids: pd.Index[Any], frame: pd.DataFrame, interpolation: str, source: str
) -> CurveFile:
    codes, names = pd.factorize(ids)
    numbers = _numbers(frame[["time", "survival"]])
    order = np.lexsort((numbers[:, 0], codes))
    codes, (time, survival) = codes[order], numbers[order].T
    again = (np.diff(codes) == 0) & (np.diff(time) == 0)
    if again.any():
        i = int(np.flatnonzero(again)[0])
        raise InvalidInput(
            f"{source} has the time {time[i]:g} of id {names[codes[i]]!r} twice"
        )
    counts = np.bincount(codes)
    # Rows of a subject with fewer nodes repeat the last one, which changes no curve.
    place = np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    place = place + (np.cumsum(counts) - counts)[:, None]
    grids, values = time[place], survival[place]
    if (grids == grids[0]).all():
        grids = grids[0]
    return CurveFile(pd.Index(names), SurvivalCurves(grids, values, interpolation))


def _numbers(frame: pd.DataFrame) -> Any:
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise InvalidInput(f"the column {name!r} holds {frame[name].iloc[0]!r}")
    return frame.to_numpy(dtype=float)
