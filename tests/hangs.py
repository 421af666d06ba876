"""No run of the tests hangs: what takes too long is named, and ended.

A test has its time (pytest-timeout). What that cannot end, such as code that never
comes back to Python or a fixture that waits while it is taken down, is ended with its
process, and xdist starts another one. And where nothing comes back at all, since the
processes wait for each other, the one that hands tests out ends the others and says
which tests have not run: ``make test`` runs those by themselves.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

__all__ = ["AFTERWARDS", "LONGEST", "SILENCE", "STALLED", "Alone", "Apart"]

# Seconds of a test, all told; of the end of a process; without any news.
LONGEST, AFTERWARDS, SILENCE = 700.0, 120.0, 850.0
# What a run ends with where tests are left that nothing is known against.
STALLED = 75


class Alone:
    """Watches over the tests of one process, and over its end."""

    def __init__(self) -> None:
        # The way out, which is another one while a test runs.
        self._out = os.dup(2)

    def _watch(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._out)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self):
        self._watch(LONGEST)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    @pytest.hookimpl(trylast=True)
    def pytest_exception_interact(self):
        """Watch on: pytest itself lets go of a test that has failed."""
        self._watch(LONGEST)

    def pytest_unconfigure(self):
        self._watch(AFTERWARDS)


class Apart:
    """Watches from outside over processes that run tests.

    Parameters
    ----------
    left : Path
        File for the names of tests that have not run.
    """

    def __init__(self, left: Path) -> None:
        self._left = left
        self._out = os.dup(2)
        self._pids: list[int] = []
        self._waiting: dict[str, None] = {}
        self._failed: dict[str, str] = {}
        self._news = time.monotonic()
        self._over = threading.Event()

    @pytest.hookimpl
    def pytest_sessionstart(self):
        self._left.unlink(missing_ok=True)
        threading.Thread(target=self._wait, daemon=True).start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node):
        self._news = time.monotonic()
        self._pids.append(node.gateway._io.popen.pid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self._news = time.monotonic()
        # Processes that come later look at the same tests again.
        self._waiting = self._waiting or dict.fromkeys(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        self._news = time.monotonic()
        if report.failed:
            self._failed[report.nodeid] = report.longreprtext
        # The processes of xdist may be gone before a test is taken down.
        if report.when == "teardown" or report.failed:
            self._waiting.pop(report.nodeid, None)

    @pytest.hookimpl
    def pytest_sessionfinish(self):
        self._over.set()

    def _wait(self) -> None:
        while not self._over.wait(1.0):
            if time.monotonic() - self._news > SILENCE:
                self._end()

    def _end(self) -> None:
        for name, why in self._failed.items():
            self._say(f"FAILED {name}\n{why}")
        left = list(self._waiting)
        # Now, before processes are ended, which is a failure of theirs.
        status = 1 if self._failed or not left else STALLED
        self._left.parent.mkdir(parents=True, exist_ok=True)
        self._left.write_text("".join(f"{name}\n" for name in left))
        self._say(f"nothing has come back for {SILENCE:g} s; {len(left)} tests left:")
        for name in left[:20]:
            self._say(f"  {name}")
        # Each says where all its threads are, and ends.
        for sign in (signal.SIGABRT, signal.SIGKILL):
            for pid in self._pids:
                try:
                    os.kill(pid, sign)
                except ProcessLookupError:
                    continue
            time.sleep(2.0)
        sys.stdout.flush()
        os._exit(status)

    def _say(self, words: str) -> None:
        os.write(self._out, f"\n{words}".encode())
