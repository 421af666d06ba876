"""The scripts of the gallery run by themselves and leave what they promise."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from website.gallery import blocks, run
from website.png import described
from website.scripts import scripts

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = scripts()
PNG = b"\x89PNG"

FAR = {"xgboost_dask": ("dask", "xgboost"), "xgboost_spark": ("pyspark", "xgboost")}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAR)
def test_rows_stay_where_they_are(name, tmp_path):
    for library in FAR[name]:
        pytest.importorskip(library)
    if name == "xgboost_spark" and shutil.which("java") is None:
        pytest.skip("no Java on this machine, which Spark needs")
    # The package, wherever it is; what a script finds beside itself it finds alone.
    path = os.pathsep.join(p for p in sys.path if p and Path(p).resolve() != ROOT)
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
    assert len([path for path in SCRIPTS if path.stem.startswith("paper_")]) == 8
    assert len(SCRIPTS) >= 22


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_has_a_title_words_and_a_place(script):
    title, words, parts = blocks(script.read_text(encoding="utf-8"))
    assert 3 < len(title) < 70
    assert words.endswith(".")
    assert all(code for _, code in parts[:-1])
    # On the front page of the gallery, and in the menu.
    front = (ROOT / "docs" / "gallery" / "index.md").read_text(encoding="utf-8")
    assert re.search(rf"^- {script.stem}$", front, re.M)
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"- gallery/{script.stem}.md\n" in menu


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_runs(script, tmp_path):
    out = tmp_path / "out.png"
    run(script, out)
    content = out.read_bytes()
    if "table" in script.stem:
        assert "| PBC | 418 | 61.48% | 4795 | 17 (17) |" in content.decode()
    else:
        assert content.startswith(PNG)
        assert len(content) > 10_000
        assert len(described(out)) > 40
