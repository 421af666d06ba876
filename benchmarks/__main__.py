"""Run the benchmarks, print a table for each subject and write them to files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import (
    inversion,
    metrics,
    prediction,
    rearrangement,
    recalibration,
    sampling,
    shifts,
    structure,
    training,
)
from benchmarks.report import Measure, environment, text_table, write

SUBJECTS = {
    "shifts": shifts,
    "recalibration": recalibration,
    "sampling": sampling,
    "inversion": inversion,
    "rearrangement": rearrangement,
    "metrics": metrics,
    "training": training,
    "prediction": prediction,
    "structure": structure,
}
RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> list[Measure]:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, seconds")
    parser.add_argument("--only", choices=SUBJECTS, help="one subject")
    parser.add_argument(
        "--output",
        type=Path,
        help="folder to write to, where one subject replaces only its own rows; "
        "by default results/ for a whole run, else nowhere",
    )
    args = parser.parse_args(arguments)
    about = environment()
    print(f"{about['cpu']}, one thread, numpy {about['numpy']}\n", flush=True)
    measures: list[Measure] = []
    for name in [args.only] if args.only else SUBJECTS:
        found = SUBJECTS[name].run(args.quick)
        if args.quick:  # targets are set for the full sizes
            found = [replace(measure, target=None) for measure in found]
        print(text_table(found[0].case, found), flush=True)
        measures += found
    whole = not (args.quick or args.only)
    folder = args.output or (RESULTS if whole else None)
    if folder:
        write(measures, folder, only=args.only is not None)
        print(f"written to {folder}")
    return measures


if __name__ == "__main__":
    main()
