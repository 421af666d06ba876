"""The same conformal set in memory, in Parquet files, on Dask and on Spark.

``python -m benchmarks.scale --rows 1000000`` writes files, lets every engine find the
same adjustment in a process of its own, and prints what each took: ratios to memory,
rounds, the driver's memory, and how far its numbers are from those in memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.scale_engines import ENGINES as GIVERS
from benchmarks.scale_engines import (
    cpu_seconds,
    peak,
    reader_of,
    some_curves,
    write_files,
)
from benchmarks.scale_sql import mass_pass
from benchmarks.simulate import LEVELS
from consurv.conformal.adjustments import ADJUSTMENTS
from consurv.distributed.asked import Asked

RESULTS = Path(__file__).parent / "results" / "scale.json"
ENGINES = (*GIVERS, "duckdb")
# What is found: shifts of time by two rules, or the default; kind and rule of each.
FOUND = {
    "kaplan-meier": ("time", "kaplan-meier"),
    "auto": ("time", "auto"),
    "recalibrated": ("recalibrated", "auto"),
}


def one(
    engine: str,
    folder: Path,
    rule: str,
    resolution: float | None = None,
    features: int = 1,
) -> dict[str, Any]:
    """Return what one engine takes and finds."""
    name, censoring = FOUND[rule]
    kind, read = ADJUSTMENTS[name], reader_of(resolution, name, features)
    before, wall, cpu = peak(), time.perf_counter(), cpu_seconds()
    with GIVERS[engine](folder, read) as (subjects, grown), timed_rounds() as rounds:
        ready, started = time.perf_counter(), peak()
        start_cpu = cpu_seconds() - cpu
        chosen = kind.choose_rule(censoring, None)
        found = kind.make(subjects, chosen, np.random.default_rng(0))
        done = time.perf_counter()
        after, cpu = peak(), cpu_seconds() - cpu
        worker, reading = grown()
    numbers = found.apply_to(some_curves()).percentile_times(LEVELS)
    # A cluster has to start; in memory reading comes before the first question.
    begun = 0.0 if engine == "memory" else start_cpu
    first = rounds[0] if rounds else ready - wall
    return {
        "engine": engine,
        "rule": rule,
        "resolution": resolution,
        "first": first,
        "search": (done - ready) - (rounds[0] if rounds else 0.0),
        "rounds": len(rounds),
        "wall": first + (done - ready) - (rounds[0] if rounds else 0.0),
        "cpu": cpu - begun,
        "start_cpu": begun,
        # Above a driver that has started: libraries and a local scheduler are apart.
        "memory": after - (before if engine == "memory" else started),
        "start": started - before,
        "worker": worker,
        "reading": reading,
        "times": len(found.kaplan_meier.times),
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


def measure(
    rows: int,
    files: int,
    engines: list[str],
    rules: list[str],
    resolution: float | None = None,
    features: int = 1,
) -> list[Any]:
    """Run all engines one after the other, each in a process of its own."""
    found = []
    with TemporaryDirectory(prefix="scale-") as name:
        write_files(Path(name), rows, files, features)
        for rule in rules:
            here: dict[str, Any] = {}
            for engine in engines:
                if engine == "duckdb" and rule != "kaplan-meier":
                    continue
                entry = apart(engine, name, rule, resolution, features)
                if entry is None:
                    continue
                entry.update(rows=rows, files=files, features=features)
                if engine == "memory":
                    here = entry
                if "numbers" in entry and here:
                    off = np.subtract(entry["numbers"], here["numbers"])
                    entry["off"] = float(np.abs(off).max()) / here["largest"]
                    entry["ratio"] = entry["cpu"] / here["cpu"]
                print(line(entry), flush=True)
                found.append(entry)
    return found


def apart(
    engine: str,
    folder: str,
    rule: str,
    resolution: float | None = None,
    features: int = 1,
) -> dict[str, Any] | None:
    """Return what an engine found in a process of its own; None if it failed."""
    words = [sys.executable, "-m", "benchmarks.scale", "--one", engine]
    words += ["--features", str(features)]
    words += [] if resolution is None else ["--resolution", str(resolution)]
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
    worker, reading = entry["worker"], entry["reading"]
    workers = "" if worker is None else f"worker +{worker:.0f} MB  "
    workers += "" if reading is None else f"(reading alone {reading:.0f})  "
    ratio = f"{entry['ratio']:5.2f} x" if "ratio" in entry else "       "
    off = f"off {entry['off']:.0e}" if "off" in entry else ""
    return (
        f"{entry['rows']:>10,}  {entry['rule']:13} {entry['engine']:8} "
        f"CPU {entry['cpu']:7.1f} s ({ratio})  wall {entry['wall']:7.1f} s: "
        f"read+predict {entry['first']:6.1f}, search {entry['search']:6.1f}  "
        f"rounds {entry['rounds']}  driver +{entry['memory']:.0f} MB (its start "
        f"{entry['start']:.0f})  {workers}times {entry['times']:,}  {off}"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6])
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--rules", nargs="+", choices=FOUND, default=list(FOUND))
    parser.add_argument("--resolution", type=float, help="of times; by default exact")
    parser.add_argument("--features", type=int, default=1, help="columns of a row")
    parser.add_argument("--quick", action="store_true", help="20,000 rows, 4 files")
    parser.add_argument("--output", type=Path, help="where to write what was measured")
    parser.add_argument("--one", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        what = args.folder, args.rules[0], args.resolution, args.features
        entry = mass_pass(what[0]) if args.one == "duckdb" else one(args.one, *what)
        print(json.dumps(entry))
        return
    sizes, files = ([20_000], 4) if args.quick else (args.rows, args.files)
    found = []
    for n in sizes:
        found += measure(
            n, files, args.engines, args.rules, args.resolution, args.features
        )
    if args.output:
        for entry in found:  # how far they are off is there
            entry.pop("numbers", None)
        args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
