"""README and docs list the models of the registry, and their code runs.

``python -m tests.test_model_list`` writes the list into README.
"""

import re
import warnings
from pathlib import Path

import pytest

from consurv.adapters.registry import LIBRARIES, model_list

ROOT = Path(__file__).parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "models.md"
LIST = re.compile(r"(?<=<!-- models -->\n).*?(?=<!-- /models -->)", re.S)
BLOCKS = re.compile(r"```python\n(.*?)```", re.S)


def section_names():
    return re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.M)


def blocks():
    """Return the code of each section of the page, the first one for all others."""
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {p.splitlines()[0]: "\n".join(BLOCKS.findall(p)) for p in parts}


def test_readme_lists_what_the_registry_holds():
    text = README.read_text(encoding="utf-8")
    assert LIST.search(text).group() == model_list() + "\n"


def test_the_page_has_a_section_for_every_library():
    said = " ".join(section_names())
    for library in LIBRARIES:
        for name in library.name.split(", "):
            assert name in said


@pytest.mark.parametrize("section", section_names())
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page_runs(section):
    common, *_ = blocks().values()
    for library in ("xgboost", "catboost", "lightgbm", "pycox", "torchsurv", "skpro"):
        if (
            f"import {library}" in blocks()[section]
            or f"from {library}" in blocks()[section]
        ):
            pytest.importorskip(library)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(common, str(PAGE), "exec"), names)
        exec(compile(blocks()[section], str(PAGE), "exec"), names)
    assert len(names["curves"]) == len(names["X_test"])


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    README.write_text(LIST.sub(lambda _: model_list() + "\n", text), encoding="utf-8")
