"""``python -m studies.real``: two studies of real data from the same models.

What calibrating does to real data (`studies.harm`) and what else one could do
(`studies.calibrators`) ask the same models; here these are trained once, which takes
half the time. A run goes on where it was, and each study makes its tables of the
records by itself, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.calibrators import __main__ as calibrators
from studies.calibrators.cell import record as record_calibrators
from studies.cells import Cell, Record, cells_of, run_cells
from studies.harm import __main__ as harm
from studies.harm.cell import record as record_harm
from studies.harm.sources import DATASETS, available


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; records lie where both studies look."""
    parser = argparse.ArgumentParser(prog="python -m studies.real", description=__doc__)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--models", default=harm.MODELS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results"))
    asked = parser.parse_args(arguments)
    places = asked.out / "harm", asked.out / "calibrators"
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
    datasets = available(tuple(asked.datasets.split(",")))
    groups: dict[tuple[bool, bool], list[Cell]] = {}
    for cell in cells_of(datasets, asked.models.split(","), asked.seeds):
        groups.setdefault(asked_by(cell), []).append(cell)
    both: tuple[Record, Record] = record_harm, record_calibrators
    for wanted, cells in groups.items():
        chosen = zip(places, both, wanted, strict=True)
        records = {place: record for place, record, it_is in chosen if it_is}
        run_cells(records, cells, asked.jobs)
    return 0


def asked_by(cell: Cell) -> tuple[bool, bool]:
    """Say whether a cell belongs to the study of harm, and to that of calibrators.

    Examples
    --------
    >>> asked_by(("GBSG", "coxph", 0)), asked_by(("GBSG", "deepsurv", 0))
    ((True, True), (True, False))
    """
    dataset, model, _ = cell
    in_both = model in calibrators.MODELS.split(",") and dataset in calibrators.PLACES
    alone = model == "lognormal"  # the network that X-cal is for
    return not alone, in_both


if __name__ == "__main__":
    sys.exit(main())
