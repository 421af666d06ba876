"""The same conformal set in memory, in Parquet files, on Dask and on Spark.

``python -m benchmarks.scale --rows 1000000`` writes files, lets every engine find the
same adjustment in a process of its own, and prints what each took: ratios to memory,
rounds, the driver's memory, and how far its numbers are from those in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.simulate import LEVELS, conformal_set
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.conformal.parts.partitions import Blocks, Contributed, Partitions
from consurv.conformal.quantile.questions import Bracket
from consurv.conformal.reading.columns import OutcomeColumns
from consurv.conformal.reading.elsewhere import BlockReader
from consurv.conformal.reading.raw_model import RawModel
from consurv.curves import SurvivalCurves
from consurv.distributed import frame_of
from consurv.distributed.asked import Asked

RESULTS = Path(__file__).parent / "results" / "scale.json"
ENGINES = ("memory", "parquet", "dask", "spark", "duckdb")
FEATURES = ["x"]


class Weibull:
    """A model in closed form, of the wrong shape, scale and effect."""

    feature_names_in_ = FEATURES

    def predict_survival_function(self, X: Any) -> SurvivalCurves:
        """Return its curves."""
        location = np.log(110) + 0.4 * X["x"].to_numpy()
        return SurvivalCurves.from_aft(location, 1 / 1.3)


def write_files(folder: Path, rows: int, files: int) -> None:
    """Write subjects to files, part by part."""
    size = -(-rows // files)
    for i in range(files):
        n = min(size, rows - i * size)
        q, y = conformal_set(n, seed=i)
        x = (np.log(q[:, 9]) - np.log(110 * np.log(2) ** (1 / 1.3))) / 0.4
        table = pd.DataFrame({"x": x, "time": y.time, "event": y.event})
        table.to_parquet(folder / f"{i:04d}.parquet", index=False)


# -- engines: each gives the subjects of the files as a context ---------------------


@contextmanager
def in_memory(folder: Path, read: BlockReader) -> Iterator[Partitions]:
    """Give all rows as one block."""
    block = read(pd.read_parquet(folder))
    assert block is not None
    yield Blocks([block])


@contextmanager
def in_files(folder: Path, read: BlockReader) -> Iterator[Partitions]:
    """Give the files themselves."""
    with frame_of(folder).subjects(read, verbose=False) as subjects:
        yield subjects


@contextmanager
def on_dask(folder: Path, read: BlockReader) -> Iterator[Partitions]:
    """Give them to two workers."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    local = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, **local) as own,
        Client(own),
    ):
        frame = dd.read_parquet(sorted(str(p) for p in folder.glob("*.parquet")))
        with frame_of(frame).subjects(read, verbose=False) as subjects:
            yield subjects


