"""Imports point downwards only, and importing consurv stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import consurv

ROOT = Path(consurv.__file__).parent
LAYERS = {
    "errors": 0,
    "_checks": 0,
    "_params": 0,
    "_registry": 0,
    "outcome": 0,
    "splits": 0,
    "curves": 1,
    "metrics": 2,
    "adapters": 2,
    "conformal": 3,
    "models": 3,
    "datasets": 3,
    "report": 4,
    "cli": 5,
    "__init__": 6,
    "__main__": 6,
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
)


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def layer_of(parts):
    return parts[0].removesuffix(".py")


def test_every_file_belongs_to_a_layer():
    found = {layer_of(p.relative_to(ROOT).parts) for p in ROOT.rglob("*.py")}
    assert found <= set(LAYERS)


def test_imports_point_downwards():
    wrong = []
    for path in ROOT.rglob("*.py"):
        own = layer_of(path.relative_to(ROOT).parts)
        for module in imports_of(path):
            if not module.startswith("consurv."):
                continue
            other = module.split(".")[1]
            # The ground may use itself; above it nothing looks sideways or up.
            allowed = own == other or (
                LAYERS[other] < LAYERS[own] or LAYERS[other] == LAYERS[own] == 0
            )
            if not allowed:
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_the_package_stands_without_what_is_beside_it():
    beside = {"studies", "benchmarks", "tests"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in ROOT.rglob("*.py")
        for module in imports_of(path)
        if module.split(".")[0] in beside
    ]
    assert wrong == []


def test_importing_consurv_imports_no_optional_library():
    code = f"import sys, consurv; print([m for m in {OPTIONAL} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
