import json
from pathlib import Path
from typing import Any

import pytest

from studies import read_record, read_records
from studies.records import (
    FORMAT,
    VERSION,
    CorruptRecord,
    record_path,
    status_of,
    write_record,
)


def record(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "study": "main",
        "dataset": "PBC",
        "model": "km",
        "seed": 0,
        "status": "done",
        "variants": [{"name": "raw", "status": "done", "metrics": {"c_index": 0.5}}],
    }
    return {**whole, **changes}


class TestRoundTrip:
    def test_gives_the_record_back(self, tmp_path: Path) -> None:
        path = write_record(tmp_path, record())
        assert path == record_path(tmp_path, "main", "PBC", "km", 0)
        assert read_record(path) == record()

    def test_refuses_what_is_not_a_number(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            write_record(tmp_path, record(seconds=float("nan")))
        assert read_records(tmp_path).records == []

    def test_reads_a_record_that_was_made_by_hand(self, tmp_path: Path) -> None:
        path = tmp_path / "0.json"
        path.write_text(json.dumps(record()))
        assert read_record(path) == record()


class TestCorruptRecords:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "not a whole JSON file"),
            ('{"format": "consurv-rec', "not a whole JSON file"),
            ("[1, 2]", "not a record"),
            ('{"format": "other"}', "not a record"),
            (json.dumps(record(version=99)), "version 99"),
            (json.dumps({"format": FORMAT, "version": VERSION}), "lacks study"),
            (json.dumps(record(checksum="0")), "was changed"),
        ],
    )
    def test_says_what_is_wrong(self, text: str, reason: str, tmp_path: Path) -> None:
        path = tmp_path / "0.json"
        path.write_text(text)
        with pytest.raises(CorruptRecord, match=reason):
            read_record(path)

    def test_notices_a_single_digit(self, tmp_path: Path) -> None:
        path = write_record(tmp_path, record())
        path.write_text(path.read_text().replace("0.5", "0.6"))
        with pytest.raises(CorruptRecord, match="was changed"):
            read_record(path)

    def test_not_text(self, tmp_path: Path) -> None:
        path = tmp_path / "0.json"
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(CorruptRecord, match="not a whole JSON file"):
            read_record(path)

    def test_reading_all_leaves_them_out_and_names_them(self, tmp_path: Path) -> None:
        write_record(tmp_path, record())
        bad = write_record(tmp_path, record(seed=1))
        bad.write_text("{")
        stored = read_records(tmp_path)
        assert [r["seed"] for r in stored.records] == [0]
        assert stored.corrupt == [bad]

    def test_leftovers_of_writers_are_no_records(self, tmp_path: Path) -> None:
        path = write_record(tmp_path, record())
        path.with_name(".1.json.123-4.part").write_text("{")
        assert len(read_records(tmp_path).records) == 1
        assert read_records(tmp_path).corrupt == []


def test_a_failed_variant_makes_a_failed_record() -> None:
    assert status_of(record()) == "done"
    assert status_of(record(status="timeout", variants=[])) == "timeout"
    assert status_of(record(variants=[{"status": "failed"}])) == "failed"
