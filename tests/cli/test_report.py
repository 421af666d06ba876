import re
import sys
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from consurv.cli.app import app

QUICK = ("--n-bootstrap", "20")


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def run(files: Any, *options: str, test: str = "new.csv") -> Result:
    paths = [str(files.folder / name) for name in ("train.csv", test)]
    columns = ["--time", "time", "--event", "event", "--id", "patient"]
    out = ["--out", str(files.folder / "report.html")]
    return CliRunner().invoke(app, ["report", *paths, *columns, *out, *QUICK, *options])


def text_of(files: Any) -> str:
    return str((files.folder / "report.html").read_text(encoding="utf-8"))


class TestReport:
    def test_is_written_where_the_command_says(self, files: Any) -> None:
        result = run(files)
        assert result.exit_code == 0, result.stderr
        assert f"Report: {files.folder / 'report.html'}" in result.stdout
        assert files.written() == {"report.html"}
        text = text_of(files)
        assert "<h1>weibull-aft on new.csv</h1>" in text
        assert "on 120 subjects with known outcomes" in text
        assert "TableEncoder → Weibull" in text
        assert "Cross-fitted recalibration" in text

    def test_follows_the_options(self, files: Any) -> None:
        options = ["--title", "Mine & yours", "--percentiles", "9", "--model", "cox"]
        options += ["--conformal-set", "half", "--censoring", "margin", "--quiet"]
        result = run(files, *options)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        text = text_of(files)
        assert "<h1>Mine &amp; yours</h1>" in text
        assert "<dd>9, from 0.1 to 0.9</dd>" in text
        assert "<dd>margin</dd>" in text
        assert "<dd>half: half of the subjects, not trained on</dd>" in text

    def test_speaks_of_levels_where_they_move(self, files: Any) -> None:
        result = run(files, "--adjustment", "level")
        assert result.exit_code == 0, result.stderr
        text = text_of(files)
        assert "<dd>levels moved to conformal quantiles (CiPOT)</dd>" in text
        assert "<dd>self-consistent</dd>" in text
        assert "The adjusted levels come from models trained without" in text
        assert "shift" not in re.sub(r'src="data:[^"]*"', "", text).lower()

    def test_is_the_same_for_the_same_seed(self, files: Any) -> None:
        texts = []
        for seed in ("1", "1", "2"):
            assert run(files, "--force", "--seed", seed).exit_code == 0
            texts.append(text_of(files))
        assert texts[0] == texts[1] != texts[2]


class TestRefuses:
    def check(self, result: Result, message: str) -> None:
        assert result.exit_code == 2
        assert message in result.stderr.replace("\n", " ")

    def test_to_overwrite_unless_told_so(self, files: Any) -> None:
        (files.folder / "report.html").write_text("mine")
        self.check(run(files), "exists already; give another name or --force")
        assert text_of(files) == "mine"

    def test_names_that_are_not_html(self, files: Any) -> None:
        self.check(run(files, "--out", "report.csv"), "end it in .html")

    def test_tables_without_outcomes(self, files: Any) -> None:
        files.new.drop(columns="event").to_csv(files.folder / "bad.csv", index=False)
        self.check(run(files, test="bad.csv"), "'event'")
        files.new.assign(event=7).to_csv(files.folder / "bad.csv", index=False)
        self.check(run(files, test="bad.csv"), "bad.csv")
        assert files.written() == set()

    def test_to_begin_without_jinja2(
        self, files: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "jinja2", None)
        self.check(run(files), "jinja2 is not installed")

    def test_rules_for_times_where_levels_move(self, files: Any) -> None:
        options = ["--adjustment", "level", "--censoring", "margin"]
        self.check(run(files, *options), "--censoring margin goes with --adjustment")
        assert files.written() == set()

    def test_models_that_are_not_known(self, files: Any) -> None:
        self.check(run(files, "--model", "wood"), "unknown model 'wood'")
