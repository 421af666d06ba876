"""Arrays of numbers in every form that people hold them in, harmless and hostile."""

from __future__ import annotations

import array
import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch
from hypothesis import strategies as st
from scipy import sparse

from tests.fuzz.oracle import Fate

__all__ = ["Given", "forms"]

Make = Callable[[np.ndarray], Any]


@dataclass(frozen=True)
class Given:
    """A value in a form.

    Attributes
    ----------
    said : str
        The form, for messages.
    value : object
    fate : Fate
        Of this value where an array of numbers is wanted.
    """

    said: str
    value: Any
    fate: Fate

    def __repr__(self) -> str:
        return self.said


class Subclass(np.ndarray):
    """An array of somebody's own."""


def _with(value: Any, dtype: Any = None) -> Make:
    """Put a value into the middle of an array, which then is no array of numbers."""

    def make(clean: np.ndarray) -> Any:
        changed = clean.astype(object if dtype is None else dtype)
        changed.flat[changed.size // 2] = value
        return changed

    return make


def _read_only(clean: np.ndarray) -> Any:
    copy = clean.copy()
    copy.setflags(write=False)
    return copy


def _strided(clean: np.ndarray) -> Any:
    wide = np.full((*clean.shape[:-1], 2 * clean.shape[-1]), -7.0)
    wide[..., ::2] = clean
    return wide[..., ::2]


def _masked(clean: np.ndarray) -> Any:
    mask = np.zeros(clean.shape, dtype=bool)
    mask.flat[clean.size // 2] = True
    return np.ma.array(clean, mask=mask)


def _odd_index(clean: np.ndarray) -> Any:
    return pd.Series(clean, index=[3] * len(clean))


def _nested(clean: np.ndarray) -> Any:
    cells = np.empty(clean.size, dtype=object)
    cells[:] = [[float(v)] for v in clean.flat]
    return cells.reshape(clean.shape)


# Forms of one or two dimensions that hold the numbers themselves.
_ORDINARY: dict[str, Make] = {
    "float64": lambda a: a,
    "a list": lambda a: a.tolist(),
    "a tuple": lambda a: tuple(a.tolist()),
    "float32": lambda a: a.astype(np.float32),
    "float16": lambda a: a.astype(np.float16),
    "long double": lambda a: a.astype(np.longdouble),
    "big-endian": lambda a: a.astype(">f8"),
    "Fortran order": np.asfortranarray,
    "read-only": _read_only,
    "strided": _strided,
    "backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "a subclass": lambda a: a.view(Subclass),
    "objects": lambda a: a.astype(object),
    "decimals": lambda a: _each(a, Decimal),
    "fractions": lambda a: _each(a, Fraction),
    "a tensor": torch.tensor,
    "a list of arrays": list,
}
_ORDINARY_1D: dict[str, Make] = {
    "a Series": pd.Series,
    "a Series with one label": _odd_index,
    "an Index": pd.Index,
    "Float64": lambda a: pd.Series(a, dtype="Float64"),
    "Arrow-backed": lambda a: pd.Series(a, dtype="double[pyarrow]"),
    "a polars Series": pl.Series,
    "a pyarrow array": pa.array,
    "a chunked array": lambda a: pa.chunked_array([pa.array(a[:1]), pa.array(a[1:])]),
    "a memoryview": lambda a: memoryview(a.copy()),
    "an array.array": lambda a: array.array("d", a.tolist()),
    "a column": lambda a: a[:, None],
}
_ORDINARY_2D: dict[str, Make] = {
    "a DataFrame": pd.DataFrame,
    "a polars DataFrame": lambda a: pl.DataFrame(
        a, schema=[f"c{i}" for i in range(a.shape[1])]
    ),
    "Float64 columns": lambda a: pd.DataFrame(a, dtype="Float64"),
    "Arrow-backed columns": lambda a: pd.DataFrame(a).astype("double[pyarrow]"),
}
# Forms in which something is lost if they are taken for numbers.
_HOSTILE: dict[str, Make] = {
    "a mask": _masked,
    "a list of masked arrays": lambda a: list(np.atleast_2d(_masked(a))),
    "NaN": _with(np.nan, float),
    "inf": _with(np.inf, float),
    "minus inf": _with(-np.inf, float),
    "None": _with(None),
    "pd.NA": _with(pd.NA),
    "NaT": _with(pd.NaT),
    "text": _with("unknown"),
    "text of numbers": lambda a: a.astype(str),
    "text as objects": lambda a: a.astype(str).astype(object),
    "bytes": lambda a: a.astype("S"),
    "bytes as objects": _with(b"3"),
    "complex": lambda a: a + 1j,
    "a complex cell": _with(1 + 2j),
    "dates": lambda a: a.astype("M8[D]"),
    "time differences": lambda a: a.astype("m8[D]"),
    "a date": _with(datetime.date(2024, 5, 1)),
    "a Timestamp": _with(pd.Timestamp("2024-05-01", tz="UTC")),
    "a period": _with(pd.Period("2024-05")),
    "an interval": _with(pd.Interval(0, 1)),
    "lists in cells": _nested,
    "a dict in a cell": _with({"a": 1}),
    "ragged": lambda a: [[1.0], *a.tolist()],
    "three dimensions": lambda a: np.stack([np.atleast_2d(a)] * 2),
    "none at all": lambda a: None,
    "a word": lambda a: "time",
    "a set": lambda a: set(a.ravel().tolist()),
    "a dict": lambda a: dict(enumerate(a.tolist())),
    "a generator": lambda a: (v for v in a),
    "a function": lambda a: _masked,
    "records": lambda a: np.zeros(len(a), dtype=[("a", float), ("b", float)]),
    "voids": lambda a: a.copy().view("V8"),
    "gradients": lambda a: torch.tensor(a, requires_grad=True),
    "a huge integer": _with(10**400),
    "NaN as an object": _with(float("nan")),
    "one too many": lambda a: np.concatenate([a, a[:1]]),
    "one too few": lambda a: a[:-1],
    "nothing": lambda a: a[:0],
}
_HOSTILE_1D: dict[str, Make] = {
    "Float64 with NA": lambda a: pd.Series(_with(None)(a), dtype="Float64"),
    "Arrow-backed with null": lambda a: pd.Series(
        _with(None)(a), dtype="double[pyarrow]"
    ),
    "a pyarrow array with null": lambda a: pa.array([None, *a[1:].tolist()]),
    "polars with null": lambda a: pl.Series([None, *a[1:].tolist()]),
    "tz-aware dates": lambda a: pd.Series(
        pd.date_range("2024", periods=len(a), tz="UTC")
    ),
    "Arrow-backed text": lambda a: pd.Series(a.astype(str), dtype="string[pyarrow]"),
    "Arrow-backed dates": lambda a: pd.Series(
        pd.date_range("2024", periods=len(a))
    ).astype("timestamp[ns][pyarrow]"),
    "a category of text": lambda a: pd.Series(["a", *a[1:].astype(str)]).astype(
        "category"
    ),
}
# Forms that may be taken for the numbers or refused.
_ODD: dict[str, Make] = {
    "a mask of nothing": np.ma.array,
    "complex without a part": lambda a: a + 0j,
    "a sparse tensor": lambda a: torch.tensor(a).to_sparse(),
    "a tensor of half": lambda a: torch.tensor(a).to(torch.bfloat16),
    "a quoted scalar": lambda a: np.array(str(a.tolist())),
}
_ODD_1D: dict[str, Make] = {
    "a category": lambda a: pd.Series(a).astype("category"),
    "a DataFrame of one column": lambda a: pd.DataFrame({"a": a}),
    "a polars DataFrame of one column": lambda a: pl.DataFrame({"a": a}),
    "sparse pandas": lambda a: pd.Series(pd.arrays.SparseArray(a)),
    "a row": lambda a: a[None, :],
}
_ODD_2D: dict[str, Make] = {
    "a sparse matrix": sparse.csr_matrix,
    "a pyarrow table": lambda a: pa.table({f"c{i}": c for i, c in enumerate(a.T)}),
}


def _each(clean: np.ndarray, kind: Callable[[float], Any]) -> Any:
    cells = np.empty(clean.shape, dtype=object)
    cells.flat = [kind(float(v)) for v in clean.flat]
    return cells


def _table() -> dict[int, list[tuple[str, Make, Fate]]]:
    found: dict[int, list[tuple[str, Make, Fate]]] = {1: [], 2: []}
    kinds = {
        Fate.TAKEN: (_ORDINARY, _ORDINARY_1D, _ORDINARY_2D),
        Fate.REFUSED: (_HOSTILE, _HOSTILE_1D, {}),
        Fate.EITHER: (_ODD, _ODD_1D, _ODD_2D),
    }
    for fate, (common, *own) in kinds.items():
        for ndim in (1, 2):
            makes = {**common, **own[ndim - 1]}
            found[ndim] += [(said, make, fate) for said, make in makes.items()]
    return found


_FORMS = _table()


@st.composite
def forms(
    draw: Any,
    clean: np.ndarray,
    *,
    spare: tuple[str, ...] = (),
    either: tuple[str, ...] = (),
) -> Given:
    """Draw a form of the numbers *clean*, which has one or two dimensions.

    Parameters
    ----------
    clean : ndarray
        Multiples of 1/4 below 1,000, so that every type holds them exactly.
    spare : tuple of str
        Forms that mean something else at this entry.
    either : tuple of str
        Forms that it may refuse or take, if it takes them for the same numbers.
    """
    known = [form for form in _FORMS[clean.ndim] if form[0] not in spare]
    said, make, fate = draw(st.sampled_from(known))
    return Given(said, make(clean), Fate.EITHER if said in either else fate)
