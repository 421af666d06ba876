"""The runner: from configurations to one stored record per cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from studies.config import StudyConfig
from studies.files import remove_leftovers
from studies.grid import Task
from studies.local import Done, run_here
from studies.lock import only_run
from studies.own import check_own
from studies.planning import Plan, plan
from studies.protocol import split_rows
from studies.sources import load_source
from studies.toml import write_config

__all__ = ["Observer", "RunResult", "run"]


class Observer(Protocol):
    """Is told how a run gets on."""

    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        """Take note of the grid: all cells, those stored, the effort of the rest."""

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        """Take note of a task that is done: a status for each of its cells."""

    def note(self, message: str) -> None:
        """Take note of something that the user should know."""


class _Silent:
    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        pass

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        pass

    def note(self, message: str) -> None:
        pass


@dataclass
class RunResult:
    """How a run ended.

    Attributes
    ----------
    n_stored : int
        Cells whose record was there already.
    n_done, n_failed, n_timeout : int
        Cells of this run.
    """

    n_stored: int
    n_done: int = 0
    n_failed: int = 0
    n_timeout: int = 0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        stored = f" ({self.n_stored} were there already)" if self.n_stored else ""
        late = f", {self.n_timeout} out of time" if self.n_timeout else ""
        return f"{self.n_done} cells done, {self.n_failed} failed{late}{stored}"


def run(
    configs: StudyConfig | Sequence[StudyConfig],
    folder: Path | str,
    *,
    jobs: int = 1,
    dask: str | None = None,
    again: bool = False,
    retry_failed: bool = False,
    force: bool = False,
    observer: Observer | None = None,
) -> RunResult:
    """Run studies and store one record per cell.

    What is stored already is left alone, so a run that was interrupted, or killed,
    goes on where it stopped when it is called again. A model is trained once for a
    dataset and a seed; all studies use that fit. A cell that fails, or takes too
    long, is recorded with its error.

    Parameters
    ----------
    configs : StudyConfig or sequence of them
    folder : path
        The results folder: ``records``, ``fits`` and ``config.toml``.
    jobs : int
        Processes on this machine.
    dask : str, optional
        Address of a Dask scheduler that the cells are sent to instead.
    again : bool
        Make every record anew; stored fits are still used.
    retry_failed : bool
        Try cells again that are recorded as failed or timed out.
    force : bool
        Replace files of the folder that no study wrote.
    observer : Observer, optional
        Is told how it gets on.

    Returns
    -------
    RunResult

    Raises
    ------
    InvalidInput
        If there is nothing to run, or files of others would be replaced.
    MissingData
        If a dataset that was named is not here.
    ConsurvError
        If another run is at work in the folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> config = StudyConfig("main", datasets=["VALCT"], models=["km"], seeds=1)
    >>> with TemporaryDirectory() as results:
    ...     first, second = run(config, results), run(config, results)
    >>> first.n_done, second.n_done, second.n_stored
    (1, 0, 1)
    """
    seen = observer or _Silent()
    listed = [configs] if isinstance(configs, StudyConfig) else list(configs)
    folder = Path(folder)
    check_own(folder, force=force)
    for cache in (load_source, split_rows):  # files may have changed since last time
        cache.cache_clear()
    planned = plan(listed, folder, again=again, retry_failed=retry_failed)
    folder.mkdir(parents=True, exist_ok=True)
    with only_run(folder):
        return _run(planned, folder, jobs, dask, seen)


def _run(
    planned: Plan, folder: Path, jobs: int, dask: str | None, seen: Observer
) -> RunResult:
    remove_leftovers(folder)
    write_config(folder / "config.toml", planned.configs)
    n_stored = planned.n_cells - planned.n_missing
    seen.planned(planned.n_cells, n_stored, sum(task.effort for task in planned.tasks))
    result = RunResult(n_stored)
    for message in planned.notes:
        _note(message, result, seen)
    for done in _execute(planned.tasks, folder, jobs, dask):
        for message in done.notes:
            _note(message, result, seen)
        result.n_done += done.statuses.count("done")
        result.n_failed += done.statuses.count("failed")
        result.n_timeout += done.statuses.count("timeout")
        seen.done(done.task, done.statuses)
    return result


def _execute(
    tasks: list[Task], folder: Path, jobs: int, dask: str | None
) -> Iterator[Done]:
    if dask is None:
        return run_here(tasks, folder, jobs)
    from studies.cluster import run_on_cluster

    return run_on_cluster(tasks, folder, dask)


def _note(message: str, result: RunResult, observer: Observer) -> None:
    result.notes.append(message)
    observer.note(message)
