"""Tasks on this machine: in this process, or in several by joblib's loky."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from consurv._params import AtLeast, check_params
from consurv.errors import ConsurvError
from studies.cell import failed_record, run_task
from studies.fits import FitFolder
from studies.grid import Task
from studies.records import Record, status_of, write_record

__all__ = ["Done", "run_here"]

# More threads than processes would only get in each other's way.
_ENVIRONMENT = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Done:
    """A task that is done: the status of each cell, and notes for the user."""

    task: Task
    statuses: list[str]
    notes: list[str]


def run_here(tasks: Sequence[Task], folder: Path, jobs: int) -> Iterator[Done]:
    """Yield tasks as they are done; their records are in the folder by then.

    Parameters
    ----------
    tasks : sequence of Task
    folder : Path
        The results folder.
    jobs : int
        Number of processes; with one the work is done in this process.
    """
    check_params({"jobs": jobs}, {"jobs": AtLeast(1)})
    if jobs == 1:
        yield from (_work(task, folder) for task in tasks)
        return
    left = deque(tasks)
    while left:
        suspects = deque((yield from _run_in_pool(left, folder, jobs)))
        # A worker died, and nobody knows of which task: one at a time they tell.
        while suspects:
            for task in (yield from _run_in_pool(suspects, folder, 1)):
                yield _died(task, folder)


def _work(task: Task, folder: Path) -> Done:
    """Run a task and write its records."""
    statuses: list[str] = []

    def keep(record: Record) -> None:
        write_record(folder, record)
        statuses.append(status_of(record))

    notes = run_task(task, FitFolder(folder), keep)
    return Done(task, statuses, notes)


def _died(task: Task, folder: Path) -> Done:
    error = ConsurvError(
        "the process that ran the cell died; perhaps the memory was not enough"
    )
    for cell in task.cells:
        write_record(folder, failed_record(cell, error, 0.0))
    return Done(task, ["failed"] * len(task.cells), [])


def _run_in_pool(
    left: deque[Task], folder: Path, jobs: int
) -> Generator[Done, None, list[Task]]:
    """Take tasks from *left* and yield them as they are done.

    Returns
    -------
    list of Task
        Those that were running when a worker died; otherwise none.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(
        min(jobs, len(left)),
        initializer=_start_worker,
        initargs=(os.getpid(),),
        env=_ENVIRONMENT,
    )
    # One task waits, so that no worker is idle; a single worker has just its own.
    most = jobs + 1 if jobs > 1 else 1
    running: dict[Future[Done], Task] = {}
    try:
        while left or running:
            while left and len(running) < most:
                running[pool.submit(_work, left[0], folder)] = left[0]
                left.popleft()  # only now: a broken pool takes nothing
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
                del running[future]
    except BrokenProcessPool:
        return list(running.values())
    finally:
        pool.shutdown(wait=True, kill_workers=True)
    return []


def _start_worker(parent: int) -> None:
    """Let the parent alone deal with Ctrl-C, and end when it has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        sleep(1)
    os._exit(1)
