"""Every public name has its entry in the reference, and an example."""

import doctest
import inspect
import re
from importlib import import_module

import pytest

import consurv
from website.api import MODULES, home, public_names, write_api

PAGES = public_names()
NAMES = [(module, name) for module, names in PAGES.items() for name in names]


def test_every_public_module_has_a_page():
    parts = {f"consurv.{name}" for name in consurv._SUBPACKAGES}
    # errors and Outcome are on the first page; files of models, engines and weights are
    # no reader's matter.
    assert {"consurv", *parts} - set(MODULES) == {
        "consurv.distributed",
        "consurv.errors",
        "consurv.keep",
        "consurv.outcome",
        "consurv.weighting",
    }
    assert {"Outcome", *consurv.errors.__all__} <= set(PAGES["consurv"])


def test_no_public_name_is_left_out():
    listed = {name for _, name in NAMES}
    for module in MODULES:
        assert set(import_module(module).__all__) - {"__version__"} <= listed


def test_pages_hold_a_directive_for_each_name(tmp_path):
    write_api(tmp_path)
    for module, names in PAGES.items():
        page = (tmp_path / f"{module.rpartition('.')[2]}.md").read_text()
        found = re.findall(r"^::: (.+)$", page, re.M)
        assert found == [home(module, name) for name in names]


@pytest.mark.slow
def test_the_built_pages_show_each_name(site):
    for module, names in PAGES.items():
        page = (site / "api" / f"{module.rpartition('.')[2]}.html").read_text()
        for name in names:
            assert f'id="{home(module, name)}"' in page


# What others return, raise or derive from: shown where that is done.
SHOWN_ELSEWHERE = {
    "Adjustment",
    "CurveFile",
    "CurveScorer",
    "Evaluation",
    "SimulatedDataset",
    "Stratify",
}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_has_words_and_an_example(module, name):
    found = getattr(import_module(module), name)
    if not callable(found) or name == "Stratify":
        return
    assert (inspect.getdoc(found) or "").strip()
    result = name.endswith("Result") or name in SHOWN_ELSEWHERE
    if result or (inspect.isclass(found) and issubclass(found, Exception)):
        return
    tests = doctest.DocTestFinder().find(found, name)
    assert any(test.examples for test in tests)