@contextmanager
def on_spark(folder: Path, read: BlockReader) -> Iterator[Partitions]:
    """Give them to two tasks at a time."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    frame = session.read.parquet(str(folder))
    with frame_of(frame).subjects(read, verbose=False) as subjects:
        yield subjects
    session.stop()


GIVERS: dict[str, Callable[..., Any]] = {
    "memory": in_memory,
    "parquet": in_files,
    "dask": on_dask,
    "spark": on_spark,
}


def one(engine: str, folder: Path, rule: str) -> dict[str, Any]:
    """Return what one engine takes and finds."""
    kind = ADJUSTMENTS["time"]
    reader = partial(kind.read, RawModel(Weibull()), levels=LEVELS, in_training=False)
    read = BlockReader(OutcomeColumns("time", "event", FEATURES), LEVELS, reader)
    before, wall, cpu = peak(), time.perf_counter(), cpu_seconds()
    with GIVERS[engine](folder, read) as subjects, timed_rounds() as rounds:
        ready, started = time.perf_counter(), peak()
        chosen = kind.choose_rule(rule, None)
        found = kind.make(subjects, chosen, np.random.default_rng(0))
        done = time.perf_counter()
        after = peak()
    numbers: Any = next(iter(found.attributes().values()))
    first = rounds[0] if rounds else ready - wall
    return {
        "engine": engine,
        "rule": rule,
        "first": first,
        "search": (done - ready) - (rounds[0] if rounds else 0.0),
        "rounds": len(rounds),
        # Without the start of a cluster.
        "wall": first + (done - ready) - (rounds[0] if rounds else 0.0),
        "cpu": cpu_seconds() - cpu,
        # Above a driver that has started: libraries and a local scheduler are apart.
        "memory": after - (before if engine == "memory" else started),
        "start": started - before,
        "numbers": numbers.tolist(),
        "largest": float(found.kaplan_meier.t_max),
    }


@contextmanager
def timed_rounds() -> Iterator[list[float]]:
    """Give a list of seconds, one for each question that is asked meanwhile."""
    rounds: list[float] = []
    ask = Asked.ask

    def timed(self: Any, question: Any) -> Any:
        began = time.perf_counter()
        answer = ask(self, question)
        rounds.append(time.perf_counter() - began)
        return answer

    Asked.ask = timed  # type: ignore[method-assign]
    try:
        yield rounds
    finally:
        Asked.ask = ask  # type: ignore[method-assign]


def peak() -> float:
    """Return the largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_seconds() -> float:
    """Return those of this process and of its children that have ended."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in whose]
    return sum(u.ru_utime + u.ru_stime for u in used)


# -- one exact pass over the mass, against the same in SQL --------------------------


def mass_pass(folder: Path) -> dict[str, Any]:
    """Return what one pass over the exact mass at all levels takes here and in DuckDB.

    The mass of the exact Kaplan–Meier rule at one score a level: events count if their
    score is below, censored subjects by S(t⁻)/S(c).
    """
    import duckdb

    table = pd.read_parquet(folder)
    q = np.exp(np.log(110) + 0.4 * table["x"].to_numpy())[:, None] * (
        -np.log(LEVELS)
    ) ** (1 / 1.3)
    kind = ADJUSTMENTS["time"]
    reader = partial(kind.read, RawModel(Weibull()), levels=LEVELS, in_training=False)
    read = BlockReader(OutcomeColumns("time", "event", FEATURES), LEVELS, reader)
    rule = kind.choose_rule("kaplan-meier", None)
    with frame_of(folder).subjects(read, verbose=False) as subjects:
        curve = subjects.outcomes.curve()
        referred = subjects.referring_to(curve, member=True)
        at = np.zeros(len(LEVELS))
        places = np.arange(len(LEVELS))
        question = Bracket(places, at - 1e-9, at, np.zeros(len(LEVELS)))
        began, cpu = time.perf_counter(), time.process_time()
        answer = referred.ask(Contributed(rule, (question,)))[1]
        ours = time.perf_counter() - began
        ours_cpu = time.process_time() - cpu
    mass = answer.law[:, 1, 0] + answer.law[:, 1, 1] * 2.0**-48
    wide = pd.DataFrame(q, columns=[f"q{i}" for i in range(len(LEVELS))])
    wide["time"], wide["event"] = table["time"], table["event"]
    wide["alive"] = curve.survival_at(table["time"].to_numpy())
    with TemporaryDirectory() as other:
        wide.to_parquet(f"{other}/q.parquet", index=False)
        base = duckdb.connect()
        base.execute("set threads=1")
        base.execute(f"create table people as from '{other}/q.parquet' where not event")
    last, end, left = curve.t_max, curve.t_end, curve.s_max
    steps = pd.DataFrame({"t": curve.times, "s": curve.survival})
    base.execute("create table km as select * from steps")
    began, cpu = time.perf_counter(), time.process_time()
    theirs = [
        base.execute(
            f"select sum(case when q{i} <= time then 1.0 else case when q{i} > {last} "
            f"then greatest(least(1 - q{i} / {end}, {left}), 0) else coalesce(s, 1.0) "
            f"end / alive end) from people asof left join km on q{i} > km.t"
        ).fetchall()[0][0]
        for i in range(len(LEVELS))
    ]
    sql, sql_cpu = time.perf_counter() - began, time.process_time() - cpu
    assert len(steps)
    off = np.abs(np.array(theirs, dtype=float) - mass).max() / len(table)
    return {
        "engine": "duckdb",
        "ours": ours,
        "ours_cpu": ours_cpu,
        "sql": sql,
        "sql_cpu": sql_cpu,
        "off": off,
    }


# -- all of them ---------------------------------------------------------------------


def measure(rows: int, files: int, engines: list[str], rules: list[str]) -> list[Any]:
    """Run all engines one after the other, each in a process of its own."""
    found = []
    with TemporaryDirectory(prefix="scale-") as name:
        write_files(Path(name), rows, files)
        for rule in rules:
            here: dict[str, Any] = {}
            for engine in engines:
                if engine == "duckdb" and rule != "kaplan-meier":
                    continue
                entry = apart(engine, name, rule)
                if entry is None:
                    continue
                entry["rows"] = rows
                if engine == "memory":
                    here = entry
                if "numbers" in entry and here:
                    off = np.subtract(entry["numbers"], here["numbers"])
                    entry["off"] = float(np.abs(off).max()) / here["largest"]
                    entry["ratio"] = entry["wall"] / here["wall"]
                print(line(entry), flush=True)
                found.append(entry)
    return found


def apart(engine: str, folder: str, rule: str) -> dict[str, Any] | None:
    """Return what an engine found in a process of its own; None if it failed."""
    words = [sys.executable, "-m", "benchmarks.scale", "--one", engine]
    done = subprocess.run(
        [*words, "--folder", folder, "--rules", rule], capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        print(f"{engine:8} failed: {' '.join(last)}", flush=True)
        return None
    entry: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return entry


def line(entry: dict[str, Any]) -> str:
    """Return one line about an engine."""
    if entry["engine"] == "duckdb":
        return (
            f"{entry['rows']:>10,}  one exact pass: {entry['ours']:.2f} s "
            f"(CPU {entry['ours_cpu']:.2f}), DuckDB {entry['sql']:.2f} s "
            f"(CPU {entry['sql_cpu']:.2f}); masses differ by {entry['off']:.1e} of n"
        )
    return (
        f"{entry['rows']:>10,}  {entry['rule']:13} {entry['engine']:8} "
        f"wall {entry['wall']:7.1f} s ({entry['ratio']:5.2f} x)  "
        f"CPU {entry['cpu']:7.1f} s  read+predict {entry['first']:6.1f}  "
        f"search {entry['search']:6.1f}  rounds {entry['rounds']}  "
        f"driver +{entry['memory']:.0f} MB (its start {entry['start']:.0f})  "
        f"off {entry['off']:.0e}"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6])
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--rules", nargs="+", default=["kaplan-meier", "auto"])
    parser.add_argument("--quick", action="store_true", help="20,000 rows, 4 files")
    parser.add_argument("--output", type=Path, help="where to write what was measured")
    parser.add_argument("--one", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        what = args.folder, args.rules[0]
        entry = mass_pass(what[0]) if args.one == "duckdb" else one(args.one, *what)
        print(json.dumps(entry))
        return
    sizes, files = ([20_000], 4) if args.quick else (args.rows, args.files)
    found = [e for n in sizes for e in measure(n, files, args.engines, args.rules)]
    if args.output:
        args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
