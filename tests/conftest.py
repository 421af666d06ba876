"""Settings that hold for all tests."""

from __future__ import annotations

import faulthandler
import os
import re
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and no stopwatch: a busy machine is not a failure.
settings.register_profile("consurv", derandomize=True, deadline=None)
settings.load_profile("consurv")

# torch sums in another order with AVX-512, and networks trained with it differ from
# the golden ones. It reads this once, when it is imported; workers inherit it.
_CPU = Path("/proc/cpuinfo")
if _CPU.exists() and "avx512" in _CPU.read_text():
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")

# A test that has failed by its time limit may hang once more while it is taken down (a
# cluster that waits for its workers), and a process that is done may wait for threads.
# After so many seconds it says where it is, and ends.
LONGEST, AFTERWARDS = 700.0, 120.0
_STDERR = pytest.StashKey[int]()


def pytest_configure(config):
    """Keep the way out, which is another one while a test runs."""
    config.stash[_STDERR] = os.dup(2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """End a process that hangs for good."""
    out = item.config.stash[_STDERR]
    faulthandler.dump_traceback_later(LONGEST, exit=True, file=out)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_unconfigure(config):
    """Watch over the end of the process."""
    out = config.stash[_STDERR]
    faulthandler.dump_traceback_later(AFTERWARDS, exit=True, file=out)


# With CONSURV_NO_SKIPS=1, as CI sets it, a test that is skipped is a failure unless
# nothing that could be installed would let it run.
_MAY_SKIP = re.compile(
    r"SEER-\w+ is not here"  # needs an agreement that each user signs
    r"|SCIPY_ARRAY_API is not set"  # scikit-learn's own check of what we do not claim
    # Golden numbers of another processor.
    r"|torch computes with .* here|this machine has .*: training rounds otherwise"
    r"|needs a GPU"
    r"|pandas 3"
    r"|Rscript or its package"  # another language, an oracle where it is installed
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip into a failure where CI asks for it."""
    report = yield
    if os.environ.get("CONSURV_NO_SKIPS") == "1" and _is_avoidable(report):
        report.outcome = "failed"
        report.longrepr = f"skipped, though it could run: {report.longrepr[2]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Do the same for whole files."""
    report = yield
    if os.environ.get("CONSURV_NO_SKIPS") == "1" and _is_avoidable(report):
        report.outcome = "failed"
        report.longrepr = f"skipped, though it could run: {report.longrepr[2]}"
    return report


def _is_avoidable(report) -> bool:
    if not report.skipped or hasattr(report, "wasxfail"):
        return False
    return not _MAY_SKIP.search(str(report.longrepr[2]))
