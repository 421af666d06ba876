import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from consurv.errors import ConsurvError, MissingDependency
from studies import cluster, run
from studies.cluster import run_remotely
from studies.fits import FitFolder
from studies.grid import Task, cells_of, tasks_of
from tests.studies.runs import comparable, tiny

pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Start]:
    """Start ``dask`` processes that end with the test."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*args: str) -> subprocess.Popen[bytes]:
        log = (tmp_path / f"{len(processes)}.log").open("wb")
        command = [sys.executable, "-m", "dask", *args]
        with log:
            # In the root of the clone, where workers find the studies.
            processes.append(
                subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
            )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


class KillsAWorker:
    def __init__(self, worker: subprocess.Popen[bytes]) -> None:
        self.worker = worker

    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        pass

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        if self.worker.poll() is None:
            os.kill(self.worker.pid, signal.SIGKILL)
            self.worker.wait()

    def note(self, message: str) -> None:
        raise AssertionError(message)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Dask and its servers
def test_a_worker_killed_on_the_way_changes_nothing(
    dask: Start, tmp_path: Path, reference: Path
) -> None:
    at = tmp_path / "scheduler.json"
    dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
         "--scheduler-file", str(at))  # fmt: skip
    options = ["--scheduler-file", str(at), "--nthreads", "1", "--no-nanny",
               "--no-dashboard", "--host", "127.0.0.1"]  # fmt: skip
    workers = [
        dask("worker", *options, "--local-directory", str(tmp_path / name))
        for name in ("first", "second")
    ]
    address = wait_for_workers(at, len(workers))
    killer = KillsAWorker(workers[0])
    results = tmp_path / "results"
    result = run(tiny(), results, dask=address, observer=killer)
    assert workers[0].returncode == -signal.SIGKILL
    assert workers[1].poll() is None
    assert (result.n_done, result.n_failed) == (12, 0)
    assert comparable(results) == comparable(reference)
    # The fits came back too, and serve the next study.
    again = run(tiny("ablation-percentiles", models=["deephit"]), results, dask=address)
    assert again.n_done == 4
    assert len(list((results / "fits").rglob("*.fit"))) == 12


def wait_for_workers(scheduler_file: Path, n: int) -> str:
    import json

    from distributed import Client

    end = time.monotonic() + 120
    while not scheduler_file.exists():
        assert time.monotonic() < end
        time.sleep(0.1)
    address = str(json.loads(scheduler_file.read_text())["address"])
    with Client(address) as client:
        client.wait_for_workers(n, timeout=120)
    return address


class TestRunRemotely:
    def test_sends_back_what_it_trained(self, tmp_path: Path) -> None:
        (task,) = tasks_of(cells_of(tiny(datasets=["VALCT"], models=["km"], seeds=1)))
        first = run_remotely(task, None)
        assert first.trained is not None
        again = run_remotely(task, first.trained)
        assert again.trained is None
        assert [r["fit"]["reused"] for r in first.records + again.records] == [
            False,
            True,
        ]
        done = cluster._store(task, first, tmp_path)
        assert done.statuses == ["done"]
        assert FitFolder(tmp_path).load("VALCT", "km", 0) == first.trained

    def test_a_task_that_workers_die_of_is_recorded(self, tmp_path: Path) -> None:
        (task,) = tasks_of(cells_of(tiny(datasets=["VALCT"], models=["km"], seeds=1)))
        lost = cluster._lost(task, RuntimeError("three workers died"))
        assert cluster._store(task, lost, tmp_path).statuses == ["failed"]


class KillsTheScheduler(KillsAWorker):
    """The same, of the process that all depends on."""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Dask and its servers
def test_a_scheduler_killed_on_the_way_is_said_in_a_line(
    dask: Start, tmp_path: Path
) -> None:
    at = tmp_path / "scheduler.json"
    scheduler = dask("scheduler", "--host", "127.0.0.1", "--port", "0",
                     "--no-dashboard", "--scheduler-file", str(at))  # fmt: skip
    dask("worker", "--scheduler-file", str(at), "--nthreads", "1", "--no-nanny",
         "--no-dashboard", "--host", "127.0.0.1", "--local-directory",
         str(tmp_path / "worker"))  # fmt: skip
    address = wait_for_workers(at, 1)
    with pytest.raises(ConsurvError, match=r"has gone; what came back is stored"):
        run(
            tiny(models=["km"]),
            tmp_path / "results",
            dask=address,
            observer=KillsTheScheduler(scheduler),
        )


class TestErrors:
    @pytest.mark.parametrize(
        "error", [ConnectionResetError("Connection reset\nby peer"), CancelledError()]
    )
    def test_a_scheduler_that_goes_away_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
    ) -> None:
        class Client:
            def __enter__(self) -> None:
                raise error

            def __exit__(self, *args: object) -> None:
                pass

        monkeypatch.setattr(cluster, "_connect", lambda *_: Client())
        with pytest.raises(ConsurvError, match="has gone; what came back") as caught:
            run(tiny(models=["km"], seeds=1), tmp_path, dask="tcp://127.0.0.1:9")
        assert "\n" not in str(caught.value)

    def test_no_scheduler(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 0.3)
        config = tiny(models=["km"], seeds=1)
        with pytest.raises(ConsurvError, match=r"dask worker tcp://127\.0\.0\.1:9"):
            run(config, tmp_path, dask="tcp://127.0.0.1:9")

    def test_says_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        config = tiny(models=["km"], seeds=1)
        with pytest.raises(MissingDependency, match=r"consurv\[distributed\]"):
            run(config, tmp_path, dask="tcp://127.0.0.1:9")
