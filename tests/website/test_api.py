"""Every public name has its entry in the reference, and an example."""

import ast
import doctest
import inspect
import re
from importlib import import_module

import pytest

import consurv
from website.api import MODULES, home, page_of, public_base, public_names, write_api

PAGES = public_names()
NAMES = [(module, name) for module, names in PAGES.items() for name in names]


def test_every_public_module_has_a_page():
    parts = {f"consurv.{name}" for name in consurv._SUBPACKAGES}
    # errors and Outcome are on the first page; files of models, engines and weights are
    # no reader's matter.
    assert {"consurv", *parts} - set(MODULES) == {
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
        page = (tmp_path / page_of(module)).read_text()
        found = re.findall(r"^::: (.+)$", page, re.M)
        assert found == [home(module, name) for name in names]


def test_pages_list_all_that_their_module_gives(tmp_path):
    write_api(tmp_path)
    for module in MODULES:
        page = (tmp_path / page_of(module)).read_text()
        listed = set(re.findall(r"^\[`(\w+)`\]", page, re.M))
        assert listed == set(import_module(module).__all__) - {"__version__"}


def members(found):
    """Return the methods and properties of a class that are ours and public."""
    for name in dir(found):
        member = inspect.getattr_static(found, name)
        member = getattr(member, "fget", getattr(member, "__func__", member))
        ours = (getattr(member, "__module__", None) or "").startswith("consurv")
        hidden = name.startswith("_") or name in ("to_kept", "from_kept")
        request = re.fullmatch("(get|set)_.*_(request|routing)", name)
        if inspect.isfunction(member) and ours and not hidden and not request:
            yield name


def test_methods_that_users_call_are_members():
    wanted = (
        "fit conformalize predict predict_quantile predict_interval score calibrate"
    )
    assert set(wanted.split()) < set(members(consurv.ConformalSurvival))


@pytest.mark.slow
def test_the_built_pages_show_each_name(site):
    for module, names in PAGES.items():
        page = (site / "api" / page_of(module)).with_suffix(".html").read_text()
        for name in names:
            assert f'id="{home(module, name)}"' in page


@pytest.mark.slow
def test_the_built_pages_show_each_method(site):
    """Inherited ones too, unless the base is public and shows them itself."""
    for module, names in PAGES.items():
        page = (site / "api" / page_of(module)).with_suffix(".html").read_text()
        for name in names:
            found = getattr(import_module(module), name)
            if not inspect.isclass(found):
                continue
            base = public_base(module, name)
            assert base is None or re.search(f"Bases:.*{base}", page)
            for member in members(found):
                if base is None or member in vars(found):
                    assert f'id="{home(module, name)}.{member}"' in page


@pytest.mark.slow
def test_the_built_pages_show_how_a_class_is_made(site):
    page = (site / "api" / "consurv.html").read_text()
    (told,) = re.findall(
        r'id="consurv\.conformal\.estimator\.ConformalSurvival".*?</pre>', page, re.S
    )
    told = re.sub("<[^>]+>", "", told)
    for name in inspect.signature(consurv.ConformalSurvival).parameters:
        assert name in told


@pytest.mark.slow
def test_parameters_that_are_told_together_have_their_own_defaults(site):
    page = (site / "api" / "models.html").read_text()
    _, _, told = page.partition('id="consurv.models.deep.cqrnn.CQRNN"')
    told = " ".join(re.sub("<[^>]+>", " ", told.partition("Attributes:")[0]).split())
    for said in ("hidden ( tuple", "dropout ( float", "weight_decay ( float"):
        assert said in told
    assert re.search(r"weight_decay \( float , default: 0\.1 \)", told)


@pytest.mark.slow
def test_nothing_is_left_hanging(site):
    for page in (site / "api").glob("*.html"):
        empty = r'–\s*<div class="doc-md-description">\s*</div>'
        assert not re.search(empty, page.read_text())


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_has_words_and_an_example(module, name):
    found = getattr(import_module(module), name)
    if not callable(found) or name == "Stratify":
        return
    assert (inspect.getdoc(found) or "").strip()
    tests = doctest.DocTestFinder().find(found, name)
    assert any(test.examples for test in tests)


# Constants, whose words follow them: pytest looks for examples in docstrings alone.
CONSTANTS = {
    "METHODS": "consurv.bounds.methods",
    "METRICS": "consurv.metrics.registry",
    "ENGINES": "consurv.distributed.registry",
    "Stratify": "consurv.splits",
}


def test_all_constants_are_known():
    found = {n for m, n in NAMES if not callable(getattr(import_module(m), n))}
    assert found - {"Stratify"} == set(CONSTANTS) - {"Stratify"}


@pytest.mark.parametrize(("name", "module"), CONSTANTS.items())
def test_a_constant_has_words_and_examples_that_hold(name, module):
    home = import_module(module)
    body = ast.parse(inspect.getsource(home)).body
    (place,) = [
        i
        for i, node in enumerate(body)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and name in ast.unparse(node).split("=")[0].split(":")[0].split()
    ]
    words = ast.literal_eval(body[place + 1].value)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(words, vars(home), name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


# What users call most has an example of its own.
CALLED = {
    "ConformalSurvival": "fit conformalize from_curves calibrate predict score save "
    "predict_survival_function predict_both both_in_chunks predict_quantile "
    "predict_interval restore",
    "ConformalLowerBound": "conformalize predict_lower_bound screen save load",
    "SurvivalCurves": "survival_at median mean percentile_times to_frame plot",
    "Outcome": "of concatenate weighted to_structured",
}


@pytest.mark.parametrize(
    ("name", "method"), [(n, m) for n, all_ in CALLED.items() for m in all_.split()]
)
def test_a_method_that_users_call_has_an_example(name, method):
    found = getattr(getattr(consurv, name), method)
    assert ">>>" in (inspect.getdoc(found) or "")
