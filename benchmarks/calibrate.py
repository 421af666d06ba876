"""The command on large tables: CPU seconds and memory, beside those of an older copy.

``python -m benchmarks.calibrate --old FOLDER`` runs ``consurv calibrate`` on 10⁶ rows ×
20 features by this code and by that in FOLDER (which holds a folder ``consurv``, such
as ``git archive`` brings), with the same policy, rule and adjustment. ``--predict
10000000`` lets ``consurv predict`` write percentile times of so many rows in files.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["measure", "measure_prediction", "write_table"]

FEATURES = 20
COLUMNS = ("--time", "time", "--event", "event")
# Names that old copies know, too.
SAME = ("--model", "weibull-aft", "--adjustment", "time", "--quiet")
# Rows of a file to be predicted.
PART = 500_000


def write_table(path: Path, rows: int, seed: int = 0) -> None:
    """Write subjects with 20 features, about 40 % of them censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, FEATURES))
    true = 100 * np.exp(X[:, :5] @ np.full(5, 0.3)) * rng.weibull(1.5, rows)
    limit = rng.exponential(150, rows)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)])
    table["time"], table["event"] = np.minimum(true, limit), true <= limit
    table.to_parquet(path, index=False)


def run(words: list[str], source: Path | None = None) -> dict[str, Any]:
    """Return CPU seconds and the peak in MB of a command of ours, or of a copy's.

    To the peak counts the size of this process, which therefore makes no tables.
    """
    where = dict(os.environ)
    if source is not None:
        where["PYTHONPATH"] = str(source)
    child = subprocess.Popen([sys.executable, "-m", "consurv", *words], env=where)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"consurv {' '.join(words)} ended with {child.returncode}")
    return {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}


def apart(work: Callable[..., None], *args: Any) -> None:
    """Do something in a process of its own."""
    process = get_context("spawn").Process(target=work, args=args)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{work.__name__} ended with {process.exitcode}")


def compare(folder: Path) -> None:
    """Say how far medians of both versions are apart."""
    medians = [
        pd.read_parquet(folder / f"{which}.percentiles.parquet")["median"]
        for which in ("here", "old")
    ]
    off = float((medians[0] / medians[1] - 1).mean())
    print(f"medians differ by {off:.2%} on average", flush=True)


def measure(
    rows: int, new: int, old: Path | None, policy: str = "half", rule: str = "auto"
) -> list[dict[str, Any]]:
    """Return what calibration takes here, and in an old copy."""
    found = []
    how = (*COLUMNS, *SAME, "--conformal-set", policy, "--censoring", rule)
    with TemporaryDirectory(prefix="calibrate-") as name:
        folder = Path(name)
        apart(write_table, folder / "train.parquet", rows)
        apart(write_table, folder / "new.parquet", new, 1)
        tables = [str(folder / "train.parquet"), str(folder / "new.parquet")]
        for which, source in (("here", None), ("old", old)):
            if which == "old" and old is None:
                continue
            out = ("--out", str(folder / f"{which}.parquet"))
            taken = run(["calibrate", *tables, *out, *how], source)
            entry = {"what": f"calibrate, {which}", "rows": rows, **taken}
            found.append({**entry, "conformal_set": policy, "censoring": rule})
            print(line(found[-1]), flush=True)
        if old is not None:
            # Versions draw a half in other ways: numbers are alike, not the same.
            apart(compare, folder)
    return found


def measure_prediction(rows: int) -> dict[str, Any]:
    """Return what a kept model takes for many rows in files, in a folder of parts."""
    with TemporaryDirectory(prefix="predict-") as name:
        folder = Path(name)
        (folder / "new").mkdir()
        apart(write_table, folder / "train.parquet", 20_000)
        apart(write_table, folder / "new" / "0000.parquet", min(PART, rows), 1)
        for i in range(1, -(-rows // PART)):
            first = folder / "new" / "0000.parquet"
            shutil.copy(first, first.with_name(f"{i:04d}.parquet"))
        few = folder / "few.parquet"
        write_table(few, 1_000, seed=1)
        model = ("--save", str(folder / "m.consurv"))
        out = ("--out", str(folder / "few-out.parquet"))
        train = [str(folder / "train.parquet"), str(few)]
        run(["calibrate", *train, *COLUMNS, *out, *SAME, *model])
        many = [str(folder / "m.consurv"), str(folder / "new" / "*.parquet")]
        taken = run(["predict", *many, "--out", f"{folder}/parts", "--quiet"])
    entry = {"what": "predict", "rows": rows, **taken}
    print(line(entry), flush=True)
    return entry


def line(entry: dict[str, Any]) -> str:
    """Return one line about a command."""
    return (
        f"{entry['what']:16} {entry['rows']:>10,} rows  CPU {entry['cpu']:7.1f} s  "
        f"peak {entry['peak']:6.0f} MB"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--new", type=int, default=10**5, help="rows to predict beside")
    parser.add_argument("--old", type=Path, help="where an old consurv lies")
    parser.add_argument("--conformal-set", default="half", help="as the command has it")
    parser.add_argument("--censoring", default="kaplan-meier")
    parser.add_argument("--predict", type=int, default=0, help="rows of a kept model")
    parser.add_argument("--output", type=Path, help="where to write what was measured")
    args = parser.parse_args()
    how = args.conformal_set, args.censoring
    found = measure(args.rows, args.new, args.old, *how) if args.rows else []
    if args.predict:
        found.append(measure_prediction(args.predict))
    if args.output:
        args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
