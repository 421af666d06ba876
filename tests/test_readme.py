"""The code in README runs as it is printed."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def blocks():
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("code", blocks())
def test_the_example_runs(code, capsys):
    names = {}
    exec(compile(code, str(README), "exec"), names)
    p_value, c_index = map(float, capsys.readouterr().out.split())
    assert 0 <= p_value <= 1
    assert c_index > 0.6


def test_there_is_an_example():
    assert blocks()
