"""A test that hangs fails by its name, and never holds up the others for good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# What watches over all tests, with shorter limits.
RUN = """
import sys, pytest
import tests.conftest as plugin
plugin.LONGEST, plugin.AFTERWARDS = 6.0, 4.0
here = sys.argv[1]
how = ["-q", "-p", "no:cacheprovider", "-c", f"{here}/none.ini", "--timeout=2"]
sys.exit(pytest.main([*how, here], plugins=[plugin]))
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
    "a thread": """
def test_it():
    threading.Thread(target=time.sleep, args=(60,)).start()
""",
}


@pytest.mark.parametrize("what", HANGS)
def test_a_process_that_hangs_ends(tmp_path, what):
    (tmp_path / "none.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(f"import threading, time\n{HANGS[what]}")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 1
    if what == "a test":
        assert "1 failed" in done.stdout
    else:
        assert "Timeout (0:00:0" in done.stderr
