"""No run of the tests hangs: what takes too long is named, and ended.

A test has its time (pytest-timeout). What that cannot end, such as code that never
comes back to Python or a fixture that waits while it is taken down, is ended with its
process, and xdist starts another one. And where nothing comes back at all, since the
processes wait for each other, the one that hands tests out ends the others and says
which tests have not run: ``make test`` runs those by themselves. Where all have run and
only the end does not come, it prints the summary and ends.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
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
    summarise : callable
        Prints how many tests have passed and how many failed.
    """

    def __init__(self, left: Path, summarise: Callable[[], None]) -> None:
        self._left = left
        self._summarise = summarise
        self._out = os.dup(2)
        self._pids: list[int] = []
        self._known = False
        self._waiting: dict[str, None] = {}
        self._failed: dict[str, str] = {}
        self._news = time.monotonic()
        # What the run ends with, once pytest has said all there is to say.
        self._status: int | None = None
        self._ends = threading.Lock()

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
        if not self._known:
            self._waiting, self._known = dict.fromkeys(ids), True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed:
            self._failed[report.nodeid] = report.longreprtext

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        self._news = time.monotonic()
        if report.failed:
            self._failed[report.nodeid] = report.longreprtext
        # The processes of xdist may be gone before a test is taken down.
        if report.when == "teardown" or report.failed:
            self._waiting.pop(report.nodeid, None)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, exitstatus):
        # Processes that are ended here are no crash to be told of.
        with self._ends:
            pass
        # After all others, the one that prints the summary included.
        yield
        self._news, self._status = time.monotonic(), int(exitstatus)

    def _wait(self) -> None:
        while True:
            time.sleep(1.0)
            silence = time.monotonic() - self._news
            if not self._known:  # processes that start have more to do
                longest = 2 * SILENCE
            else:
                longest = SILENCE if self._waiting else AFTERWARDS
            if silence > longest:
                self._end(silence)

    def _end(self, silence: float) -> None:
        self._ends.acquire()
        left = list(self._waiting)
        status = self._status
        if status is None:
            for name, why in self._failed.items():
                self._say(f"FAILED {name}\n{why}")
            failed = self._failed or not self._known
            status = 1 if failed else STALLED if left else 0
        self._left.parent.mkdir(parents=True, exist_ok=True)
        self._left.write_text("".join(f"{name}\n" for name in left))
        self._say(f"nothing has come back for {silence:.0f} s; {len(left)} tests left:")
        for name in left[:20]:
            self._say(f"  {name}")
        self._say("")
        # Each says where all its threads are, and ends.
        faulthandler.dump_traceback(self._out)
        for sign in (signal.SIGABRT, signal.SIGKILL):
            for pid in self._pids:
                try:
                    os.kill(pid, sign)
                except ProcessLookupError:
                    continue
            time.sleep(2.0)
        if self._status is None and self._known and not left:
            self._summarise()
        sys.stdout.flush()
        os._exit(status)

    def _say(self, words: str) -> None:
        os.write(self._out, f"\n{words}".encode())
