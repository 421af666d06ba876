"""What is imported is declared."""

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import consurv

ROOT = Path(consurv.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def imported() -> set[str]:
    """Return the top-level modules of others that the package imports anywhere."""
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
            elif isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
    return found - set(sys.stdlib_module_names) - {"consurv"}


def declared() -> set[str]:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    users = [lines for extra, lines in extras.items() if extra != "dev"]
    lines = sum(users, project["dependencies"])
    return {re.split(r"[^\w.-]", line)[0].lower() for line in lines}


@pytest.mark.parametrize("module", sorted(imported()))
def test_every_library_is_declared(module):
    found = metadata.packages_distributions().get(module)
    if found is None:
        pytest.skip(f"{module} is not installed")
    # Another build of a library, such as xgboost-cpu, has its module's name.
    assert {module.lower(), *(name.lower() for name in found)} & declared()
