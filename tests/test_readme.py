"""The code in README runs as it is printed."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def blocks():
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


def test_the_examples_run_one_after_the_other(capsys, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    assert len(blocks()) == 2
    for code in blocks():
        exec(compile(code, str(README), "exec"), names)
        p_value, c_index = map(float, capsys.readouterr().out.split())
        assert 0 <= p_value <= 1
        assert c_index > 0.6
    pyplot.close("all")
    assert (tmp_path / "report.html").stat().st_size > 10_000
