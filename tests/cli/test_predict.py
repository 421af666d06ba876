from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from consurv.cli.app import app

pytest.importorskip("skops")


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def kept(files: Any) -> Path:
    path: Path = files.folder / "m.consurv"
    unit = ("--time-unit", "months")
    result = run(*files.command, "--model", "coxph", "--save", path, *unit)
    assert result.exit_code == 0, result.stderr
    assert f"Model: {path}" in result.stdout
    return path


class TestPredict:
    def test_gives_what_calibrate_gave(self, files: Any, kept: Path) -> None:
        mixed = files.new[files.new.columns[::-1]]  # by name, in any order
        mixed.to_csv(files.folder / "mixed.csv", index=False)
        again = files.folder / "again.parquet"
        result = run("predict", kept, files.folder / "mixed.csv", "--out", again)
        assert result.exit_code == 0, result.stderr
        assert str(again) in result.stdout
        for word in ("", ".percentiles"):
            first = pd.read_parquet(files.folder / f"curves{word}.parquet")
            second = pd.read_parquet(files.folder / f"again{word}.parquet")
            pd.testing.assert_frame_equal(second, first, check_exact=True)

    def test_names_subjects_by_their_ids(self, files: Any, kept: Path) -> None:
        out = files.folder / "again.csv"
        new = files.folder / "new.csv"
        result = run("predict", kept, new, "--out", out, "--id", "patient", "-q")
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert set(pd.read_csv(out)["patient"]) == set(files.new["patient"])

    def test_keeps_ids_as_they_are_written(self, files: Any, kept: Path) -> None:
        ids = ["NA", *(f"{i:05}" for i in range(len(files.new) - 1))]
        files.new.assign(patient=ids).to_csv(files.folder / "new.csv", index=False)
        out = files.folder / "again.csv"
        new = files.folder / "new.csv"
        result = run("predict", kept, new, "--out", out, "--id", "patient", "-q")
        assert result.exit_code == 0, result.stderr
        places = files.folder / "again.percentiles.csv"
        table = pd.read_csv(places, dtype=str, keep_default_na=False)
        assert table["patient"].tolist() == ids

    def test_takes_a_feature_for_the_id(self, files: Any, kept: Path) -> None:
        out = files.folder / "again.parquet"
        new = files.folder / "new.csv"
        result = run("predict", kept, new, "--out", out, "--id", "age", "-q")
        assert result.exit_code == 0, result.stderr
        for word in ("", ".percentiles"):
            first = pd.read_parquet(files.folder / f"curves{word}.parquet")
            second = pd.read_parquet(files.folder / f"again{word}.parquet")
            pd.testing.assert_frame_equal(
                second.drop(columns="age"), first, check_exact=True
            )

    def test_says_which_column_is_missing(self, files: Any, kept: Path) -> None:
        files.new.drop(columns="age").to_csv(files.folder / "bad.csv", index=False)
        out = files.folder / "again.csv"
        result = run("predict", kept, files.folder / "bad.csv", "--out", out)
        assert result.exit_code == 2
        assert "age" in result.stderr
        assert not out.exists()

    def test_refuses_a_file_that_is_no_model(self, files: Any) -> None:
        new = files.folder / "new.csv"
        result = run("predict", new, new, "--out", files.folder / "again.csv")
        assert result.exit_code == 2
        assert "not a model that consurv has saved" in " ".join(result.stderr.split())

    def test_does_not_overwrite(self, files: Any, kept: Path) -> None:
        new, out = files.folder / "new.csv", files.folder / "curves.parquet"
        result = run("predict", kept, new, "--out", out)
        assert result.exit_code == 2
        assert "exists already" in result.stderr
        again = run(*files.command, "--force", "--save", new)
        assert "is an input" in again.stderr


class TestInfo:
    def test_says_what_a_model_is(self, kept: Path) -> None:
        result = run("info", kept)
        assert result.exit_code == 0, result.stderr
        for said in ("Pipeline(TableEncoder, CoxPH)", "recalibrated", "cross: 500"):
            assert said in result.stdout
        assert "months" in result.stdout
        assert "none" in result.stdout

    def test_refuses_what_is_none(self, files: Any) -> None:
        result = run("info", files.folder / "train.csv")
        assert result.exit_code == 2
        assert "not a model that consurv has saved" in " ".join(result.stderr.split())
