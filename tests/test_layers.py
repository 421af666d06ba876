"""Imports point downwards only and take public names; importing consurv stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import consurv

ROOT = Path(consurv.__file__).parent
LAYERS = {
    "errors": 0,
    "_cells": 0,
    "_checks": 0,
    "_features": 0,
    "_fields": 0,
    "_files": 0,
    "_frames": 0,
    "_html": 0,
    "_labels": 0,
    "_params": 0,
    "_parts": 0,
    "_progress": 0,
    "_registry": 0,
    "_rows": 0,
    "_versions": 0,
    "_warnings": 0,
    "_weights": 0,
    "outcome": 0,
    "splits": 0,
    "keep": 1,
    "curves": 1,
    "metrics": 2,
    "weighting": 2,
    "adapters": 2,
    "conformal": 3,
    "models": 3,
    "datasets": 3,
    "distributed": 4,
    "bounds": 4,
    "report": 5,
    "cli": 6,
    "": 7,  # the package itself: what `from consurv import ...` reads
    "__main__": 7,
}
OPTIONAL = (
    "lifelines",
    "sksurv",
    "survival",
    "SurvSet",
    "typer",
    "rich",
    "torch",
    "matplotlib",
    "jinja2",
    "xgboost",
    "catboost",
    "lightgbm",
    "pycox",
    "skpro",
    "skops",
    "safetensors",
    "torchsurv",
    "dask",
    "distributed",
    "pyspark",
)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in ROOT.rglob("*.py")}
# Text that is a module's name is taken for import_module, as registries hold it; the
# word "consurv" alone is not.
NAMED = set(MODULES) - {"consurv"}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "consurv"


def names_of(module: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of every ``from`` import, wherever in the file it stands."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom):
            # Relative imports would escape the tests below; ruff's TID bans parents.
            assert node.level == 0, f"{module} has a relative import"
            if is_ours(node.module):
                yield from ((node.module, alias.name) for alias in node.names)


def imports_of(module: str) -> Iterator[str]:
    """Yield every module of ours that a module reaches for, by whatever means."""
    for origin, name in names_of(module):
        submodule = f"{origin}.{name}"
        yield submodule if submodule in MODULES else origin
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_ours(alias.name))
        elif isinstance(node, ast.Constant) and node.value in NAMED:
            yield node.value


def layer_of(module: str) -> str:
    return module.partition(".")[2].partition(".")[0]


def points_down(module: str, other: str) -> bool:
    own, layer = layer_of(module), layer_of(other)
    # The ground may use itself; above it nothing looks sideways or up.
    return (
        own == layer or LAYERS[layer] < LAYERS[own] or LAYERS[layer] == LAYERS[own] == 0
    )


@cache
def listed_in(module: str) -> frozenset[str]:
    """Return the names in ``__all__``."""
    for node in tree_of(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


class TestThePackage:
    def test_gives_every_name_it_lists(self):
        homes = [name for names in consurv._HOMES.values() for name in names]
        assert sorted([*homes, "__version__"]) == sorted(consurv.__all__)
        typed = {name for _, name in names_of("consurv")} - {"announce"}
        assert typed == {*homes, "__version__"}
        for home, names in consurv._HOMES.items():
            for name in names:
                assert getattr(consurv, name) is getattr(import_module(home), name)
        assert set(consurv.__all__) <= set(dir(consurv))

    def test_gives_its_parts(self):
        for name in consurv._SUBPACKAGES:
            assert getattr(consurv, name) is import_module(f"consurv.{name}")
        with pytest.raises(AttributeError, match="'consurv' has no attribute 'no'"):
            consurv.no  # noqa: B018


class TestLayers:
    def test_every_file_belongs_to_one(self):
        assert {layer_of(module) for module in MODULES} <= set(LAYERS)

    def test_imports_point_downwards(self):
        wrong = {
            (module, other)
            for module in MODULES
            for other in imports_of(module)
            if not points_down(module, other)
        }
        assert wrong == set()

    def test_an_import_of_the_package_itself_is_seen(self):
        assert not points_down("consurv.cli.version", "consurv")
        assert not points_down("consurv.curves.curves", "consurv.metrics.mae")
        assert points_down("consurv.metrics.mae", "consurv.curves.curves")

    def test_imports_inside_functions_and_by_name_are_seen(self):
        assert "consurv.adapters.lifelines" in imports_of("consurv.adapters.registry")
        assert "consurv.models.cox" in imports_of("consurv.models.registry")


class TestNames:
    def test_a_module_lists_what_others_import(self):
        unlisted = {
            f"{origin}.{name}"
            for module in MODULES
            for origin, name in names_of(module)
            if f"{origin}.{name}" not in MODULES and name not in listed_in(origin)
        }
        assert unlisted == set()

    def test_a_module_has_what_it_lists(self):
        for module in MODULES:
            defined = set(_defined(tree_of(module)))
            lazy = "__getattr__" in defined
            assert lazy or listed_in(module) <= defined, module


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_the_package_stands_without_what_is_beside_it():
    beside = {"studies", "benchmarks", "tests"}
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            assert not beside & {name.split(".")[0] for name in names}, module


def test_importing_consurv_imports_no_optional_library():
    code = f"import sys, consurv; print([m for m in {OPTIONAL} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
