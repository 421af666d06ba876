"""``python -m studies.calibrators``: what else could one do, and how well does it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.bed.run import read
from studies.calibrators.cell import OURS, record
from studies.calibrators.page import ERRORS, of_bed, page
from studies.calibrators.picture import picture
from studies.calibrators.rivals import RIVALS
from studies.cells import cells_of, path_of, run_cells
from studies.files import write_atomically
from studies.harm.__main__ import is_record
from studies.harm.sources import DATASETS, available
from studies.owned import check_owned, read_json

MODELS = "coxph,weibull-aft,gradient-boosting,random-forest,deep-trees,lognormal"
# GBSG2's patients are part of GBSG.
PLACES = tuple(name for name in DATASETS if name != "GBSG2")
# How the contestants of the test bed are called there.
_IN_BED = {
    "raw": "raw",
    "recalibrated": OURS,
    "level, uniform": "CiPOT",
    "time, kaplan-meier": "CSD, out of fold",
    **{name: name for name in RIVALS},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    check_owned(
        asked.out / "calibrators.md", r"\d+ cells of dataset", force=asked.force
    )
    asked.out.mkdir(parents=True, exist_ok=True)
    named = tuple(asked.datasets.split(","))
    # Records tell of datasets that are no longer here, too.
    datasets = named if asked.report else available(named)
    cells = cells_of(datasets, asked.models.split(","), asked.seeds)
    if not asked.report:
        run_cells({asked.out: record}, cells, asked.jobs)
    paths = [path_of(asked.out, *cell) for cell in cells]
    records = [read_json(path, is_record) for path in paths if path.exists()]
    done = [found for found in records if "scores" in found]
    failed = [found for found in records if "error" in found]
    known = {
        setting: {_IN_BED[n]: own for n, own in by.items() if n in _IN_BED}
        for setting, by in (read(asked.bed) if asked.bed else {}).items()
    }
    names = list(_IN_BED.values())
    bed = {label: of_bed(known, names, k) for label, k in ERRORS.items()}
    text = page(done, failed, bed)
    write_atomically(asked.out / "calibrators.md", text.encode())
    picture(done, asked.out / "calibrators.png")
    sys.stdout.write(text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.calibrators", description=__doc__
    )
    add = parser.add_argument
    add("--datasets", default=",".join(PLACES))
    add("--models", default=MODELS)
    add("--seeds", type=int, default=10)
    add("--jobs", type=int, default=2)
    add("--out", type=Path, default=Path("results/calibrators"))
    add("--bed", type=Path, help="a JSON of studies.bed with the same contestants")
    add("--report", action="store_true", help="from what is there, nothing is run")
    add("--force", action="store_true", help="replace foreign files")
    return parser


if __name__ == "__main__":
    sys.exit(main())
