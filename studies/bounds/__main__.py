"""Lower bounds in the settings of three papers: python -m studies.bounds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from consurv._progress import steps
from studies.bounds import davidov, nyangweso_wang, sesia_svetnik
from studies.bounds.page import page
from studies.bounds.picture import draw
from studies.bounds.run import Records, missing, read, run, write
from studies.files import write_atomically
from studies.owned import check_owned

RESULTS = Path(__file__).parent / "results"
GROUPS = {
    module.SETTINGS[0].group: module.SETTINGS
    for module in (davidov, nyangweso_wang, sesia_svetnik)
}
# --quick: the first setting of each paper, twice.
_QUICK_REPETITIONS = 2


def main(arguments: Sequence[str] | None = None) -> Records:
    """Run what the command line asks for; what the output has already is kept."""
    args = _parser().parse_args(arguments)
    path = args.output / "bounds.json"
    check_owned(path.with_suffix(".md"), "# Lower bounds", force=args.force)
    records: Records = {} if args.fresh else read(path)
    chosen = [s for group in args.groups for s in GROUPS[group]]
    repetitions = range(args.repetitions)
    if args.quick:
        chosen = [GROUPS[group][0] for group in args.groups]
        repetitions = range(_QUICK_REPETITIONS)
    tasks = [] if args.page else missing(chosen, repetitions, records)
    with steps("repetitions", len(tasks), verbose=bool(tasks)) as advance:
        for setting, repetition, found in run(tasks, args.jobs):
            records.setdefault(setting, {}).setdefault(repetition, {}).update(found)
            write(records, path)
            advance()
    text = page(records)
    write_atomically(path.with_suffix(".md"), text.encode())
    draw(records, path.with_suffix(".png"))
    print(text)
    return records


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.bounds", description=__doc__
    )
    add, names = parser.add_argument, list(GROUPS)
    add("--groups", nargs="+", choices=names, default=names, metavar="NAME")
    add("--repetitions", type=int, default=100)
    add("--quick", action="store_true", help="three settings, twice: does it run?")
    add("--page", action="store_true", help="only write page and picture anew")
    add("--fresh", action="store_true", help="forget what the output has")
    add("--force", action="store_true", help="replace foreign files")
    add("--jobs", type=int, default=1, help="processes")
    add("--output", type=Path, default=RESULTS, help="folder of the results")
    return parser


if __name__ == "__main__":
    main()
