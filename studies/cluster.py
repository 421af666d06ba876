"""Tasks on a Dask cluster: the same cells; only this process writes files."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from consurv.errors import ConsurvError, MissingDependency
from studies.cell import failed_record, run_task
from studies.fits import FitFolder
from studies.grid import Task
from studies.local import Done
from studies.records import Record, status_of, write_record

__all__ = ["run_on_cluster"]

# Tasks under way for each thread of the cluster: one is worked on, one waits.
_AHEAD = 2
# How often a task is sent out again after an error of the cluster itself.
_RETRIES = 2
_CONNECT_SECONDS = 30

# torch draws from one generator in a process, so a worker takes one task at a time.
_ONE_AT_A_TIME = threading.Lock()


@dataclass
class CarriedFit:
    """A fit that travels with its task, in place of a folder.

    Attributes
    ----------
    stored : bytes or None
        The fit that the client has.
    trained : bytes or None
        The fit that the worker trained.
    """

    stored: bytes | None
    trained: bytes | None = None

    def load(self, dataset: str, key: str, seed: int) -> bytes | None:
        """Return what the client sent."""
        return self.stored

    def save(self, dataset: str, key: str, seed: int, content: bytes) -> None:
        """Keep what goes back to the client."""
        self.trained = content


@dataclass
class Result:
    """What comes back from a worker."""

    records: list[Record] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trained: bytes | None = None


def run_on_cluster(tasks: Sequence[Task], folder: Path, address: str) -> Iterator[Done]:
    """Yield tasks as they come back; their records are in the folder by then.

    A task whose worker dies is given to another one by Dask.

    Parameters
    ----------
    tasks : sequence of Task
    folder : Path
        The results folder, on this machine alone.
    address : str
        Of the scheduler, such as "tcp://10.0.0.1:8786".

    Raises
    ------
    MissingDependency
        If distributed is not installed.
    ConsurvError
        If there is no scheduler, or it goes away, or a worker lacks the rows of a
        dataset.

    Notes
    -----
    Fits travel as the bytes of `studies.fits.pack`, which are data. Dask itself runs
    what it is sent: connect to schedulers and workers of your own alone.
    """
    for task, result in _results(_distributed(), tasks, FitFolder(folder), address):
        yield _store(task, result, folder)


def _results(
    distributed: Any, tasks: Sequence[Task], fits: FitFolder, address: str
) -> Iterator[tuple[Task, Result]]:
    """Yield what comes back; all that is done here needs the scheduler."""
    client = _connect(distributed, address)
    try:
        with client:
            yield from _exchange(distributed, client, tasks, fits)
    except ConsurvError:
        raise
    except (OSError, CancelledError) as error:
        raise ConsurvError(
            f"the Dask scheduler at {address} has gone; what came back is stored, and "
            f"the same command goes on with the rest ({_one_line(error)})"
        ) from error


def _exchange(
    distributed: Any, client: Any, tasks: Sequence[Task], fits: FitFolder
) -> Iterator[tuple[Task, Result]]:
    left = iter(tasks)
    running: dict[Any, Task] = {}
    results = distributed.as_completed()

    def send() -> None:
        task = next(left, None)
        if task is not None:
            stored = fits.load(task.dataset, task.fit.key, task.seed)
            future = client.submit(
                run_remotely, task, stored, pure=False, retries=_RETRIES
            )
            running[future] = task
            results.add(future)

    for _ in range(_AHEAD * max(sum(client.nthreads().values()), 1)):
        send()
    for future in results:
        send()
        task = running.pop(future)
        try:
            result = future.result()
        except distributed.KilledWorker as error:
            result = _lost(task, error)
        yield task, result
        future.release()


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def run_remotely(task: Task, stored: bytes | None) -> Result:
    """Run a task on a worker, which writes nothing."""
    carried, result = CarriedFit(stored), Result()
    with _ONE_AT_A_TIME:
        result.notes = run_task(task, carried, result.records.append)
    result.trained = carried.trained
    return result


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise MissingDependency("distributed", "distributed") from error


def _connect(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ConsurvError(
            f"no Dask scheduler answers at {address}; start one with `python -m "
            f"dask scheduler` and workers with `python -m dask worker {address} "
            f"--nthreads 1`, all in the root of a clone ({error})"
        ) from error


def _lost(task: Task, error: Exception) -> Result:
    """Return what is left of a task that several workers died of."""
    return Result([failed_record(cell, error, 0.0) for cell in task.cells])


def _store(task: Task, result: Result, folder: Path) -> Done:
    if result.trained is not None:
        FitFolder(folder).save(task.dataset, task.fit.key, task.seed, result.trained)
    for record in result.records:
        write_record(folder, record)
    return Done(task, [status_of(record) for record in result.records], result.notes)
