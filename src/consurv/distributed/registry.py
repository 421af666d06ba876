"""The engines, each with the types that it knows and the file that serves it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from consurv.distributed.frame import Frame
from consurv.errors import MissingDependency

__all__ = ["ENGINES", "Engine", "frame_of"]


@dataclass(frozen=True)
class Engine:
    """Where tables can be.

    Parameters
    ----------
    name : str
        As people call it.
    types : tuple of str
        How the full names of the types begin that it knows.
    home : str
        Our module, imported when first used, whose ``FRAME`` takes such a table.
    extra : str
        What installs it.

    Examples
    --------
    >>> [engine.name for engine in ENGINES]
    ['Parquet files', 'Dask', 'Spark']
    """

    name: str
    types: tuple[str, ...]
    home: str
    extra: str


# Names of files are strings, or paths, or lists of them.
PATHS = "paths"
ENGINES = (
    Engine(
        "Parquet files",
        (PATHS, "pyarrow._dataset.", "pyarrow.lib.RecordBatchReader"),
        "consurv.distributed.parquet",
        "cli",
    ),
    Engine(
        "Dask",
        ("dask.dataframe.", "dask_expr."),
        "consurv.distributed.dask_frame",
        "distributed",
    ),
    Engine(
        "Spark",
        (
            "pyspark.sql.dataframe.DataFrame",
            "pyspark.sql.classic.dataframe.DataFrame",
            "pyspark.sql.connect.dataframe.DataFrame",
        ),
        "consurv.distributed.spark_frame",
        "spark",
    ),
)
"""The kinds of tables that are known beside those in memory.

Examples
--------
>>> [engine.extra for engine in ENGINES]
['cli', 'distributed', 'spark']
"""


def frame_of(X: Any) -> Frame | None:
    """Return the frame of a table by its type, or None if no engine knows it.

    Examples
    --------
    >>> import numpy as np
    >>> frame_of(np.zeros((2, 2))) is None
    True
    """
    names = _names(X)
    for engine in ENGINES:
        if any(name.startswith(engine.types) for name in names):
            return _opened(engine, X)
    return None


def _names(X: Any) -> list[str]:
    if _is_path(X) or (isinstance(X, list | tuple) and X and all(map(_is_path, X))):
        return [PATHS]
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in type(X).__mro__]


def _is_path(X: Any) -> bool:
    return isinstance(X, str | os.PathLike)


def _opened(engine: Engine, X: Any) -> Frame:
    try:
        home = import_module(engine.home)
    except ModuleNotFoundError as error:
        raise MissingDependency(str(error.name), engine.extra) from error
    frame: Frame = home.FRAME(X)
    return frame
