"""Memory that a worker keeps while it is at work, where it is told to give it back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from consurv.distributed.heap import TOLD, keeping_memory

# Prints how often pages came in while arrays came and went.
SCRIPT = """
import resource, sys
from contextlib import nullcontext
import numpy as np
from consurv.distributed.heap import keeping_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(300):
        x = np.ones(25_000)
        x = x + x
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with keeping_memory() if sys.argv[1] == "keep" else nullcontext():
    faults()
    print(faults())
print(faults())
"""


def faults(how, told):
    known = {**os.environ, TOLD: told}
    if not told:
        del known[TOLD]
    command = [sys.executable, "-c", SCRIPT, how]
    done = subprocess.run(command, env=known, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs glibc")
class TestKeepingMemory:
    def test_pages_come_in_once_and_no_more(self):
        inside, after = faults("keep", "65536")
        assert inside < 100
        assert after > 10_000

    def test_without_it_they_come_in_each_time(self):
        inside, after = faults("leave", "65536")
        assert inside > 10_000
        assert after > 10_000

    def test_nothing_is_changed_where_nobody_told_it(self):
        assert faults("keep", "") == pytest.approx(faults("leave", ""), abs=100)


@pytest.mark.parametrize("told", ["", "many", "-1"])
def test_what_cannot_be_read_is_left_alone(monkeypatch, told):
    monkeypatch.setenv(TOLD, told)
    with keeping_memory():
        pass


def test_an_error_passes(monkeypatch):
    monkeypatch.setenv(TOLD, "65536")
    with pytest.raises(ZeroDivisionError), keeping_memory():
        1 / 0  # noqa: B018
