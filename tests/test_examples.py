"""The scripts of the gallery run by themselves and leave what they promise."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "examples").glob("paper_*.py"))
PNG = b"\x89PNG"

FAR = {"xgboost_dask": ("dask", "xgboost"), "xgboost_spark": ("pyspark", "xgboost")}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAR)
def test_rows_stay_where_they_are(name, tmp_path):
    for library in FAR[name]:
        pytest.importorskip(library)
    if name == "xgboost_spark" and shutil.which("java") is None:
        pytest.skip("no Java on this machine, which Spark needs")
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py"), str(tmp_path / "out")],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert "RecalibratedAdjustment(levels=19, n_conformal=4000" in done.stdout
    found = pd.read_parquet(tmp_path / "out")
    assert found.shape == (4000, 5)
    assert (found["t_at_0.9"] < found["t_at_0.1"]).all()


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
