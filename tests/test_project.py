"""What the project says of itself: targets, links, pictures."""

import ast
import re
from pathlib import Path

import pytest

from consurv import __version__
from website.png import described
from website.scripts import EXAMPLES

ROOT = Path(__file__).parents[1]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
PAGES = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md")
CALLED = {
    path: set(re.findall(r"make ([a-z-]+)", (ROOT / path).read_text(encoding="utf-8")))
    for path in (".ci/run", *PAGES[:2])
}
OUR_PICTURES = sorted((ROOT / "docs" / "assets").glob("*.png"))


@pytest.mark.parametrize("path", CALLED)
def test_targets_that_are_named_exist(path):
    assert CALLED[path] - {"check"} <= TARGETS


def test_readme_explains_what_ci_calls():
    assert CALLED[".ci/run"] >= {"docs", "test", "lint", "types", "wheel"}
    assert CALLED[".ci/run"] <= CALLED["README.md"]


@pytest.mark.parametrize("path", PAGES)
def test_links_of_pages_beside_the_code_lead_somewhere(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
        assert (ROOT / link).exists(), link


@pytest.mark.parametrize("picture", OUR_PICTURES, ids=lambda path: path.stem)
def test_a_picture_of_the_pages_is_that_of_its_script(picture):
    script = (EXAMPLES / f"{picture.stem}.py").read_text(encoding="utf-8")
    calls = [n for n in ast.walk(ast.parse(script)) if isinstance(n, ast.Call)]
    (saved,) = [c for c in calls if getattr(c.func, "id", None) == "save"]
    assert described(picture) == " ".join(ast.literal_eval(saved.args[2]).split())
    assert picture.stat().st_size < 200_000


def test_who_cites_us_cites_this_version():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in cited
    number = __version__.partition(".dev")[0]
    assert f"## {number}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert re.search(rf" {page.name}$", menu, re.M), f"{page.name} has no line"
