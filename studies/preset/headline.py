"""``python -m studies.preset.headline``: the paper's headline claims, run by run.

What was run is read from the table of all cells; of the Kaplan–Meier dummy, which says
what "calibrated" means, both kinds of splits are run again, and that takes a minute.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studies.config import StudyConfig
from studies.document import table_file
from studies.files import write_atomically
from studies.preset.causes import PAPER
from studies.records import read_records
from studies.results import Results
from studies.runner import run
from studies.tables.table import Table, Value

__all__ = ["headline_table", "kept", "main", "stays"]

# A row of preset_cells.csv, by its columns.
Row = Mapping[str, str]
# The upper end of the dummy's 95 % interval by metric and dataset.
Ends = Mapping[tuple[str, str], float]

_FOLDER = Path("docs/results/preset")
# Each run, where the p-values of its column begin, and whose splits it has.
_RUNS = {
    "preset paper": "paper",
    "our training, paper's rule": "ours",
    "our default": "ours",
}
_PAPER = {
    "D-cal": "68/8/0 (35/1)",
    "KM-cal": "56/20/0 (30/7)",
    "IBS": "61/12/3 (14/0)",
    "MAE-PO": "45/30/1 (4/0)",
    "C-index": "73 of 76 (0)",
}
_LEVEL = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.preset.headline", description=__doc__
    )
    parser.add_argument("--cells", type=Path, default=_FOLDER / "preset_cells.csv")
    parser.add_argument("--records", type=Path, default=Path("results/dummies"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=_FOLDER)
    asked = parser.parse_args(arguments)
    with asked.cells.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    rows = [_named(header, line) for line in lines]
    datasets = sorted({row["dataset"] for row in rows})
    ends = {
        name: _ends(asked.records / name, changes, datasets, asked.seeds)
        for name, changes in {"ours": {}, "paper": dict(PAPER)}.items()
    }
    table = headline_table(rows, ends)
    path = asked.out / f"{table.name}.md"
    write_atomically(path, table_file(table).encode())
    write_atomically(path.with_suffix(".csv"), table.csv().encode())
    sys.stdout.write(table_file(table))
    return 0


def _named(header: Sequence[str], line: Sequence[str]) -> dict[str, str]:
    """Return a row by its columns; p-values have the name of their run before them."""
    found, run_name = {}, ""
    for column, value in zip(header, line, strict=True):
        run_name = column if column in _RUNS else run_name
        found[f"{run_name}, {column}" if column.startswith("p ") else column] = value
    return found


def _ends(
    folder: Path, changes: Mapping[str, Any], datasets: Sequence[str], seeds: int
) -> Ends:
    run(StudyConfig("main", datasets, ("km",), **changes, seeds=seeds), folder)
    results = Results(read_records(folder).records)
    found = {}
    for dataset in datasets:
        for label, name in _CALIBRATION.items():
            dummy = results.interval("main", dataset, "km", "raw", name)
            if dummy is not None:
                found[label, dataset] = dummy.high or dummy.mean
    return found


_CALIBRATION = {"D-cal": "d_calibration", "KM-cal": "km_calibration"}


def headline_table(rows: Sequence[Row], ends: Mapping[str, Ends]) -> Table:
    """Return a line for each claim, and a column for each run."""
    lines: list[tuple[Value, ...]] = []
    for metric in ("D-cal", "KM-cal", "IBS", "MAE-PO"):
        own = [row for row in rows if row["metric"] == metric]
        sides = [row["paper"] for row in own]
        figures = "/".join(str(sides.count(side)) for side in ("CSD", "raw", "tie"))
        found = (_counts(own, name) for name in _RUNS)
        lines.append((f"{metric} improves", _PAPER[metric], figures, *found))
    own = [row for row in rows if row["metric"] == "C-index"]
    worse = sum(row["paper"] == "raw" for row in own)
    lines.append(
        (
            "C-index kept (tied or better)",
            _PAPER["C-index"],
            f"{len(own) - worse} of {len(own)}",
            *(kept(own, name) for name in _RUNS),
        )
    )
    found = (stays(rows, name, ends[splits]) for name, splits in _RUNS.items())
    lines.append(("calibrated stays calibrated", "said, not counted", None, *found))
    return Table(
        "headline",
        "The paper's headline claims",
        "Better / worse / tied, in brackets significantly better / worse by the "
        "unpaired t-test, whose pattern the paper's Table 2 has. C-index: in brackets "
        "significantly worse, paired. Calibrated: cells of D-cal and KM-cal in which "
        "raw lies below the upper end of the Kaplan–Meier dummy's 95 % interval on the "
        "same splits, and calibrated curves do, too. Ties are equal to four digits.",
        ("claim", "the paper, 76 cells", "its figures, 55 cells", *_RUNS),
        tuple(lines),
    )


def _both(row: Row, name: str) -> tuple[float, float] | None:
    """Return the means of raw and of calibrated curves, rounded as in the table."""
    parts = row[name].split(" → ")
    return (float(parts[0]), float(parts[1])) if len(parts) == 2 else None


def _pairs(rows: Sequence[Row], name: str) -> list[tuple[Row, float, float]]:
    return [(row, *both) for row in rows if (both := _both(row, name)) is not None]


def _counts(rows: Sequence[Row], name: str) -> str:
    better = worse = tied = 0
    sure = [0, 0]
    for row, raw, after in _pairs(rows, name):
        better += after < raw
        worse += after > raw
        tied += after == raw
        if after != raw and float(row[f"{name}, p unpaired"]) < _LEVEL:
            sure[after > raw] += 1
    return f"{better}/{worse}/{tied} ({sure[0]}/{sure[1]})"


def kept(rows: Sequence[Row], name: str) -> str:
    """Return in how many cells the C-index is tied or better."""
    pairs = _pairs(rows, name)
    lower = [row for row, raw, after in pairs if after < raw]
    sure = sum(float(row[f"{name}, p paired"]) < _LEVEL for row in lower)
    return f"{len(pairs) - len(lower)} of {len(pairs)} ({sure})"


def stays(rows: Sequence[Row], name: str, ends: Ends) -> str:
    """Return how many of the calibrated cells stay so."""
    seen = stayed = 0
    for row, raw, after in _pairs(rows, name):
        end = ends.get((row["metric"], row["dataset"]))
        if end is not None and raw <= end:
            seen += 1
            stayed += after <= end
    return f"{stayed} of {seen}"


if __name__ == "__main__":
    sys.exit(main())
