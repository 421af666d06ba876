"""Many files into a folder: once a row, again after a kill, never half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from consurv.cli import streaming
from consurv.cli.app import app
from consurv.conformal import ConformalSurvival
from consurv.models import CoxPH

pytest.importorskip("skops")
N_FILES = 4


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(files: Any) -> Path:
    new: Path = files.folder / "new"
    new.mkdir()
    for i in range(N_FILES):
        files.new.iloc[i::N_FILES].to_parquet(new / f"{i}.parquet", index=False)
    return new


def command(files: Any, folder: Path, *more: Any) -> list[str]:
    columns = ["--time", "time", "--event", "event", "--id", "patient"]
    out = files.folder / "out"
    new = f"{folder}/*.parquet"
    train = files.folder / "train.csv"
    words = ["calibrate", train, new, *columns, "--out", f"{out}/", "--model", "coxph"]
    return [str(word) for word in (*words, *more)]


def table(out: Path) -> pd.DataFrame:
    parts = [pd.read_parquet(out / f"{i}.parquet") for i in range(N_FILES)]
    return pd.concat(parts).sort_values("patient", ignore_index=True)


class TestCalibrate:
    def test_gives_what_one_file_gives(self, files: Any, folder: Path) -> None:
        result = run(*command(files, folder))
        assert result.exit_code == 0, result.stderr
        assert f"4 parts in {files.folder / 'out'}" in result.stdout
        assert f"{len(files.new)} subjects predicted now" in result.stdout
        one = run(*files.command, "--model", "coxph", "--id", "patient")
        assert one.exit_code == 0, one.stderr
        whole = pd.read_parquet(files.folder / "curves.percentiles.parquet")
        whole = whole.sort_values("patient", ignore_index=True)
        found = table(files.folder / "out")
        names = whole.columns.drop("subject")
        pd.testing.assert_frame_equal(found[names], whole[names], rtol=1e-12)
        first = pd.read_parquet(files.folder / "out" / "1.parquet")
        assert first["subject"].tolist() == list(range(len(first)))

    def test_predicts_rows_in_small_batches_and_once(
        self, files: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sizes: list[int] = []
        predict = ConformalSurvival.predict_survival_function

        def watched(self: Any, X: Any) -> Any:
            sizes.append(len(X))
            return predict(self, X)

        monkeypatch.setattr("consurv.distributed.batches.BATCH_ROWS", 16)
        monkeypatch.setattr(ConformalSurvival, "predict_survival_function", watched)
        assert run(*command(files, folder, "-q")).exit_code == 0
        assert sum(sizes) == len(files.new)
        assert max(sizes) <= 16

    def test_goes_on_where_it_was(self, files: Any, folder: Path) -> None:
        assert run(*command(files, folder)).exit_code == 0
        out = files.folder / "out"
        before = table(out)
        made = {p.name: p.stat().st_mtime_ns for p in out.iterdir()}
        (out / "2.parquet").unlink()
        again = run(*command(files, folder))
        assert again.exit_code == 0, again.stderr
        assert f"{len(files.new) // N_FILES} subjects predicted now" in again.stdout
        now = {p.name: p.stat().st_mtime_ns for p in out.iterdir()}
        assert [n for n in now if now[n] != made[n]] == ["2.parquet"]
        pd.testing.assert_frame_equal(table(out), before, check_exact=True)

    def test_a_file_that_has_changed_is_predicted_anew(
        self, files: Any, folder: Path
    ) -> None:
        assert run(*command(files, folder)).exit_code == 0
        files.new.iloc[:3].to_parquet(folder / "0.parquet")
        later = time.time() + 10
        os.utime(folder / "0.parquet", (later, later))
        assert "3 subjects predicted now" in run(*command(files, folder)).stdout

    def test_another_command_is_refused(self, files: Any, folder: Path) -> None:
        assert run(*command(files, folder)).exit_code == 0
        other = run(*command(files, folder, "--percentiles", "9"))
        assert other.exit_code == 2
        assert "holds the results of another command" in other.stderr
        forced = run(*command(files, folder, "--percentiles", "9", "--force"))
        assert forced.exit_code == 0, forced.stderr
        assert "t_at_0.95" not in table(files.folder / "out")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ("cut", "1.parquet cannot be read as Parquet"),
            ("column", "1.parquet lacks the column 'age'"),
        ],
    )
    def test_a_bad_file_is_named_and_nothing_is_half(
        self, files: Any, folder: Path, change: str, said: str
    ) -> None:
        bad = folder / "1.parquet"
        if change == "cut":
            bad.write_bytes(bad.read_bytes()[:-100])
        else:
            pd.read_parquet(bad).drop(columns="age").to_parquet(bad)
        result = run(*command(files, folder))
        assert result.exit_code == 2
        assert said in result.stderr
        there = sorted(p.name for p in (files.folder / "out").iterdir())
        assert there == ["0.parquet", "model.consurv", "run.json"]

    def test_goes_on_after_a_kill(self, files: Any, folder: Path) -> None:
        """Killed in the middle of the second file: the first stays, and no half."""
        slow = (
            "import sys, time; from consurv.cli import streaming, main\n"
            "table = streaming.percentile_table\n"
            "def slowly(*a):\n"
            "    print('part', flush=True)\n"
            "    time.sleep(slowly.n)\n"
            "    slowly.n = 50\n"
            "    return table(*a)\n"
            "slowly.n = 0\n"
            "streaming.percentile_table = slowly\n"
            "main()\n"
        )
        words = [sys.executable, "-c", slow, *command(files, folder, "-q")]
        path = os.pathsep.join(p for p in sys.path if p)
        with subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "part\n"
            assert process.stdout.readline() == "part\n"
            process.send_signal(signal.SIGKILL)
        out = files.folder / "out"
        parts = sorted(p.name for p in out.glob("[0-9]*.parquet"))
        assert parts == ["0.parquet"]
        again = run(*command(files, folder))
        assert again.exit_code == 0, again.stderr
        n_left = len(files.new) - len(pd.read_parquet(out / "0.parquet"))
        assert f"{n_left} subjects predicted now" in again.stdout
        assert len(table(out)) == len(files.new)
        assert not list(out.glob(".*.part"))


class TestPredict:
    def test_streams_too(self, files: Any, folder: Path) -> None:
        assert run(*command(files, folder)).exit_code == 0
        model = files.folder / "out" / "model.consurv"
        words = ["--id", "patient", "--out", files.folder / "again"]
        result = run("predict", model, folder, *words)
        assert result.exit_code == 0, result.stderr
        first, second = table(files.folder / "out"), table(files.folder / "again")
        pd.testing.assert_frame_equal(first, second, check_exact=True)


class TestParts:
    def test_names_tell_folders_apart(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "x.parquet").touch()
        parts = streaming.Parts.of(tmp_path, tmp_path / "out", None)
        names = [parts.part(path).name for path in parts.files]
        assert names == ["a__x.parquet", "b__x.parquet"]

    def test_what_is_refused(self, files: Any, folder: Path) -> None:
        inside = run(*command(files, folder)[:-3], folder)
        assert inside.exit_code == 2
        assert "holds the inputs" in inside.stderr
        words = command(files, folder)
        words[2] = str(files.folder / "new.csv")
        assert "is not Parquet by its name" in run(*words).stderr
        twice = run(*command(files, folder), "--percentiles-out", "x.csv")
        assert "leave --percentiles-out away" in twice.stderr


def test_a_folder_is_not_predicted_by_a_model_without_names(
    files: Any, folder: Path
) -> None:
    X, y = np.linspace(0, 1, 19)[:, None], (np.ones(19), np.arange(1.0, 20))
    model = files.folder / "nameless.consurv"
    ConformalSurvival(CoxPH().fit(X, y)).conformalize(X, y).save(model)
    out = f"{files.folder / 'out'}/"
    result = run("predict", model, f"{folder}/*.parquet", "--out", out)
    assert result.exit_code == 2
    assert "does not know the names of its features" in result.output
