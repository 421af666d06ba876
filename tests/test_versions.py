"""Versions are known in an installed package and in a plain source tree."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import consurv
from consurv._versions import __version__, installed_versions, version_of
from consurv.report.facts import versions


@pytest.fixture
def nothing_installed(monkeypatch):
    def version(library):
        raise metadata.PackageNotFoundError(library)

    monkeypatch.setattr(metadata, "version", version)


def test_libraries_are_known_by_their_distribution():
    assert version_of("numpy") == np.__version__
    assert version_of("no-such-library") is None


def test_what_is_not_installed_is_left_out():
    assert list(installed_versions(["scipy", "no-such-library", "numpy"])) == [
        "scipy",
        "numpy",
    ]


def test_the_package_has_one_version():
    assert consurv.__version__ == version_of("consurv") == __version__


@pytest.mark.usefixtures("nothing_installed")
def test_the_own_version_needs_no_installation():
    assert version_of("consurv") == __version__
    assert list(versions()) == ["consurv", "Python"]


def test_a_source_tree_alone_knows_its_version(tmp_path):
    # A copy outside of any installation, as after unpacking an archive.
    source = Path(consurv.__file__).parent / "_versions.py"
    (tmp_path / "consurv").mkdir()
    (tmp_path / "consurv" / "__init__.py").touch()
    (tmp_path / "consurv" / "_versions.py").write_text(source.read_text())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
        "from consurv._versions import version_of; print(version_of('consurv'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == __version__
