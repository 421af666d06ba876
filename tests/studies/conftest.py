from pathlib import Path

import pytest

from studies import run
from tests.studies.runs import tiny


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of an unbroken run of the tiny grid; not to be changed."""
    folder = tmp_path_factory.mktemp("reference")
    result = run(tiny(), folder)
    assert (result.n_done, result.n_failed) == (12, 0)
    return folder
