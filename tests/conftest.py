"""Settings that hold for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests import hangs, skips

# The same examples on every run, and no stopwatch: a busy machine is not a failure.
settings.register_profile("consurv", derandomize=True, deadline=None)
settings.load_profile("consurv")

# torch sums in another order with AVX-512, and networks trained with it differ from
# the golden ones. It reads this once, when it is imported; workers inherit it.
_CPU = Path("/proc/cpuinfo")
if _CPU.exists() and "avx512" in _CPU.read_text():
    os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """Know what may be skipped, and let nothing hang."""
    manager = config.pluginmanager
    manager.register(skips)
    hands_out = not hasattr(config, "workerinput") and config.getoption("dist", "no")
    if hands_out and hands_out != "no":
        left = config.rootpath / "build" / "tests-left.txt"
        reporter = manager.get_plugin("terminalreporter")
        manager.register(hangs.Apart(left, reporter.summary_stats))
    else:
        manager.register(hangs.Alone())
