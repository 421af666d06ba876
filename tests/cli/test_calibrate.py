import re
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner, Result

from consurv import ConformalSurvival, Outcome
from consurv.cli.app import app
from consurv.cli.writing import CsvWriter
from consurv.datasets import TableEncoder
from consurv.models import make_model

LEVELS = np.arange(19, 0, -1) / 20


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def expected_curves(files: Any, **settings: Any) -> Any:
    """What the library gives for the same tables."""
    model = make_pipeline(TableEncoder(), make_model("weibull-aft", 0))
    post = ConformalSurvival(model, random_state=0, **settings)
    X = files.train.drop(columns=["time", "event"])
    post.fit(X, Outcome(time=files.train["time"], event=files.train["event"]))
    return post.predict_survival_function(files.new[X.columns])


def at(table: pd.DataFrame, curves: Any) -> Any:
    """Return the survival of curves at the times of a table of them."""
    return curves.survival_at(table["time"].unique()).ravel()


class TestResults:
    def test_are_those_of_the_library(self, files: Any) -> None:
        result = run(*files.command)
        assert result.exit_code == 0, result.stderr
        expected = expected_curves(files)
        curves = pd.read_parquet(files.folder / "curves.parquet")
        assert curves.columns.tolist() == ["subject", "time", "survival"]
        assert curves["subject"].tolist() == np.repeat(range(120), 50).tolist()
        times = files.train["time"].max() * np.arange(1, 51) / 50
        assert_allclose(curves["time"], np.tile(times, 120))
        assert_allclose(curves["survival"], expected.survival_at(times).ravel())
        table = pd.read_parquet(files.folder / "curves.percentiles.parquet")
        assert table.columns[1] == "t_at_0.95"
        assert_allclose(table.filter(like="t_at_"), expected.percentile_times(LEVELS))
        assert_allclose(table["median"], expected.median())
        assert_allclose(table["mean"], expected.mean())
        assert table["rearranged"].sum() == expected.n_rearranged

    def test_do_not_say_the_same_twice(self, files: Any) -> None:
        """Curves are told at common times, percentiles at common levels."""
        run(*files.command)
        curves = pd.read_parquet(files.folder / "curves.parquet")
        table = pd.read_parquet(files.folder / "curves.percentiles.parquet")
        percentiles = set(table.filter(like="t_at_").to_numpy().ravel())
        assert not percentiles & set(curves["time"])
        assert curves["time"].nunique() == 50

    def test_do_not_depend_on_how_tables_are_stored(self, files: Any) -> None:
        run(*files.command)
        out = str(files.folder / "again.csv.gz")
        arguments = files.with_train("train.parquet", "new.parquet")
        result = run(*arguments, "--out", out)
        assert result.exit_code == 0, result.stderr
        for name in ("curves", "curves.percentiles"):
            parquet = pd.read_parquet(files.folder / f"{name}.parquet")
            csv = pd.read_csv(
                files.folder / f"{name.replace('curves', 'again')}.csv.gz"
            )
            pd.testing.assert_frame_equal(csv, parquet)

    def test_do_not_depend_on_the_block_size(
        self, files: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        result = run(*files.command)
        whole = pd.read_parquet(files.folder / "curves.parquet")
        monkeypatch.setattr("consurv.conformal.reading.raw_model.CHUNK_ROWS", 50)
        again = run(*files.command, "--force")
        pd.testing.assert_frame_equal(
            pd.read_parquet(files.folder / "curves.parquet"), whole
        )
        assert again.stdout == result.stdout

    def test_are_the_same_for_new_subjects_without_outcomes(self, files: Any) -> None:
        run(*files.command)
        whole = pd.read_parquet(files.folder / "curves.parquet")
        new = files.new.drop(columns=["time", "event"])
        new.to_csv(files.folder / "new.csv", index=False)
        result = run(*files.command, "--force")
        assert "C-index" not in result.stdout
        pd.testing.assert_frame_equal(
            pd.read_parquet(files.folder / "curves.parquet"), whole
        )

    def test_carry_the_id_column(self, files: Any) -> None:
        result = run(*files.command, "--id", "patient")
        assert result.exit_code == 0, result.stderr
        table = pd.read_parquet(files.folder / "curves.percentiles.parquet")
        assert table["patient"].tolist() == files.new["patient"].tolist()
        curves = pd.read_parquet(files.folder / "curves.parquet")
        assert curves["patient"].tolist() == files.new["patient"].repeat(50).tolist()

    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    def test_carry_ids_as_they_are_written(self, files: Any, suffix: str) -> None:
        ids = ["00001", "3E3", "12.0010", "NA", *(f"{i:03}" for i in range(116))]
        new = files.new.assign(patient=ids)
        new.to_csv(files.folder / "new.csv", index=False)
        out = files.folder / f"out{suffix}"
        result = run(*files.command, "--id", "patient", "--out", out)
        assert result.exit_code == 0, result.stderr
        places = [out, files.folder / f"out.percentiles{suffix}"]
        curves, table = (
            pd.read_csv(path, dtype=str, keep_default_na=False)
            if suffix == ".csv"
            else pd.read_parquet(path)
            for path in places
        )
        assert table["patient"].tolist() == ids
        assert curves["patient"].tolist() == np.repeat(ids, 50).tolist()

    def test_go_where_they_are_told(self, files: Any) -> None:
        times = files.folder / "times.csv"
        run(*files.command, "--percentiles-out", str(times), "--percentiles", "3")
        assert files.written() == {"curves.parquet", "times.csv"}
        table = pd.read_csv(times)
        assert table.columns[1:4].tolist() == ["t_at_0.75", "t_at_0.5", "t_at_0.25"]

    def test_follow_the_settings(self, files: Any) -> None:
        settings = {"conformal_set": "half", "censoring": "uncensored"}
        options = ["--conformal-set", "half", "--censoring", "uncensored"]
        run(*files.command, *options)
        curves = pd.read_parquet(files.folder / "curves.parquet")
        expected = expected_curves(files, **settings)
        assert_allclose(curves["survival"], at(curves, expected))

    @pytest.mark.parametrize("censoring", ["auto", "self-consistent"])
    def test_follow_moved_levels(self, files: Any, censoring: str) -> None:
        options = ["--adjustment", "level", "--censoring", censoring]
        result = run(*files.command, *options)
        assert result.exit_code == 0, result.stderr
        expected = expected_curves(files, adjustment="level", censoring=censoring)
        curves = pd.read_parquet(files.folder / "curves.parquet")
        assert_allclose(curves["survival"], at(curves, expected))
        shifted = expected_curves(files)
        medians = [made.median() for made in (expected, shifted)]
        assert np.abs(np.subtract(*medians)).max() > 1e-3

    def test_are_made_for_rows_with_missing_and_unknown_values(
        self, files: Any
    ) -> None:
        grades = ["low", "high"] * 250
        files.train.assign(grade=grades).to_csv(files.folder / "train.csv", index=False)
        new = files.new.assign(grade="other")
        new.loc[3, "age"] = np.nan
        new.to_csv(files.folder / "new.csv", index=False)
        result = run(*files.command)
        assert result.exit_code == 0
        assert "note: column 'grade' has values that training did not: other" in (
            result.stderr
        )
        table = pd.read_parquet(files.folder / "curves.percentiles.parquet")
        assert table["median"].notna().all()


class TestSummary:
    def test_tells_what_was_done(self, files: Any) -> None:
        out = run(*files.command, "--model", "AFT").stdout
        events = int(files.train["event"].sum())
        for fact in (
            f"500 with {events} events",
            "weibull-aft",
            "cross: 500 subjects",
            "the law of time, by risk",
            "likelihood",
            "curves.parquet",
        ):
            assert fact in out
        assert re.search(r"new subjects\W+120\b", out)

    def test_speaks_of_levels_where_they_move(self, files: Any) -> None:
        out = run(*files.command, "--adjustment", "level").stdout
        rows = dict(re.findall(r"│ (\w[\w ]*?) +│ (.*?) +│", out))
        assert rows["adjusted"] == "levels (CiPOT)"
        assert rows["censoring rule"] == "self-consistent"
        for word in ("shift", "rearranged", "clipped"):
            assert word not in out
        assert "C-index" in out

    def test_scores_new_subjects_with_outcomes(self, files: Any) -> None:
        out = run(*files.command).stdout
        assert "C-index" in out
        assert "D-cal" in out

    def test_says_why_new_subjects_are_not_scored(self, files: Any) -> None:
        new = files.new.astype({"time": float})
        new.loc[2, "time"] = np.nan
        new.to_csv(files.folder / "new.csv", index=False)
        result = run(*files.command)
        assert result.exit_code == 0
        assert "note: the new subjects are not scored" in result.stderr

    def test_says_that_new_subjects_without_events_cannot_be_scored(
        self, files: Any
    ) -> None:
        files.new.assign(event=0).to_csv(files.folder / "new.csv", index=False)
        result = run(*files.command)
        assert result.exit_code == 0
        assert "not scored: y has no event" in result.stderr

    def test_is_left_out_when_quiet(self, files: Any) -> None:
        result = run(*files.command, "--quiet")
        assert (result.exit_code, result.stdout) == (0, "")
        # What weakens the result is said all the same, in one note.
        assert result.stderr.startswith("note: too few events lie at or beyond")
        assert result.stderr.count("note: ") == 1

    def test_notes_weak_settings(self, files: Any) -> None:
        result = run(*files.command, "--percentiles", "4")
        assert result.stderr.startswith("note: 0.5 is not among the levels")


class TestIds:
    def test_that_pass_for_a_feature_are_noted(self, files: Any) -> None:
        numbers = {"customer_id": np.arange(500) + 1000}
        files.train.assign(**numbers).to_csv(files.folder / "train.csv", index=False)
        new = files.new.assign(customer_id=np.arange(120) + 5000)
        new.to_csv(files.folder / "new.csv", index=False)
        result = run(*files.command)
        assert result.exit_code == 0, result.stderr
        note = " ".join(result.stderr.split())
        assert "column 'customer_id' of train.csv has another whole number" in note
        assert "give --id customer_id" in note
        for option in (["--id", "customer_id"], ["--drop", "customer_id"]):
            again = run(*files.command, "--force", *option)
            assert "another whole number" not in again.stderr

    @pytest.mark.parametrize("out", ["c.csv", "c.parquet"])
    def test_that_a_spreadsheet_would_run_are_noted(self, files: Any, out: str) -> None:
        ids = ["=cmd|' /C calc'!A0", *files.new["patient"][1:]]
        new = files.new.assign(patient=ids)
        new.to_csv(files.folder / "new.csv", index=False)
        path = str(files.folder / out)
        result = run(*files.command, "--id", "patient", "--out", path)
        assert result.exit_code == 0, result.stderr
        noted = "a spreadsheet may take for formulas" in " ".join(result.stderr.split())
        assert noted == (out == "c.csv")
        read = pd.read_csv if noted else pd.read_parquet
        assert read(path)["patient"][0] == ids[0]  # as it came: tables are joined by it


class TestBadInput:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"time": 0.0}, "time has 500 values <= 0, the first at row 0: 0"),
            ({"event": [1, 2] * 250}, "values 1, 2; if 2 means that the event"),
            ({"event": 0}, "no event among its 500 subjects"),
            ({"time": [0, 1] * 250, "event": [3, 9] * 250}, "look swapped"),
            ({"seen": "2020-01-01"}, "'seen' holds dates or times"),
            ({"name": [f"n{i}" for i in range(500)]}, "'name' holds text with 500"),
            ({"age": np.inf}, "'age' has infinite values"),
        ],
    )
    def test_in_the_training_table_is_named(
        self, files: Any, change: dict, message: str
    ) -> None:
        bad = files.train.assign(**change)
        bad.to_csv(files.folder / "bad.csv", index=False)
        # Columns that only the training table has must not hide the message.
        files.new.assign(seen=1, name="n").to_csv(files.folder / "new.csv")
        self.check(files, files.with_train("bad.csv"), message)

    def test_like_an_empty_file_is_named(self, files: Any) -> None:
        (files.folder / "bad.csv").write_text("")
        self.check(files, files.with_train("bad.csv"), "bad.csv is empty")

    def test_like_a_name_over_two_columns_is_named(self, files: Any) -> None:
        """It trained on the first one, which held ages."""
        text = (files.folder / "train.csv").read_text()
        (files.folder / "bad.csv").write_text(text.replace("age", "time", 1))
        message = "bad.csv has more than one column called 'time'"
        self.check(files, files.with_train("bad.csv"), message)
        self.check(files, files.with_train("train.csv", "bad.csv"), message)

    def test_like_a_missing_file_is_named(self, files: Any) -> None:
        self.check(files, files.with_train("no.csv"), "no.csv does not exist")

    def test_like_a_table_without_features_is_named(self, files: Any) -> None:
        only = files.train[["time", "event"]]
        only.to_csv(files.folder / "bad.csv", index=False)
        self.check(files, files.with_train("bad.csv"), "no feature columns")

    def test_like_a_new_table_without_a_feature_is_named(self, files: Any) -> None:
        new = files.new.drop(columns=["age", "pgr"])
        new.to_csv(files.folder / "bad.csv", index=False)
        arguments = files.with_train("train.csv", "bad.csv")
        self.check(files, arguments, "bad.csv lacks the columns 'age', 'pgr'")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--time", "tme"], "lacks the column 'tme'; did you mean 'time'?"),
            (["--event", "time"], "time and event are both 'time'"),
            (["--time", "event", "--event", "time"], "look swapped"),
            (["--model", "coxhp"], "unknown model 'coxhp', did you mean 'coxph'?"),
            (["--conformal-set", "all"], "conformal_set='all' is not valid"),
            (["--censoring", "none"], "unknown censoring rule 'none'"),
            (["--adjustment", "times"], "unknown adjustment 'times', did you mean"),
            (
                ["--adjustment", "level", "--censoring", "Kaplan-Meier"],
                "--censoring Kaplan-Meier goes with --adjustment time; with "
                "--adjustment level choose one of: auto, uniform, self-consistent",
            ),
            (
                ["--censoring", "uniform"],
                "--censoring uniform goes with --adjustment level; with "
                "--adjustment time choose one of: uncensored, margin",
            ),
            (
                ["--adjustment", "level", "--censoring", "none"],
                "with adjustment='level' choose one of: uniform, self-consistent",
            ),
            (["--drop", "agee"], "lacks the column 'agee'; did you mean 'age'?"),
            (["--id", "name"], "new.csv lacks the column 'name'"),
            (["--id", "median"], "id column cannot be called 'median'"),
            (["--percentiles", "0"], "--percentiles"),
            (["--percentiles", "many"], "--percentiles"),
        ],
    )
    def test_among_the_options_is_named(
        self, files: Any, options: list[str], message: str
    ) -> None:
        self.check(files, [*files.command, *options], message)

    def test_that_a_model_chokes_on_is_told_in_its_words(
        self, files: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(self: object, *args: object, **named: object) -> None:
            raise ValueError("\nmatrix is singular\nTry the following: ...")

        monkeypatch.setattr(ConformalSurvival, "fit", fail)
        message = "It said: ValueError: matrix is singular\n"
        self.check(files, files.command, message)

    @staticmethod
    def check(files: Any, arguments: list[str], message: str) -> None:
        result = run(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
        assert files.written() == set()


class TestOutputs:
    @pytest.mark.parametrize(
        ("out", "message"),
        [
            ("no/curves.csv", "does not exist; create it first"),
            ("curves.xlsx", "neither CSV nor Parquet"),
            ("train.csv", "is an input"),
        ],
    )
    def test_that_cannot_be_written_are_refused_before_any_work(
        self, files: Any, out: str, message: str
    ) -> None:
        arguments = [*files.command, "--out", str(files.folder / out), "--force"]
        TestBadInput.check(files, arguments, message)

    def test_must_be_two_files(self, files: Any) -> None:
        same = str(files.folder / "curves.parquet")
        message = "--out and --percentiles-out are the same"
        TestBadInput.check(files, [*files.command, "--percentiles-out", same], message)

    def test_that_exist_are_kept_without_force(self, files: Any) -> None:
        out = files.folder / "curves.percentiles.parquet"
        out.write_text("mine")
        result = run(*files.command)
        assert result.exit_code == 2
        assert "exists already; give another name or --force" in result.stderr
        assert out.read_text() == "mine"
        assert run(*files.command, "--force").exit_code == 0
        assert len(pd.read_parquet(out)) == 120

    def test_are_not_left_half_written(
        self, files: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*args: object) -> None:
            raise OSError(28, "No space left on device", "curves.parquet")

        monkeypatch.setattr("consurv.cli.outputs.percentile_table", fail)
        message = "error: No space left on device: curves.parquet"
        TestBadInput.check(files, files.command, message)


class TestBothOutputs:
    def test_are_replaced_together_or_not_at_all(
        self, files: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The percentiles had been replaced when the curves' disk was full."""
        names = ("curves.csv", "curves.percentiles.csv")
        for name in names:
            (files.folder / name).write_text("before")
        close = CsvWriter.close

        def full(self: CsvWriter) -> None:
            close(self)
            if "percentiles" not in str(self._file.name):
                raise OSError(28, "No space left on device", "curves.csv")

        monkeypatch.setattr(CsvWriter, "close", full)
        out = str(files.folder / "curves.csv")
        result = run(*files.command, "--out", out, "--force")
        assert result.exit_code == 2
        assert "No space left on device: curves.csv" in result.stderr
        assert files.written() == set(names)
        assert {(files.folder / name).read_text() for name in names} == {"before"}


@pytest.mark.slow
class TestTheRealCommand:
    def test_runs_as_a_module(self, files: Any) -> None:
        result = self.call(*files.command, "--id", "patient")
        assert result.returncode == 0, result.stderr
        # No progress where nobody watches.
        assert result.stderr.startswith("note: too few events lie at or beyond")
        assert result.stderr.count("note: ") == 1
        assert "Calibrated survival curves" in result.stdout
        assert files.written() == {"curves.parquet", "curves.percentiles.parquet"}

    def test_says_one_line_on_bad_input(self, files: Any) -> None:
        result = self.call(*files.with_train("no.csv"))
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("error: ")

    @staticmethod
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "consurv", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)
