"""A test that hangs fails by its name, and never holds up the others for good."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hangs import STALLED

ROOT = Path(__file__).resolve().parent.parent
# What watches over all tests, with shorter limits; a file, since workers read it, too.
WATCH = """
from tests import hangs
hangs.LONGEST, hangs.AFTERWARDS, hangs.SILENCE = {longest}, 2.0, 6.0
from tests.conftest import pytest_configure
"""
HANGS = {
    "a test": "def test_it():\n    while True: time.sleep(0.1)\n",
    "its end": """
def test_it():
    try:
        time.sleep(60)
    finally:
        time.sleep(60)
""",
    "what it leaves": """
@pytest.fixture
def there():
    yield
    time.sleep(60)
def test_it(there):
    assert False
""",
    "a thread": """
def test_it():
    threading.Thread(target=time.sleep, args=(60,)).start()
""",
}


def run(folder, tests, *how, longest=3.0, also=""):
    (folder / "none.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(WATCH.format(longest=longest) + also)
    (folder / "test_it.py").write_text(f"import pytest, threading, time\n{tests}")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *how]
    return subprocess.run(
        [sys.executable, *command, "-c", f"{folder}/none.ini"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
    )


@pytest.mark.parametrize("what", HANGS)
def test_a_process_that_hangs_ends(tmp_path, what):
    done = run(tmp_path, HANGS[what], "--timeout=1")
    assert done.returncode == 1
    if what == "a test":
        assert "1 failed" in done.stdout
    else:
        assert "Timeout (0:00:0" in done.stderr


WAITS = "def test_quick(): pass\ndef test_it(): time.sleep(60)\n"
FAILS = WAITS.replace("pass", "raise ValueError('this too')")


@pytest.mark.parametrize(("tests", "status"), [(WAITS, STALLED), (FAILS, 1)])
def test_processes_that_wait_for_each_other_end(tmp_path, tests, status):
    """And what they have not run is known, to be run by itself."""
    done = run(tmp_path, tests, "-n", "2", longest=60.0)
    assert done.returncode == status
    assert "1 tests left" in done.stderr
    # Where each of them is.
    assert "time.sleep" in done.stderr or "in test_it" in done.stderr
    assert ("this too" in done.stderr) == (status == 1)
    left = tmp_path / "build" / "tests-left.txt"
    assert left.read_text() == "test_it.py::test_it\n"
    if status == STALLED:
        left.write_text("test_it.py::test_quick\n")
        again = run(tmp_path, WAITS, f"@{left}")
        assert again.returncode == 0, again.stdout


ENDS = {
    "a process": "if apart: time.sleep(60)",
    "the one that hands out": "if not apart: time.sleep(60)",
    "a thread of it": "threading.Thread(target=time.sleep, args=(60,)).start()",
}


@pytest.mark.parametrize(
    ("what", "passes"), [*((what, True) for what in ENDS), ("a process", False)]
)
def test_an_end_that_does_not_come_is_no_failure(tmp_path, what, passes):
    """All tests have run: what they have shown stands."""
    also = f"""
import threading, time
def pytest_sessionfinish(session):
    apart = hasattr(session.config, "workerinput")
    {ENDS[what]}
"""
    tests = f"def test_quick(): pass\ndef test_it(): assert {passes}\n"
    done = run(tmp_path, tests, "-n", "2", also=also)
    assert done.returncode == int(not passes), done.stderr
    assert ("2 passed" if passes else "1 failed, 1 passed") in done.stdout
    assert "0 tests left" in done.stderr
    assert ("assert False" in done.stdout + done.stderr) != passes


def test_a_run_that_never_starts_is_a_failure(tmp_path):
    also = """
import time
def pytest_collection(session):
    if hasattr(session.config, "workerinput"):
        time.sleep(60)
"""
    done = run(tmp_path, WAITS, "-n", "1", also=also)
    assert done.returncode == 1, done.stderr
