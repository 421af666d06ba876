"""Compare adjustments where the truth is known: python -m studies.bed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.bed.contestants import contestants, further
from studies.bed.run import Records, read, run, write
from studies.bed.setting import GROUPS, settings
from studies.bed.table import page
from studies.files import write_atomically
from studies.owned import check_owned

RESULTS = Path(__file__).parent / "results"
# --quick: a step curve, a law with some cured, and little else.
_QUICK = r"^(months stag80 right 120|weibull admin50 width:0.6 120|cured stag90)"


def main(arguments: Sequence[str] | None = None) -> Records:
    """Run what the command line asks for; what the output has already is kept."""
    parser = _parser()
    args = parser.parse_args(arguments)
    group = args.group or GROUPS[0]
    pattern = _QUICK if args.quick else args.settings
    chosen = [s for s in settings(group) if re.search(pattern, str(s))]
    if not chosen:
        parser.error(f"no setting of {group!r} matches {pattern!r}; --list names them")
    if args.list:
        print("\n".join(map(str, chosen)))
        return {}
    path = args.output / f"{group.replace(' ', '_')}.json"
    check_owned(path.with_suffix(".md"), "Group ", force=args.force)
    # Looked at even if it is not used: a fresh run would replace it.
    found: Records = {} if args.force and args.fresh else read(path)
    records: Records = {} if args.fresh else found
    known = {**contestants(), **(further() if group == "further" else {})}
    names = list(dict.fromkeys(["raw", *(args.contestants or known)]))
    repetitions = range(1 if args.quick else args.repetitions)
    new = run(chosen, names, repetitions, records, args.jobs)
    for i, (setting, more) in enumerate(new, 1):
        own = records.setdefault(str(setting), {})
        for name, errors in more.items():
            own.setdefault(name, {}).update(errors)
        write(records, path)
        print(f"{i} of {len(chosen)} settings: {setting}", file=sys.stderr)
    text = page(group, records, names)
    write_atomically(path.with_suffix(".md"), text.encode())
    print(text.partition("\n## ")[0])
    return records


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies.bed", description=__doc__)
    add, names = parser.add_argument, [*contestants(), *further()]
    which = parser.add_mutually_exclusive_group()
    helps = {
        "held out": "settings that no choice may rest on: run them once, at the end",
        "fitted": "trained raw models",
        "far off": "raw models that exclude most of what happens",
        "further": "censoring by a hidden cause, and many subjects; further rules",
    }
    for group, text in helps.items():
        flag = f"--{group.replace(' ', '-')}"
        which.add_argument(
            flag, help=text, action="store_const", const=group, dest="group"
        )
    add("--settings", default="", help="regular expression for names of settings")
    add("--list", action="store_true", help="list the settings and stop")
    add("--contestants", nargs="+", choices=names, metavar="NAME")
    add("--repetitions", type=int, default=10, help="conformal sets a setting")
    add("--quick", action="store_true", help="three settings, once: does it run?")
    add("--fresh", action="store_true", help="forget what the output has")
    add("--force", action="store_true", help="replace foreign files")
    add("--jobs", type=int, default=1, help="processes")
    add("--output", type=Path, default=RESULTS, help="folder of JSON and Markdown")
    return parser


if __name__ == "__main__":
    main()
