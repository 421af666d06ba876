"""Compare censoring rules where the true event times are known."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from studies.owned import check_owned
from studies.truth.contestants import contestants
from studies.truth.files import write
from studies.truth.run import SettingErrors, run
from studies.truth.setting import Setting, settings
from studies.truth.summary import summaries, targets
from studies.truth.table import (
    floor_lines,
    setting_rows,
    summary_rows,
    target_rows,
    text,
)

RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> list[SettingErrors]:
    """Run what the command line asks for."""
    parser = _parser()
    args = parser.parse_args(arguments)
    chosen = [s for s in settings() if re.search(args.settings, s.name)]
    if not chosen:
        parser.error(f"no setting matches {args.settings!r}; --list names them")
    if args.list:
        print("\n".join(setting.name for setting in chosen))
        return []
    folder = args.output or (RESULTS if _whole(parser, args) else None)
    if folder:
        check_owned(
            folder / "truth.md",
            r"\d+ settings, \d+ seeds, consurv",
            beside=("truth.json", "truth.png"),
            force=args.force,
        )
    results = _run(chosen, args)
    goals = [m for s in summaries(results) if s.name == args.choice for m in targets(s)]
    print(f"{text(setting_rows(results))}\n\n{text(summary_rows(results))}\n")
    print("\n".join(floor_lines(results)))
    if goals:
        print(f"\n{goals[0].case}\n{text(target_rows(goals))}")
    if folder:
        write(results, goals, folder)
        print(f"written to {folder}")
    return results


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.truth", description=__doc__
    )
    add, names = parser.add_argument, list(contestants())
    add("--settings", default="", help="regular expression for names of settings")
    add("--list", action="store_true", help="list the settings and stop")
    add("--rules", nargs="+", choices=names, default=names, help="by default all")
    add("--choice", default="auto", help="the rule that the targets are for")
    add("--seeds", type=int, default=20, help="number of conformal sets a setting")
    add("--first-seed", type=int, default=0, help="0 by default")
    add("--force", action="store_true", help="replace foreign files")
    add("--jobs", type=int, default=1, help="processes")
    add(
        "--output",
        type=Path,
        help="folder to write to; by default results/ for a whole run, else nowhere",
    )
    return parser


def _run(chosen: Sequence[Setting], args: argparse.Namespace) -> list[SettingErrors]:
    seeds = range(args.first_seed, args.first_seed + args.seeds)
    results = []
    for found in run(chosen, args.rules, seeds, args.jobs):
        results.append(found)
        print(f"{len(results)} of {len(chosen)} settings", end="\r", file=sys.stderr)
    return results


def _whole(parser: argparse.ArgumentParser, args: argparse.Namespace) -> bool:
    """Whether all settings, rules and seeds were run."""
    names = ("settings", "rules", "choice", "seeds", "first_seed")
    return all(getattr(args, name) == parser.get_default(name) for name in names)


if __name__ == "__main__":
    main()
