"""``python -m tests.fuzz``: look for faults for a while; ``make fuzz`` runs it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from tests.fuzz.oracle import LOG
from tests.fuzz.registry import TARGETS
from tests.fuzz.run import Found, fuzz, try_target


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; the exit code is 1 if there are findings."""
    args = _parser().parse_args(arguments)
    names = args.target or list(TARGETS)
    if args.seed is not None:
        rounds = (try_target(name, args.seed, args.cases) for name in names)
    else:
        # Another run looks elsewhere; what it finds is kept by its seed.
        rounds = fuzz(names, args.seconds, int(time.time()) % 10**6, args.cases)
    found = {}
    for result in rounds:
        if result is not None and _key(result) not in found:
            found[_key(result)] = result
            print(f"FOUND {result}\n", flush=True)
    print("\n".join(LOG.lines()))
    print(f"{LOG.n_cases} cases, {len(found)} findings")
    return 1 if found else 0


def _key(found: Found) -> tuple[str, str, str]:
    return found.finding.fault, found.finding.entry, found.finding.said


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    add = parser.add_argument
    add("--target", action="append", choices=sorted(TARGETS), help="by default all")
    add("--seconds", type=float, default=120, help="when to stop")
    add("--cases", type=int, default=100, help="cases for each seed")
    add("--seed", type=int, help="this seed alone, to see a finding again")
    return parser


if __name__ == "__main__":
    sys.exit(main())
