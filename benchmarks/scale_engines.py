"""Where the subjects of ``benchmarks.scale`` are, and what their workers take.

Each engine is a context that gives the subjects of a folder of files, and a function
that says by how many MB the largest worker has grown, and how many of these it takes
the engine alone to read the files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.simulate import LEVELS, conformal_set
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.partitions import Blocks, Partitions
from consurv.conformal.reading.columns import OutcomeColumns
from consurv.conformal.reading.elsewhere import BlockReader
from consurv.conformal.reading.raw_model import RawModel
from consurv.curves import SurvivalCurves
from consurv.distributed import frame_of

__all__ = ["ENGINES", "cpu_seconds", "peak", "reader_of", "some_curves", "write_files"]

Grown = tuple[float | None, float | None]
Given = Iterator[tuple[Partitions, Callable[[], Grown]]]


class Weibull:
    """A model in closed form, of the wrong shape, scale and effect.

    Of its features one counts; the others make rows wider.
    """

    def __init__(self, features: int = 1) -> None:
        self.feature_names_in_ = names_of(features)

    def predict_survival_function(self, X: Any) -> SurvivalCurves:
        """Return its curves."""
        location = np.log(110) + 0.4 * X["x"].to_numpy()
        return SurvivalCurves.from_aft(location, 1 / 1.3)


def names_of(features: int) -> list[str]:
    """Return the names of features."""
    return ["x", *(f"x{i}" for i in range(1, features))]


def write_files(folder: Path, rows: int, files: int, features: int = 1) -> None:
    """Write subjects to files, part by part."""
    others = names_of(features)[1:]
    size = -(-rows // files)
    for i in range(files):
        n = min(size, rows - i * size)
        q, y = conformal_set(n, seed=i)
        x = (np.log(q[:, 9]) - np.log(110 * np.log(2) ** (1 / 1.3))) / 0.4
        noise = np.random.default_rng(i).normal(size=(n, len(others)))
        table = pd.DataFrame({"x": x, "time": y.time, "event": y.event})
        table = table.join(pd.DataFrame(noise, columns=others))
        table.to_parquet(folder / f"{i:04d}.parquet", index=False)


def some_curves() -> SurvivalCurves:
    """Return raw curves of few subjects from one end of the risks to the other."""
    return Weibull().predict_survival_function(pd.DataFrame({"x": np.linspace(-2, 2)}))


def reader_of(
    resolution: float | None = None, kind: str = "time", features: int = 1
) -> BlockReader:
    """Return what reads the subjects of these files for a kind of adjustment."""
    read = ADJUSTMENTS[kind].read
    columns = OutcomeColumns("time", "event", names_of(features), resolution)
    raw = RawModel(Weibull(features))
    reader = partial(read, raw, levels=LEVELS, in_training=False)
    return BlockReader(columns, LEVELS, reader)


@contextmanager
def in_memory(folder: Path, read: BlockReader) -> Given:
    """Give all rows as one block."""
    block = read(pd.read_parquet(folder))
    assert block is not None
    yield Blocks([block]), lambda: (None, None)


@contextmanager
def in_files(folder: Path, read: BlockReader) -> Given:
    """Give the files themselves."""
    with frame_of(folder).subjects(read, verbose=False) as subjects:
        yield subjects, lambda: (None, None)


@contextmanager
def on_dask(folder: Path, read: BlockReader, workers: int) -> Given:
    """Give them to workers of a cluster."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    how = {"threads_per_worker": 1, "memory_limit": 0, "host": "127.0.0.1"}
    how["dashboard_address"] = "127.0.0.1:0"
    with LocalCluster(n_workers=workers, **how) as own, Client(own) as client:
        frame = dd.read_parquet(sorted(str(p) for p in folder.glob("*.parquet")))
        before = client.run(_started)
        client.gather([client.compute(part) for part in map(_read, frame.to_delayed())])
        reading = _growth(before, client.run(peak))
        with frame_of(frame).subjects(read, verbose=False) as subjects:
            yield subjects, lambda: (_growth(before, client.run(peak)), reading)


@contextmanager
def on_spark(folder: Path, read: BlockReader) -> Given:
    """Give them to two tasks at a time."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "6g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": os.environ.get("TMPDIR", "/tmp"),
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def workers(what: Callable[[], float]) -> dict[int, float]:
        """Return a number of each Python worker, by its process."""

        def asked(tables: Any) -> Iterator[pd.DataFrame]:
            for _ in tables:
                yield pd.DataFrame({"pid": [os.getpid()], "found": [what()]})

        # Not by an RDD: these have workers of their own.
        rows = session.range(0, 8, 1, 8).mapInPandas(asked, "pid long, found double")
        return {row["pid"]: row["found"] for row in rows.collect()}

    before = workers(_started)
    frame = session.read.parquet(str(folder))
    with frame_of(frame).subjects(read, verbose=False) as subjects:
        yield subjects, lambda: (_growth(before, workers(peak)), None)
    session.stop()


ENGINES: dict[str, Callable[..., Any]] = {
    "memory": in_memory,
    "parquet": in_files,
    "dask-1": partial(on_dask, workers=1),
    "dask-2": partial(on_dask, workers=2),
    "spark": on_spark,
}


def peak() -> float:
    """Return the largest resident size of this process so far, in MB.

    Not by getrusage, to which the process that started this one counts, too.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if "VmHWM" in line) / 1024


def _started() -> float:
    """Return it once all libraries are there that reading needs."""
    import pyarrow.parquet  # noqa: F401

    assert frame_of is not None
    return peak()


def _read(part: Any) -> Any:
    """Return a task that reads a partition of Dask's and does nothing else."""
    import dask

    return dask.delayed(len)(part)


def _growth(before: dict[Any, float], after: dict[Any, float]) -> float:
    """Return by how much the worker grew that grew most."""
    start = max(before.values())
    return max(size - before.get(who, start) for who, size in after.items())


def cpu_seconds() -> float:
    """Return those of this process and of all that it started."""
    import psutil

    own = psutil.Process()
    used = [p.cpu_times() for p in [own, *own.children(recursive=True)]]
    # Children that have ended are counted by those who waited for them.
    return sum(t.user + t.system + t.children_user + t.children_system for t in used)
