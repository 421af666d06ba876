"""Groups on the command line."""

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


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def column(files: Any) -> str:
    """The name of a feature with two values."""
    X = files.train.drop(columns=["time", "event"])
    return str(next(name for name in X if X[name].nunique() == 2))


def test_are_those_of_the_library(files: Any, column: str) -> None:
    result = run(*files.command, "--groups", column, "--adjustment", "time")
    assert result.exit_code == 0, result.stderr
    post = ConformalSurvival(
        make_pipeline(TableEncoder(), make_model("weibull-aft", 0)),
        adjustment="time",
        random_state=0,
    )
    X = files.train.drop(columns=["time", "event"])
    y = Outcome(time=files.train["time"], event=files.train["event"])
    post.fit(X, y, groups=column)
    found = pd.read_parquet(files.folder / "curves.percentiles.parquet")
    np.testing.assert_allclose(found["median"], -post.predict(files.new[X.columns]))
    assert "others weigh" in result.stdout
    assert "Group-cal × 1000" in result.stdout


def test_a_saved_model_knows_its_column(files: Any, column: str) -> None:
    saved, out = files.folder / "m.consurv", files.folder / "again.parquet"
    run(*files.command, "--groups", column, "--save", str(saved))
    new = files.folder / "new.csv"
    result = run("predict", str(saved), str(new), "--out", str(out))
    assert result.exit_code == 0, result.stderr
    first = pd.read_parquet(files.folder / "curves.parquet")
    np.testing.assert_allclose(pd.read_parquet(out)["survival"], first["survival"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nobody", "train.csv lacks the column 'nobody'"),
        ("event", "--groups and --event are both 'event'"),
    ],
)
def test_a_bad_column_is_refused(files: Any, name: str, why: str) -> None:
    result = run(*files.command, "--groups", name)
    assert result.exit_code != 0
    assert why in " ".join(result.stderr.split())


class TestAColumnThatIsNoFeature:
    def command(self, files: Any, column: str) -> list[str]:
        fast = ["--model", "coxph", "--conformal-set", "half"]
        return [*files.command, "--group", column, "--drop", column, *fast]

    def test_is_dropped_and_still_groups(self, files: Any, column: str) -> None:
        saved = files.folder / "m.consurv"
        command = self.command(files, column)
        result = run(*command, "--save", str(saved))
        assert result.exit_code == 0, result.stderr
        assert "others weigh" in result.stdout
        model = load(saved)
        assert column not in model.feature_names_in_
        assert model.groups_.column == column
        new, out = str(files.folder / "new.csv"), files.folder / "again.parquet"
        again = run("predict", str(saved), new, "--out", str(out))
        assert again.exit_code == 0, again.stderr
        first = pd.read_parquet(files.folder / "curves.parquet")
        np.testing.assert_array_equal(
            pd.read_parquet(out)["survival"], first["survival"]
        )
        parts = run(
            "predict",
            str(saved),
            str(files.folder / "new.parquet"),
            "--out",
            str(files.folder / "parts"),
        )
        assert parts.exit_code == 0, parts.stderr

    def test_new_subjects_need_it(self, files: Any, column: str) -> None:
        files.new.drop(columns=column).to_csv(files.folder / "bad.csv", index=False)
        command = self.command(files, column)
        command[2] = str(files.folder / "bad.csv")
        result = run(*command)
        assert result.exit_code != 0
        assert f"bad.csv lacks the column {column!r}" in " ".join(result.stderr.split())


def test_new_groups_are_refused_or_pooled(files: Any, column: str) -> None:
    new = files.new.copy()
    new.loc[0, column] = 7
    new.to_csv(files.folder / "bad.csv", index=False)
    command = files.with_train("train.csv", "bad.csv")
    refused = run(*command, "--groups", column)
    assert refused.exit_code != 0
    assert "groups that no conformal subject" in " ".join(refused.stderr.split())
    pooled = run(*command, "--groups", column, "--unseen-group", "pooled")
    assert pooled.exit_code == 0, pooled.stderr
    again = [*command, "--force", "--groups", column]
    unknown = run(*again, "--unseen-group", "drop")
    assert "choose error or pooled" in " ".join(unknown.stderr.split())


def test_the_report_has_a_table_of_them(files: Any, column: str) -> None:
    train, new = (str(files.folder / name) for name in ("train.csv", "new.csv"))
    out = str(files.folder / "r.html")
    names = ["--time", "time", "--event", "event", "--groups", column]
    few = ["--n-bootstrap", "20"]
    result = run("report", train, new, *names, "--out", out, *few)
    assert result.exit_code == 0, result.stderr
    assert '<h2 id="group">By group</h2>' in (files.folder / "r.html").read_text()
