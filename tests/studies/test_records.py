import json
from pathlib import Path
from typing import Any

import pytest

from studies import read_record, read_records, records
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

    def test_refuses_a_record_without_its_checksum(self, tmp_path: Path) -> None:
        path = tmp_path / "0.json"
        path.write_text(json.dumps(record()))
        with pytest.raises(CorruptRecord, match="lacks checksum"):
            read_record(path)


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

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"study": 3}, "study must be text in one line, not 3"),
            ({"dataset": ["PBC"]}, "dataset must be text"),
            ({"dataset": "../../x"}, "dataset must be a name without"),
            ({"model": "=cmd|' /C calc'!A0"}, "model must be a name without"),
            ({"model": "$x_"}, "model must be a name without"),
            ({"seed": "0"}, "seed must be a whole number, not '0'"),
            ({"seed": True}, "seed must be a whole number"),
            ({"seed": 10**400}, "seed must be a whole number"),
            ({"status": None}, "status must be done, failed or timeout"),
            ({"status": "fine"}, "status must be done, failed or timeout"),
            ({"status": ["done"]}, "status must be done, failed or timeout"),
            ({"variants": {}}, "variants must be a list"),
            ({"variants": [3]}, r"variants\[0\] must be an object"),
            ({"variants": [{}]}, r"variants\[0\].name must be there"),
            ({"variants": None}, "variants must be a list"),
            ({"label": {}}, "label must be text"),
            ({"fit": [1]}, "fit must be an object"),
            ({"fit": {}}, "fit.reused must be there"),
            (
                {"fit": {"reused": False, "seconds": "1"}},
                "fit.seconds must be a number",
            ),
            ({"data": {"n": 1.5}}, "data.n must be a whole number"),
            ({"data": "small"}, "data must be an object"),
            ({"error": "bad"}, "error must be an object"),
            ({"settings": [1]}, "settings must be an object"),
            ({"environment": {"numpy": 2}}, "environment.numpy must be text"),
            ({"time_limit": "long"}, "time_limit must be a number"),
            ({"seconds": {}}, "seconds must be a number"),
            ({"started": "a\nb"}, "started must be text in one line"),
            ({"label": "half \ud800"}, "label must be text in one line"),
        ],
    )
    def test_wrong_types_are_named(
        self, change: dict[str, Any], message: str, tmp_path: Path
    ) -> None:
        """Most of these were an AttributeError, a TypeError or a KeyError."""
        path = self.planted(tmp_path, record(**change))
        with pytest.raises(CorruptRecord, match=message) as caught:
            read_record(path)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "change",
        [
            {"metrics": [1]},
            {"metrics": {"c_index": "high"}},
            {"counts": {"n_conformal": []}},
            {"seconds": 3},
            {"details": {"pp": {"levels": [0.5]}}},
            {"details": {"pp": {"levels": [0.5], "observed": []}}},
            {"percentiles": "many"},
            {"warnings": "none"},
            {"peak_memory": "1"},
        ],
    )
    def test_wrong_types_in_a_variant_are_named(
        self, change: dict[str, Any], tmp_path: Path
    ) -> None:
        variant = {**record()["variants"][0], **change}
        path = self.planted(tmp_path, record(variants=[variant]))
        with pytest.raises(CorruptRecord, match=r"variants\[0\]\.\w+.* must be"):
            read_record(path)

    @staticmethod
    def planted(folder: Path, content: dict[str, Any]) -> Path:
        """A file with a right checksum, whatever it holds."""
        path = folder / "0.json"
        whole = {**content, "checksum": records._checksum(content)}
        path.write_text(json.dumps(whole))
        return path

    def test_nested_without_end(self, tmp_path: Path) -> None:
        path = tmp_path / "0.json"
        path.write_text('{"a":' * 200_000)
        with pytest.raises(CorruptRecord, match="not a whole JSON file"):
            read_record(path)

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "0.json").mkdir()
        with pytest.raises(CorruptRecord, match="is not a file"):
            read_record(tmp_path / "0.json")

    def test_a_record_in_the_place_of_another(self, tmp_path: Path) -> None:
        path = write_record(tmp_path, record())
        other = path.with_name("7.json")
        other.write_bytes(path.read_bytes())
        assert read_records(tmp_path).corrupt == [other]

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
