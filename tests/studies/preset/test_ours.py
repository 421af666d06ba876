"""Our default beside the other columns: what is stored is left alone, and counted."""

from pathlib import Path

import pytest

from studies.preset.ours import DEFAULT, main
from studies.records import read_records
from tests.studies.test_local import workers


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_records_are_made_once_and_counted(tmp_path: Path, jobs: str) -> None:
    asked = ["--datasets", "VALCT", "--models", "weibull-aft", "--seeds", "2"]
    asked += ["--out", str(tmp_path), "--jobs", jobs]
    assert main(asked) == 0
    assert workers() == []
    records = read_records(tmp_path).records
    assert [record["seed"] for record in records] == [0, 1]
    for record in records:
        assert record["status"] == "done"
        assert [v["name"] for v in record["variants"]] == ["raw", DEFAULT]
    table = tmp_path / "wins_default_against_raw.md"
    assert "| public | D-cal | 1 |" in table.read_text(encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json")}
    assert main(asked) == 0
    assert before == {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.json")}
