"""The code on the pages runs as it is printed."""

import re
import textwrap
import warnings

import pytest

from website.scripts import ROOT

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```", re.M | re.S)


def blocks(text):
    return [textwrap.dedent(found[1]) for found in BLOCK.findall(text)]


def run(code, names, page):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile("\n".join(code), str(page), "exec"), names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index", "choose", "read"])
def test_a_page_runs_from_top_to_bottom(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = DOCS / f"{name}.md"
    code = blocks(page.read_text(encoding="utf-8"))
    assert code
    run(code, {}, page)
    made = {"index": "model.consurv", "read": "report.html"}
    assert name not in made or (tmp_path / made[name]).stat().st_size > 10_000


PAGE = DOCS / "coming_from.md"
FIRST, *REST = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
SECTIONS = {part.splitlines()[0]: blocks(part) for part in REST}


def test_every_library_has_its_section():
    libraries = "lifelines scikit-survival pycox xgbse MAPIE mlsurv"
    assert list(SECTIONS) == libraries.split()


@pytest.mark.slow
@pytest.mark.parametrize("library", SECTIONS)
def test_the_same_task_runs_side_by_side(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    run(blocks(FIRST), names, PAGE)
    run(SECTIONS[library], names, PAGE)
    if library == "MAPIE":
        assert 0.7 < names["inside"] < 0.9
    else:
        assert 0 <= names["off"] <= 1
