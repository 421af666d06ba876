"""A study replaces only what a study wrote."""

from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from consurv.errors import InvalidInput
from studies import StudyConfig, command, run
from studies.own import check_own
from studies.summary import write_summary

CONFIG = StudyConfig("main", datasets=["VALCT"], models=["km"], seeds=1)
FOREIGN = ["README.md", "report.html", "config.toml"]


def call(folder: Path, *args: str) -> Result:
    asked = ["--datasets", "VALCT", "--models", "km", "--seeds", "1", "--jobs", "1"]
    return CliRunner().invoke(
        command.app, ["main", *asked, "--out", str(folder), *args]
    )


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_others_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("my own")
    result = call(tmp_path)
    assert result.exit_code == 2
    assert "was not written by a study" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "my own"


def test_files_of_others_are_replaced_on_request(tmp_path: Path) -> None:
    for name in FOREIGN:
        (tmp_path / name).write_text("my own")
    assert call(tmp_path, "--force").exit_code == 0
    assert all("my own" not in (tmp_path / name).read_text() for name in FOREIGN)


def test_what_a_study_wrote_is_replaced(tmp_path: Path) -> None:
    first = call(tmp_path)
    assert first.exit_code == 0, first.stderr
    again = call(tmp_path, "--again")
    assert again.exit_code == 0, again.stderr


@pytest.mark.parametrize("name", ["tables", "figures", "fits"])
def test_folders_of_others_are_not_entered(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(InvalidInput, match=f"{name} was not written by a study"):
        run(CONFIG, tmp_path)


@pytest.mark.parametrize("name", FOREIGN[:2])
def test_a_summary_leaves_files_of_others_alone(tmp_path: Path, name: str) -> None:
    run(CONFIG, tmp_path)
    (tmp_path / name).write_text("my own")
    with pytest.raises(InvalidInput, match="was not written by a study"):
        write_summary(tmp_path)
    assert (tmp_path / name).read_text() == "my own"
    assert not (tmp_path / "tables").exists()


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "README.md").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="was not written by a study"):
        check_own(tmp_path)
