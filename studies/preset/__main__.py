"""``python -m studies.preset``: the paper's settings, ours, and what lies between."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from studies.document import table_file
from studies.files import write_atomically
from studies.preset.comparators import make_digest, read_digest
from studies.preset.lines import lines_table
from studies.preset.numbers import make_numbers, numbers_table, run_numbers
from studies.preset.ours import DEFAULT, run_default
from studies.preset.picture import (
    cells_picture,
    decomposition_picture,
    slip_picture,
)
from studies.preset.sides import Sides, sides_of
from studies.preset.slip import run_scales, slip_table
from studies.preset.steps import STEPS, Step, in_common, load_step, run_steps
from studies.preset.tables import (
    agreement_table,
    blocks_table,
    cells_table,
    counts_table,
    decomposition_table,
)
from studies.records import read_records
from studies.results import Results
from studies.sources import PUBLIC, split_available
from studies.tables.table import Table

_OURS, _DEFAULT = "ours", "our default"
_LABELS = {"paper": "preset paper", "default": "our training, paper's rule"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    if asked.figures and asked.runs:
        make_digest(asked.figures, asked.runs)
        make_numbers(asked.runs)
    names = asked.datasets.split(",") if asked.datasets else split_available(PUBLIC)[0]
    if not asked.report:
        steps = asked.steps.split(",") if asked.steps else None
        run_steps(
            asked.out, datasets=names, seeds=asked.seeds, jobs=asked.jobs, names=steps
        )
        if asked.ours:
            run_default(asked.out / _OURS, names, asked.ours, jobs=asked.jobs)
        if asked.slip:
            run_scales(asked.out, names, asked.slip, asked.jobs)
        if asked.numbers:
            run_numbers(asked.out, names, asked.jobs)
    for path in report(asked.out):
        sys.stdout.write(f"{path}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.preset", description=__doc__
    )
    known = ", ".join(step.name for step in STEPS)
    parser.add_argument("--out", type=Path, default=Path("results/preset"))
    parser.add_argument("--datasets", help="names separated by commas")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--steps", help=f"some of {known}; by default all")
    parser.add_argument(
        "--ours", type=int, default=0, help="seeds of our default, six fits a cell"
    )
    parser.add_argument(
        "--slip", type=int, default=0, help="seeds of the objectives with both scales"
    )
    parser.add_argument(
        "--numbers", action="store_true", help="AFT and GB beside runs of their code"
    )
    parser.add_argument("--report", action="store_true", help="tables alone")
    parser.add_argument("--figures", type=Path, help="paper_cells.csv, with --runs")
    parser.add_argument("--runs", type=Path, help="authors_runs.csv: a new digest")
    return parser


def report(folder: Path) -> list[Path]:
    """Write tables and the picture from stored records; return their paths."""
    known = read_digest()
    found = {
        step.name: (step, load_step(folder, step))
        for step in STEPS
        if (folder / step.name / "records").is_dir()
    }
    start = found.get(STEPS[0].name)
    steps = [_pair(start, step) for step in found.values() if start and step != start]
    runs = _columns(folder, found)
    tables = [
        counts_table(runs, known),
        # Those of the paper's rule.
        agreement_table([run for run in runs if run.label != _DEFAULT], known),
        *([decomposition_table(steps, known)] if steps else []),
        cells_table(runs, known),
        lines_table(),
    ]
    blocks = blocks_table(found["paper"][1], known) if "paper" in found else None
    tables += [blocks] if blocks is not None else []
    numbers = numbers_table(folder)
    tables += [numbers] if numbers.rows else []
    slip = slip_table(folder)
    pictures = []
    if steps:
        pictures.append(
            decomposition_picture(steps, known, folder / "decomposition.png")
        )
    if runs:
        pictures.append(cells_picture(runs, folder / "cells.png"))
    if slip.rows:
        tables.append(slip)
        pictures.append(slip_picture(slip, folder / "slip.png"))
    return [*(_write(folder, table) for table in tables), *pictures]


def _pair(
    start: tuple[Step, Results], step: tuple[Step, Results]
) -> tuple[Sides, Sides]:
    """Return our defaults and a step on the seeds that both have."""
    both = in_common([start[1], step[1]])
    first, second = (
        sides_of(results, part.label)
        for results, (part, _) in zip(both, (start, step), strict=True)
    )
    return first, second


def _columns(folder: Path, found: Mapping[str, tuple[Step, Results]]) -> list[Sides]:
    """Return preset paper, our training with the paper's rule, and our default."""
    runs = [
        sides_of(found[name][1], label)
        for name, label in _LABELS.items()
        if name in found
    ]
    own = read_records(folder / _OURS).records
    return [*runs, *([sides_of(Results(own), _DEFAULT, DEFAULT)] if own else [])]


def _write(folder: Path, table: Table) -> Path:
    path = folder / f"{table.name}.md"
    write_atomically(path, table_file(table).encode())
    write_atomically(path.with_suffix(".csv"), table.csv().encode())
    return path


if __name__ == "__main__":
    raise SystemExit(main())
