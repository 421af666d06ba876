"""Weights on the command line."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner, Result

from consurv import ConformalSurvival, Outcome, load
from consurv.cli.app import app
from consurv.datasets import TableEncoder
from consurv.models import make_model

OUTCOME = ["time", "event"]
FAST = ["--model", "coxph", "--conformal-set", "half", "--adjustment", "time"]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def said(result: Result) -> str:
    return " ".join((result.stdout + result.stderr).split())


@pytest.fixture
def weighed(files: Any) -> Any:
    """The same files, with a weight of 0, 1, 2 or 3 for each subject."""
    rng = np.random.default_rng(0)
    for name, frame in (("train", files.train), ("new", files.new)):
        frame = frame.assign(w=rng.integers(0, 4, len(frame)))
        frame.to_csv(files.folder / f"{name}.csv", index=False)
        frame.to_parquet(files.folder / f"{name}.parquet")
    return files


@pytest.fixture
def train(weighed: Any) -> pd.DataFrame:
    return pd.read_csv(weighed.folder / "train.csv")


class TestCalibrate:
    def test_does_what_the_library_does(self, weighed: Any, train: Any) -> None:
        saved = weighed.folder / "m.consurv"
        command = [*weighed.command, *FAST, "--weight", "w"]
        result = run(*command, "--save", str(saved))
        assert result.exit_code == 0, result.stderr
        post = ConformalSurvival(
            make_pipeline(TableEncoder(), make_model("coxph", 0)),
            adjustment="time",
            conformal_set="half",
            random_state=0,
        )
        X = train.drop(columns=[*OUTCOME, "w"])
        post.fit(X, Outcome(train["time"], train["event"]), sample_weight=train["w"])
        kept = load(saved)
        np.testing.assert_array_equal(kept.shifts_, post.shifts_)
        np.testing.assert_array_equal(kept.feature_names_in_, X.columns)
        assert kept.adjustment_.weighing == post.adjustment_.weighing
        told = post.adjustment_.weighing.told
        assert f"subjects {told}" in said(result)
        assert told in said(run("info", str(saved)))

    def test_scores_by_the_weights_of_new_subjects(
        self, weighed: Any, train: Any
    ) -> None:
        """As often as they weigh, and 0 leaves them out."""
        scored = run(*weighed.command, *FAST, "--weight", "w")
        new = pd.read_csv(weighed.folder / "new.csv")
        repeated = new.loc[new.index.repeat(new["w"])].assign(w=1)
        repeated.to_csv(weighed.folder / "bad.csv", index=False)
        again = run(
            *weighed.with_train("train.csv", "bad.csv"),
            *FAST,
            *("--weight", "w", "--force"),
        )

        def row(result: Result) -> str:
            return next(
                line for line in result.stdout.splitlines() if "C-index" in line
            )

        assert row(scored) == row(again)

    def test_new_subjects_without_the_column_count_1(self, weighed: Any) -> None:
        weighed.new.to_csv(weighed.folder / "bad.csv", index=False)
        command = weighed.with_train("train.csv", "bad.csv")
        result = run(*command, *FAST, "--weight", "w")
        assert result.exit_code == 0, result.stderr
        assert "bad.csv has no column 'w': its subjects count 1 each" in said(result)

    def test_a_folder_of_parts_knows_them(self, weighed: Any) -> None:
        folder = weighed.folder
        result = run(
            "calibrate",
            *(str(folder / f"{name}.parquet") for name in ("train", "new")),
            *("--time", "time", "--event", "event", "--weight", "w"),
            *("--out", str(folder / "parts"), *FAST),
        )
        assert result.exit_code == 0, result.stderr
        kept = load(folder / "parts" / "model.consurv")
        assert kept.adjustment_.weighing is not None

    @pytest.mark.parametrize(
        ("column", "change", "why"),
        [
            ("weight", {}, "train.csv lacks the column 'weight'"),
            ("time", {}, "--weight and --time are both 'time'"),
            ("w", {"w": -1.0}, "train.csv (weight='w'): sample_weight has 500 values"),
            ("w", {"w": 0.0}, "train.csv (weight='w'): sample_weight is 0 for all"),
            ("w", {"w": np.nan}, "train.csv (weight='w'): sample_weight"),
            ("w", {"w": "heavy"}, "train.csv (weight='w'): sample_weight"),
        ],
    )
    def test_bad_columns_are_refused(
        self, weighed: Any, train: Any, column: str, change: Any, why: str
    ) -> None:
        train.assign(**change).to_csv(weighed.folder / "train.csv", index=False)
        result = run(*weighed.command, "--weight", column)
        assert result.exit_code == 2
        assert why in said(result)

    def test_a_column_is_not_both_weight_and_groups(self, weighed: Any) -> None:
        result = run(*weighed.command, "--weight", "w", "--groups", "w")
        assert "--weight and --groups are both 'w'" in said(result)


def test_the_report_tells_of_them(weighed: Any) -> None:
    train, new = (str(weighed.folder / name) for name in ("train.csv", "new.csv"))
    out = weighed.folder / "r.html"
    names = ["--time", "time", "--event", "event", "--weight", "w"]
    few = ["--n-bootstrap", "20"]
    result = run("report", train, new, *names, "--out", str(out), *few, *FAST)
    assert result.exit_code == 0, result.stderr
    weight = pd.read_csv(new)["w"]
    counted = int((weight > 0).sum())
    assert f"{counted}, standing for {weight.sum()}" in out.read_text()
