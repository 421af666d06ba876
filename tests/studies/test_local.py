import os
import signal
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from studies import local, read_records, run
from studies.grid import Task, cells_of, tasks_of
from studies.local import run_here
from tests.studies.runs import comparable, tiny

psutil = pytest.importorskip("psutil")


def workers() -> list[Any]:
    children = psutil.Process().children()
    return [child for child in children if "LokyProcess" in " ".join(child.cmdline())]


class KillsOneWorker:
    """Kills a worker after the first task, as a lack of memory would."""

    def __init__(self) -> None:
        self.killed = False

    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        pass

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        if not self.killed:
            self.killed = True
            os.kill(workers()[0].pid, signal.SIGKILL)

    def note(self, message: str) -> None:
        raise AssertionError(message)


@pytest.mark.slow
def test_survives_a_worker_that_is_killed(tmp_path: Path, reference: Path) -> None:
    killer, models = KillsOneWorker(), ["km", "weibull-aft"]
    result = run(tiny(models=models), tmp_path, jobs=2, observer=killer)
    assert killer.killed
    assert (result.n_done, result.n_failed) == (8, 0)
    expected = comparable(reference).items()
    assert comparable(tmp_path) == {k: v for k, v in expected if "deephit" not in k}
    assert workers() == []


def test_a_task_that_kills_its_worker_twice_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(left: deque[Task], folder: Path, jobs: int) -> Any:
        task = left.popleft()
        if task.fit.key == "km":
            yield from ()
            return [task]
        yield local._work(task, folder)
        return []

    monkeypatch.setattr(local, "_run_in_pool", dies)
    config = tiny(datasets=["VALCT"], models=["km", "aft"], seeds=1)
    done = list(run_here(tasks_of(cells_of(config)), tmp_path, 2))
    assert sorted(status for d in done for status in d.statuses) == ["done", "failed"]
    (failed,) = [r for r in read_records(tmp_path).records if r["status"] == "failed"]
    assert failed["model"] == "km"
    assert "process that ran the cell died" in failed["error"]["message"]
