"""``python -m studies.whole``: train and calibrate where the truth is known."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from studies.cells import cells_of, path_of, run_cells
from studies.files import write_atomically
from studies.harm.__main__ import is_record
from studies.harm.sources import DATASETS, available
from studies.owned import check_owned, read_json
from studies.whole.cell import record
from studies.whole.summary import by_model, by_size, by_truth, picture, rows_of

_TRUTHS = (
    "weibull.indep40,crossing.cov+50,piecewise.stag80,lognormal.admin50,"
    "GBSG,SUPPORT,FLCHAIN"
)
_MODELS = (
    "coxph,weibull-aft,gradient-boosting,random-forest,deep-trees,deepsurv,n-mtlr,"
    "deephit,coxtime,cqrnn"
)
_BEGINS = r"\d+ cells of truth"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; a run goes on where it was."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.whole", description=__doc__
    )
    parser.add_argument("--truths", default=_TRUTHS)
    parser.add_argument("--models", default=_MODELS)
    parser.add_argument("--sizes", default="200,600,2000")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results/whole"))
    parser.add_argument("--report", action="store_true", help="of what is there")
    parser.add_argument("--force", action="store_true", help="replace foreign files")
    asked = parser.parse_args(arguments)
    check_owned(asked.out / "whole.md", _BEGINS, force=asked.force)
    asked.out.mkdir(parents=True, exist_ok=True)
    here = available(tuple(n for n in asked.truths.split(",") if n in DATASETS))
    truths = [n for n in asked.truths.split(",") if n not in DATASETS or n in here]
    places = [f"{name}@{n}" for n in asked.sizes.split(",") for name in truths]
    cells = cells_of(places, asked.models.split(","), asked.seeds)
    if not asked.report:
        run_cells({asked.out: record}, cells, asked.jobs)
    paths = [path_of(asked.out, *cell) for cell in cells]
    records = [read_json(path, is_record) for path in paths if path.exists()]
    done = [record for record in records if "scores" in record]
    if not done:
        sys.stdout.write("nothing is there yet\n")
        return 1
    rows = rows_of(done)
    sizes = by_size(rows)
    text = "\n\n".join(
        [
            f"{len(done)} cells of truth, size, model and seed; "
            f"{len(records) - len(done)} failed. Errors × 10³; harmed: worse than the "
            "raw model, trained on all rows, by more than 0.5 on average over seeds. "
            "[What this is](../../../docs/bed.md#from-rows-to-curves).",
            _markdown(by_model(rows)),
            _markdown(by_truth(rows)),
            _markdown(sizes),
        ]
    )
    write_atomically(asked.out / "whole.md", (text + "\n").encode())
    picture(sizes, asked.out / "whole.png")
    sys.stdout.write(text + "\n")
    return 0


def _markdown(table: pd.DataFrame) -> str:
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns)]
    for row in table.itertuples(index=False):
        lines.append([f"{v:.3f}" if isinstance(v, float) else str(v) for v in row])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
