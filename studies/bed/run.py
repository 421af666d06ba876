"""Every contestant in every setting, over repetitions; what is known is not rerun."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from consurv.errors import CalibrationWarning
from studies.bed.contestants import contestants, further
from studies.bed.fitted import world_of
from studies.bed.judge import Errors, judge
from studies.bed.setting import Setting
from studies.files import write_atomically
from studies.owned import read_json

__all__ = ["Records", "read", "run", "write"]

# Errors by setting, contestant and repetition, the last as text (JSON has no other).
Records = dict[str, dict[str, dict[str, list[float]]]]
# Conformal sets with fewer events tell nothing; they are passed over.
_FEW_EVENTS = 2


def read(path: Path) -> Records:
    """Return what earlier runs found."""
    if not path.exists():
        return {}
    records: Records = read_json(path, _are_records)
    return records


def _are_records(found: Any) -> bool:
    errors = [e for by in found.values() for own in by.values() for e in own.values()]
    return all(
        len(e) == len(Errors._fields) and all(type(v) in (int, float) for v in e)
        for e in errors
    )


def write(records: Records, path: Path) -> None:
    """Write all records into one file, a line for each contestant in a setting."""
    text = json.dumps(records, allow_nan=False).replace(']}, "', ']},\n"')
    write_atomically(path, (text + "\n").encode())


def run(
    settings: Sequence[Setting],
    names: Sequence[str],
    repetitions: Sequence[int],
    known: Records,
    jobs: int = 1,
) -> Iterator[tuple[Setting, dict[str, dict[str, list[float]]]]]:
    """Yield what is new of each setting, as it is ready."""
    task = delayed(_one)
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(
        task(setting, names, repetitions, known.get(str(setting), {}))
        for setting in settings
    )


def _one(
    setting: Setting,
    names: Sequence[str],
    repetitions: Sequence[int],
    known: dict[str, dict[str, list[float]]],
) -> tuple[Setting, dict[str, dict[str, list[float]]]]:
    found: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    world, chosen = None, contestants() | further()
    for r in repetitions:
        missing = [name for name in names if str(r) not in known.get(name, {})]
        if not missing:
            continue
        world = world or world_of(setting)
        draw = world.draw(r)
        if draw.outcome.n_events < _FEW_EVENTS:
            continue
        for name in missing:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CalibrationWarning)
                errors: Errors = judge(world, draw.test, chosen[name](draw))
            found[name][str(r)] = [float(f"{value:.6g}") for value in errors]
    return setting, found
