"""``python -m studies.harm``: train, calibrate, compare; a run goes on where it was."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studies.cells import cells_of, path_of, run_cells
from studies.files import write_atomically
from studies.harm.cell import record
from studies.harm.sources import DATASETS, available
from studies.harm.summary import summarise
from studies.owned import check_owned, read_json

MODELS = (
    "coxph,weibull-aft,lognormal-aft,loglogistic-aft,gradient-boosting,random-forest,trees,"
    "deep-trees"
)
_COLUMNS = (
    "contestant",
    "metric",
    "cells",
    "better",
    "significantly better",
    "significantly worse",
    "worse after Holm",
    "mean raw",
    "mean after",
    "largest relative rise",
    "where worse",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m studies.harm", description=__doc__)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results/harm"))
    parser.add_argument("--force", action="store_true", help="replace foreign files")
    asked = parser.parse_args(arguments)
    check_owned(asked.out / "harm.md", r"\d+ cells of dataset", force=asked.force)
    asked.out.mkdir(parents=True, exist_ok=True)
    datasets = available(tuple(asked.datasets.split(",")))
    cells = cells_of(datasets, asked.models.split(","), asked.seeds)
    run_cells({asked.out: record}, cells, asked.jobs)
    records = [read_json(path_of(asked.out, *cell), is_record) for cell in cells]
    done = [record for record in records if "scores" in record]
    failed = [record for record in records if "error" in record]
    table = summarise(done)
    text = _markdown(table, done, failed)
    write_atomically(asked.out / "harm.md", text.encode())
    sys.stdout.write(text)
    return 0


def is_record(found: Any) -> bool:
    """Say whether what was read is the record of a cell."""
    scores, error = found.get("scores", {}), found.get("error")
    named = all(type(found[name]) is str for name in ("dataset", "model"))
    values = [value for own in scores.values() for value in own.values()]
    told = "raw" in scores if error is None else type(error["message"]) is str
    return named and told and all(type(value) in (int, float) for value in values)


def _markdown(
    table: list[dict[str, Any]],
    done: list[dict[str, Any]],
    failed: list[dict[str, Any]],
) -> str:
    lines = [
        f"{len(done)} cells of dataset, model and seed; {len(failed)} failed. Paired "
        "t-tests over splits with Nadeau and Bengio's correction, at 0.05.",
        "",
        "| " + " | ".join(_COLUMNS) + " |",
        "|" + "---|" * len(_COLUMNS),
    ]
    for row in table:
        values = [
            f"{row[c]:.4g}" if isinstance(row[c], float) else str(row[c])
            for c in _COLUMNS
        ]
        lines.append("| " + " | ".join(values) + " |")
    kinds = {(r["dataset"], r["model"], r["error"]["message"][:80]) for r in failed}
    lines += [""] + [f"- {d}/{m}: {text}" for d, m, text in sorted(kinds)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
