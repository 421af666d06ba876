"""What a run has to do: all cells of the grid without a record that answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from consurv.datasets import MissingData
from consurv.errors import InvalidInput
from studies.config import StudyConfig
from studies.grid import Cell, Task, cells_of, tasks_of
from studies.records import (
    CorruptRecord,
    read_record,
    record_path,
    status_of,
)
from studies.sources import PUBLIC, SIMULATED, split_available

__all__ = ["Plan", "plan"]

_TWO_STEPS = (
    "the authors' conformal step is there for the rule kaplan-meier alone, and the "
    "other rules have ours; --conformal ours gives all of them the same"
)


@dataclass(frozen=True)
class Plan:
    """What a run has to do.

    Attributes
    ----------
    configs : list of StudyConfig
        With the datasets that are here.
    tasks : list of Task
        What is missing, the longest first.
    n_cells : int
        All cells, those with a record too.
    notes : list of str
    """

    configs: list[StudyConfig]
    tasks: list[Task]
    n_cells: int
    notes: list[str]

    @property
    def n_missing(self) -> int:
        """Cells without a record."""
        return sum(len(task.cells) for task in self.tasks)


def plan(
    configs: Sequence[StudyConfig],
    folder: Path,
    *,
    again: bool = False,
    retry_failed: bool = False,
) -> Plan:
    """Return what a run would have to do, without doing it."""
    notes: list[str] = []
    asked = [_with_datasets(config, notes) for config in configs]
    if any(c.study == "ablation-censoring" and c.conformal == "paper" for c in asked):
        notes.append(_TWO_STEPS)
    cells = [cell for config in asked for cell in cells_of(config)]
    if not cells:
        raise InvalidInput("there is no cell to run; name datasets and models")
    missing = [
        cell
        for cell in cells
        if again or not _is_stored(cell, folder, retry_failed, notes)
    ]
    return Plan(asked, tasks_of(missing), len(cells), notes)


def _with_datasets(config: StudyConfig, notes: list[str]) -> StudyConfig:
    """Return the configuration with datasets that are here."""
    default = (*PUBLIC, *SIMULATED) if config.study == "cost" else PUBLIC
    here, missing = split_available(config.datasets or default)
    for name, way in missing.items():
        if config.datasets is not None:
            raise MissingData(f"{name} is not on this machine: {way}")
        text = f"{name} is left out, because it is not on this machine: {way}"
        if text not in notes:
            notes.append(text)
    return replace(config, datasets=here)


def _is_stored(cell: Cell, folder: Path, retry: bool, notes: list[str]) -> bool:
    path = record_path(folder, cell.study, cell.dataset, cell.fit.key, cell.seed)
    try:
        record = read_record(path)
    except FileNotFoundError:
        return False
    except CorruptRecord as error:
        notes.append(f"{error}; its cell is run again")
        return False
    if record.get("asked") != cell.asked:
        return False
    limit = record.get("time_limit") or 0.0
    if record["status"] == "timeout" and limit < cell.time_limit:
        return False
    return status_of(record) == "done" or not retry
