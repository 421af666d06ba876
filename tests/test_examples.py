"""The scripts of the gallery run by themselves and leave what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "examples").glob("paper_*.py"))
PNG = b"\x89PNG"


def test_all_of_the_papers_illustrations_are_there():
    assert len(SCRIPTS) == 8


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_runs(script, tmp_path):
    out = tmp_path / "out.png"
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", str(script), str(out)],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        timeout=120,
    )
    content = out.read_bytes()
    if "table" in script.stem:
        assert "| PBC | 418 | 61.48% | 4795 | 17 |" in content.decode()
    else:
        assert content.startswith(PNG)
        assert len(content) > 10_000
