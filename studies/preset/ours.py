"""Our default on the splits of the study main: one more results folder.

``python -m studies.preset.ours --models coxph,random-forest --out FOLDER`` runs it for
models that the paper does not have, and counts how often it is better than raw.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from consurv._progress import steps
from consurv.conformal import ConformalSurvival
from consurv.metrics import evaluate
from studies.comparison import Pair
from studies.config import StudyConfig
from studies.document import table_file
from studies.evaluation import describe_error
from studies.files import write_atomically
from studies.grid import Cell, cells_of
from studies.limits import one_thread
from studies.protocol import Split, split_rows
from studies.records import (
    FORMAT,
    VERSION,
    Record,
    read_records,
    record_path,
    write_record,
)
from studies.results import Results
from studies.sources import PUBLIC, load_source, split_available
from studies.tables.wins import win_counts

__all__ = ["DEFAULT", "run_default"]

DEFAULT = "default"
# As ``ConformalSurvival`` has it where nothing is asked for, and named: a folder of
# records must not change its meaning with the package's default.
_SETTINGS: dict[str, Any] = {"adjustment": "recalibrated", "conformal_set": "auto"}


def run_default(
    folder: Path,
    datasets: Sequence[str],
    seeds: int,
    *,
    models: Sequence[str] | None = None,
    jobs: int = 1,
) -> None:
    """Train every model six times and compare raw with our default.

    The raw curves are those of the final model, trained on all rows but the test set,
    so that they are not those of the other columns. What is stored is left alone.

    Parameters
    ----------
    folder : Path
        A results folder of its own.
    datasets : sequence of str
    seeds : int
    models : sequence of str, optional
        By default those of the paper.
    jobs : int
        Cells at a time.
    """
    config = StudyConfig("main", datasets, models, seeds=seeds)
    cells = [cell for cell in cells_of(config) if cell.fit.key != "km"]
    left = [cell for cell in cells if not _path(folder, cell).exists()]
    work = (delayed(_keep)(folder, cell) for cell in sorted(left, key=lambda c: c.seed))
    with steps("our default, cells", len(left), True) as advance:
        for _ in Parallel(jobs, return_as="generator_unordered")(work):
            advance(1)
    if jobs > 1:  # processes that wait for more would stay
        get_reusable_executor().shutdown(wait=True)


def _keep(folder: Path, cell: Cell) -> None:
    write_record(folder, _record(cell))


def _path(folder: Path, cell: Cell) -> Path:
    return record_path(folder, cell.study, cell.dataset, cell.fit.key, cell.seed)


def _record(cell: Cell) -> Record:
    source = load_source(cell.dataset)
    start = perf_counter()
    record: Record = {
        "format": FORMAT,
        "version": VERSION,
        "study": cell.study,
        "dataset": cell.dataset,
        "model": cell.fit.key,
        "seed": cell.seed,
        "status": "done",
        "error": None,
        "data": {"n": len(source.y), "size": source.size, "simulated": False},
        "settings": _SETTINGS,
        "variants": [],
    }
    try:
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record["variants"] = _variants(cell)
    except Exception as error:  # the other cells go on
        record.update(status="failed", error=describe_error(error))
    record["seconds"] = perf_counter() - start
    return record


def _variants(cell: Cell) -> list[dict[str, Any]]:
    split = split_rows(cell.dataset, cell.seed, False)
    model = ConformalSurvival(
        cell.fit.make(cell.seed), random_state=cell.seed, **_SETTINGS
    )
    model.fit(*split.train)
    raw, adjusted = model.predict_both(split.test[0])
    return [_entry("raw", split, raw), _entry(DEFAULT, split, adjusted)]


def _entry(name: str, split: Split, curves: Any) -> dict[str, Any]:
    found = evaluate(split.test[1], curves, y_train=split.kaplan_meier)
    return {"name": name, "status": "done", "metrics": found.as_dict()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.preset.ours", description=__doc__
    )
    add = parser.add_argument
    add("--out", type=Path, default=Path("results/default"))
    add("--datasets", help="names separated by commas; by default the public ones")
    add("--models", help="names separated by commas; by default those of the paper")
    add("--seeds", type=int, default=10)
    add("--jobs", type=int, default=2)
    asked = parser.parse_args(arguments)
    names = asked.datasets.split(",") if asked.datasets else split_available(PUBLIC)[0]
    models = asked.models.split(",") if asked.models else None
    run_default(asked.out, names, asked.seeds, models=models, jobs=asked.jobs)
    results = Results(read_records(asked.out).records)
    table = win_counts(results, Pair.of(results, "main", "raw", DEFAULT))
    path = asked.out / f"{table.name}.md"
    write_atomically(path, table_file(table).encode())
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
