"""The same calls on tables that are not in memory: Parquet files, Dask, Spark.

``ConformalSurvival`` takes such a table by itself. A :class:`Frame` knows how the rows
of one kind of table are reached; the library of an engine is imported when such a table
is met. :func:`federate` calibrates a model by tables that nobody may bring together.
"""

from __future__ import annotations

from consurv.distributed.federated import Lattice, answer, federate
from consurv.distributed.frame import Frame
from consurv.distributed.registry import ENGINES, Engine, frame_of

__all__ = [
    "ENGINES",
    "Engine",
    "Frame",
    "Lattice",
    "answer",
    "federate",
    "frame_of",
]
