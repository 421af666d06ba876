"""A run that is killed and started again ends like one that was left alone."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studies import run
from studies.summary import write_summary
from tests.studies.runs import comparable, tiny

ROOT = Path(__file__).parents[2]
RUN = """
import os, signal, sys
from pathlib import Path
from studies import run
from tests.studies.runs import tiny

folder, models, seeds, jobs, moment, count = sys.argv[1:]
left = int(count)

def die(path):
    global left
    left -= path.suffix == ".json" or ".json." in path.name
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

if moment == "before the file is moved":
    real = Path.replace
    def replace(self, target):
        die(self)
        return real(self, target)
    Path.replace = replace
elif moment == "with half of the file written":
    real = Path.open
    def half(self, mode="r", *args, **kwargs):
        file = real(self, mode, *args, **kwargs)
        if mode == "wb":
            whole = file.write
            class Half:
                def __enter__(self): return self
                def __exit__(self, *exc): file.close()
                def write(me, content):
                    whole(content[: len(content) // 2])
                    file.flush()
                    die(self)
                    whole(content[len(content) // 2 :])
                def flush(self): file.flush()
                def fileno(self): return file.fileno()
            return Half()
        return file
    Path.open = half
run(tiny(models=models.split(), seeds=int(seeds)), folder, jobs=int(jobs))
"""


def start(
    folder: Path,
    models: str,
    seeds: int = 2,
    jobs: int = 1,
    moment: str = "",
    count: int = 0,
) -> subprocess.Popen[bytes]:
    args = [str(folder), models, str(seeds), str(jobs), moment, str(count)]
    command = [sys.executable, "-c", RUN, *args]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    assert process.poll() is None, "the run was over before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL


def n_records(folder: Path) -> int:
    return len(list((folder / "records").rglob("[0-9]*.json")))


def wait_for(folder: Path, n: int, process: subprocess.Popen[bytes]) -> None:
    while n_records(folder) < n and process.poll() is None:
        time.sleep(0.01)


def tables(folder: Path) -> dict[str, bytes]:
    write_summary(folder)
    paths = sorted((folder / "tables").iterdir())
    assert paths
    return {path.name: path.read_bytes() for path in paths}


@pytest.mark.slow
def test_killed_at_five_random_moments(tmp_path: Path) -> None:
    killed, models, moments = tmp_path / "killed", "km weibull-aft", random.Random(0)
    for _ in range(5):
        process = start(killed, models, seeds=8)
        wait_for(killed, n_records(killed) + 1, process)
        time.sleep(moments.uniform(0, 0.1))
        kill(process)
    assert 5 <= n_records(killed) < 32
    assert start(killed, models, seeds=8).wait(timeout=600) == 0
    unbroken = tmp_path / "unbroken"
    run(tiny(models=models.split(), seeds=8), unbroken)
    assert comparable(killed) == comparable(unbroken)
    assert tables(killed) == tables(unbroken)


@pytest.mark.slow
def test_killed_with_workers_at_work(tmp_path: Path, reference: Path) -> None:
    models = "km weibull-aft deephit"
    process = start(tmp_path, models, jobs=2)
    wait_for(tmp_path, 2, process)
    kill(process)
    assert n_records(tmp_path) < 12
    # The orphaned workers end by themselves meanwhile.
    assert start(tmp_path, models).wait(timeout=600) == 0
    assert comparable(tmp_path) == comparable(reference)


@pytest.mark.slow
@pytest.mark.parametrize(
    "moment", ["before the file is moved", "with half of the file written"]
)
def test_killed_inside_the_write_of_a_record(
    moment: str, tmp_path: Path, reference: Path
) -> None:
    process = start(tmp_path, "km", moment=moment, count=2)
    assert process.wait(timeout=600) == -signal.SIGKILL
    assert n_records(tmp_path) == 2
    assert len(list(tmp_path.rglob(".*.part"))) == 1
    assert start(tmp_path, "km").wait(timeout=600) == 0
    assert list(tmp_path.rglob(".*.part")) == []
    expected = {k: v for k, v in comparable(reference).items() if "/km/" in k}
    assert len(expected) == 4
    assert comparable(tmp_path) == expected
