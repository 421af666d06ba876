"""Every contestant in every setting, repetition by repetition; resumable."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from consurv.errors import CalibrationWarning, InvalidInput
from studies.bounds.contestants import CONTESTANTS, Fitted, fitted, screening
from studies.bounds.world import Setting, rng_of
from studies.files import write_atomically
from studies.owned import read_json

__all__ = ["SCREENING", "Records", "missing", "read", "run", "write"]

# By setting, repetition and contestant: coverage, mean and median of the bounds; for
# screening shares of false discoveries, flagged and survivors. Nothing is a refusal.
Records = dict[str, dict[str, dict[str, list[float]]]]
SCREENING = "screening"
_ASKED = (*CONTESTANTS, SCREENING)
# A setting, a repetition, and what is known of it already.
Task = tuple[Setting, int, frozenset[str]]


def read(path: Path) -> Records:
    """Return what earlier runs found."""
    if not path.exists():
        return {}
    records: Records = read_json(path, _are_records)
    return records


def _are_records(found: Any) -> bool:
    each = [v for by in found.values() for own in by.values() for v in own.values()]
    return all(
        len(v) in (0, 3) and all(type(x) in (int, float) for x in v) for v in each
    )


def write(records: Records, path: Path) -> None:
    """Write all records into one file, a line for each repetition of a setting."""
    text = json.dumps(records, allow_nan=False, ensure_ascii=False)
    text = text.replace(']}, "', ']},\n"')
    write_atomically(path, (text + "\n").encode())


def missing(
    settings: Sequence[Setting], repetitions: Sequence[int], known: Records
) -> list[Task]:
    """Return what is to be done; all settings in turn, so that they grow together.

    A contestant that came later runs where the others have run, alone.
    """
    tasks = [
        (setting, r, frozenset(known.get(str(setting), {}).get(str(r), ())))
        for r in repetitions
        for setting in settings
    ]
    return [task for task in tasks if not task[2].issuperset(_ASKED)]


def run(
    tasks: Sequence[Task], jobs: int = 1
) -> Iterator[tuple[str, str, dict[str, list[float]]]]:
    """Yield setting, repetition and findings, as they are ready."""
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(delayed(_one)(*task) for task in tasks)


def _unless_refused(ask: Callable[[Fitted], Any], fit: Fitted) -> Any:
    """Return what is found; None where too little is known."""
    try:
        return ask(fit)
    except InvalidInput:
        return None


def _one(
    setting: Setting, repetition: int, known: frozenset[str]
) -> tuple[str, str, dict[str, list[float]]]:
    world = setting.draw(rng_of(setting, repetition))
    found: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fit = fitted(world, setting.leaf)
        for name, contestant in CONTESTANTS.items():
            if name in known:
                continue
            bound = _unless_refused(contestant, fit)
            if bound is None:
                found[name] = []
                continue
            covered = float(np.mean(world.time >= bound))
            # Curves that never fall say inf; nobody was followed for longer than this.
            bound = np.minimum(bound, world.y_calibration.time.max())
            found[name] = [covered, float(bound.mean()), float(np.median(bound))]
        if SCREENING not in known:
            found[SCREENING] = _unless_refused(screening, fit) or []
    rounded = {k: [float(f"{x:.5g}") for x in v] for k, v in found.items()}
    return str(setting), str(repetition), rounded
