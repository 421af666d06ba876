import json
from pathlib import Path

import pytest

from consurv.errors import InvalidInput
from studies.bed.__main__ import main as bed
from studies.bed.run import read
from studies.bounds.__main__ import main as bounds
from studies.harm.__main__ import is_record
from studies.harm.__main__ import main as harm
from studies.owned import check_owned, read_json
from studies.truth.__main__ import main as truth


@pytest.mark.parametrize(
    "text", ["", "[1]", "3", '{"dataset": 3}', '{"scores": {"raw": 1}}', "[" * 9999]
)
def test_what_is_no_record_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=r"a\.json .*remove it"):
        read_json(path, is_record)


def test_records_of_the_bed_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "development.json"
    path.write_text(json.dumps({"a": {"raw": {"0": ["x"] * 5}}}))
    with pytest.raises(InvalidInput, match="another form than this study writes"):
        read(path)


@pytest.mark.parametrize(
    ("main", "name", "arguments"),
    [
        (harm, "harm.md", ["--out"]),
        (bed, "development.md", ["--quick", "--output"]),
        (bounds, "bounds.md", ["--quick", "--output"]),
        (truth, "truth.md", ["--seeds", "1", "--output"]),
    ],
)
def test_pages_of_others_stay(tmp_path: Path, main, name, arguments) -> None:
    (tmp_path / name).write_text("# My thesis")
    with pytest.raises(InvalidInput, match=f"{name} was not written by this study"):
        main([*arguments, str(tmp_path)])
    assert (tmp_path / name).read_text() == "# My thesis"


def test_what_belongs_to_a_page_is_foreign_without_it(tmp_path):
    (tmp_path / "truth.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"truth\.json was not written by this"):
        check_owned(tmp_path / "truth.md", "ours", beside=["truth.json"])
    check_owned(tmp_path / "truth.md", "ours", beside=["truth.json"], force=True)
    (tmp_path / "truth.md").write_text("ours")
    check_owned(tmp_path / "truth.md", "ours", beside=["truth.json"])
