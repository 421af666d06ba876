"""The search in rounds, for all levels at once, beside that of an older copy.

``python -m benchmarks.rounds --old FOLDER`` finds the shifts of the same simulated
subjects by this code and by that in FOLDER (which holds a folder ``consurv``, such as
``git archive`` brings): both in turns, each in a process of its own, and of each the
least CPU time. With ``--whole`` observed and percentile times are whole days.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.simulate import LEVELS, conformal_set
from consurv import conformal_shifts

__all__ = ["RULES", "compare", "timed"]

RULES = (
    "uncensored",
    "margin",
    "kaplan-meier",
    "auto",
    "self-consistent",
    "local",
)


def timed(
    n: int, repetitions: int, rules: Sequence[str] = RULES, *, whole: bool = False
) -> dict[str, list[float]]:
    """Return for each rule the least CPU time, and the sum of its shifts."""
    q, y = conformal_set(n, whole=whole)
    q = np.ceil(q) if whole else q
    found = {}
    for rule in rules:
        taken = []
        for _ in range(repetitions):
            start = time.process_time()
            shifts = conformal_shifts(q, LEVELS, y, censoring=rule)
            taken.append(time.process_time() - start)
        found[rule] = [min(taken), float(shifts.sum())]
    return found


def compare(
    old: Path,
    n: int,
    repetitions: int,
    turns: int,
    rules: Sequence[str] = RULES,
    *,
    whole: bool = False,
) -> list[str]:
    """Return a line for each rule, with the times of both and their ratio."""
    best: dict[str, dict[str, list[float]]] = {}
    for _ in range(turns):
        for which, source in (("here", None), ("old", old)):
            found = _apart(source, n, repetitions, rules, whole)
            for rule, (taken, total) in found.items():
                known = best.setdefault(rule, {}).get(which, [taken, total])
                best[rule][which] = [min(taken, known[0]), total]
    lines = []
    for rule, both in best.items():
        (here, ours), (there, theirs) = both["here"], both["old"]
        # Of sums over levels of about this size.
        off = abs(ours - theirs) / max(abs(theirs), 1.0)
        lines.append(
            f"{n:>9,}  {rule:16} {1e3 * here:8.1f} ms  old {1e3 * there:8.1f} ms  "
            f"{here / there:5.2f}  shifts differ by {off:.0e}"
        )
    return lines


def _apart(
    source: Path | None, n: int, repetitions: int, rules: Sequence[str], whole: bool
) -> dict[str, list[float]]:
    """Return what a process finds that has this code, or an old copy."""
    where = {**os.environ, "OMP_NUM_THREADS": "1"}
    if source is not None:
        where["PYTHONPATH"] = str(source)
    words = ["--one", "--rows", str(n), "--repetitions", str(repetitions)]
    words += ["--rules", *rules, *(["--whole"] if whole else [])]
    command = [sys.executable, "-m", "benchmarks.rounds", *words]
    told = subprocess.run(
        command, env=where, check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, list[float]] = json.loads(told.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--old", type=Path, help="a folder that holds another folder consurv")
    add("--rows", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    add("--repetitions", type=int, default=10, help="in a process, at 10⁵ rows or less")
    add("--turns", type=int, default=3, help="processes of each version")
    add("--rules", nargs="+", choices=RULES, default=list(RULES))
    add("--whole", action="store_true", help="whole days")
    add("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.one:
        n, often = asked.rows[0], asked.repetitions
        print(json.dumps(timed(n, often, asked.rules, whole=asked.whole)))
        return
    if asked.old is None or not (asked.old / "consurv").is_dir():
        parser.error(f"--old {asked.old} holds no folder consurv")
    for n in asked.rows:
        often = asked.repetitions if n <= 10**5 else 2
        how = often, asked.turns, asked.rules
        told = compare(asked.old.resolve(), n, *how, whole=asked.whole)
        print("\n".join(told), flush=True)


if __name__ == "__main__":
    main()
