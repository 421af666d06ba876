"""Files of subjects."""

from __future__ import annotations

import pytest

from tests.distributed.people import parts, subjects


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for i, part in enumerate(parts(subjects(900))):
        part.to_parquet(folder / f"part-{i}.parquet", index=False)
    return folder
