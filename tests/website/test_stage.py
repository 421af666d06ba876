"""Links that hold in the repository hold on the site."""

from website.scripts import ROOT
from website.stage import relink, staged_path

PAGE = ROOT / "docs" / "recalibration.md"


def test_links_within_docs_stay():
    text = "see [method](method.md#scope), [web](https://x.org/a.md) and [here](#top)"
    assert relink(text, PAGE) == (text, [ROOT / "docs" / "method.md"])


def test_links_that_leave_docs_are_turned_and_followed():
    text, linked = relink("[all](../studies/bed/results/held_out.md)", PAGE)
    assert text == "[all](records/studies/bed/results/held_out.md)"
    assert linked == [ROOT / "studies" / "bed" / "results" / "held_out.md"]
    assert staged_path(linked[0]).as_posix() == text[6:-1]


def test_scripts_of_the_gallery_are_their_pages():
    assert relink("[a](../examples/levels.py)", PAGE)[0] == "[a](gallery/levels.md)"
    assert "records" in relink("[a](../examples/serve.py)", PAGE)[0]


def test_folders_are_their_readme():
    assert relink("[r](gallery)", PAGE)[0] == "[r](gallery)"  # it has none
    other = "[r](results/other_models/README.md)"
    assert relink("[r](results/other_models)", PAGE)[0] == other


def test_the_results_have_a_line_in_the_menu():
    """An index has none, so that it is staged under another name."""
    there = ("[r](results/paper.md#x)", [ROOT / "docs" / "results" / "README.md"])
    assert relink("[r](results/README.md#x)", PAGE) == there
    assert relink("[r](results#x)", PAGE) == there
    assert "index.md" not in [staged_path(p).name for p in there[1]]


def test_code_is_left_alone():
    text = "```md\n[a](../CHANGELOG.md)\n```\nand `[a](../CHANGELOG.md)`"
    assert relink(text, PAGE)[0] == text


def test_what_is_not_there_is_left_for_the_build_to_refuse():
    assert relink("[a](../nothing.md)", PAGE) == ("[a](../nothing.md)", [])
