"""The code on the pages runs as it is printed."""

import re

import pytest

from website.blocks import COMING_FROM, blocks, main, run_blocks, sections
from website.scripts import ROOT

DOCS = ROOT / "docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index", "choose", "read"])
def test_a_page_runs_from_top_to_bottom(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = DOCS / f"{name}.md"
    code = blocks(page.read_text(encoding="utf-8"))
    assert code
    run_blocks(code, {}, str(page))
    made = {"index": "model.consurv", "read": "report.html"}
    assert name not in made or (tmp_path / made[name]).stat().st_size > 10_000


FIRST, SECTIONS = sections(COMING_FROM.read_text(encoding="utf-8"))


def test_every_library_has_its_section():
    libraries = "lifelines scikit-survival pycox xgbse MAPIE mlsurv"
    assert list(SECTIONS) == [*libraries.split(), "consurv 0.1.0"]


@pytest.mark.slow
@pytest.mark.parametrize("library", SECTIONS)
def test_the_same_task_runs_side_by_side(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    run_blocks(blocks(FIRST) + blocks(SECTIONS[library]), names, "coming_from.md")
    if library == "MAPIE":
        assert 0.7 < names["inside"] < 0.9
    else:
        assert 0 <= names["off"] <= 1


@pytest.mark.slow
def test_the_command_runs_a_section_and_names_the_version(capsys):
    assert main(["MAPIE"]) == 0
    assert re.fullmatch(r"MAPIE [\d.]+: 3 blocks ran\n", capsys.readouterr().out)


def test_blocks_for_other_environments_are_in_the_sections_that_peers_run():
    elsewhere = {name for name, text in SECTIONS.items() if "```py\n" in text}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (called,) = re.findall(r"-m website.blocks (.*)$", makefile, re.M)
    assert set(called.split()) == elsewhere
