import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from consurv.cli.app import app


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder to work in, on a wide terminal."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestDemo:
    @pytest.mark.slow
    def test_shows_raw_against_calibrated_in_well_under_two_minutes(self) -> None:
        start = time.process_time()
        result = CliRunner().invoke(app, ["demo"])
        assert time.process_time() - start < 60
        assert result.exit_code == 0, result.stderr
        for word in ("GBSG", "2,232 subjects", "D-cal", "C-index", "coxph"):
            assert word in result.stdout
        assert "overtrained boosted trees: D-cal fell by" in result.stdout
        assert "The trees were chosen to show a repair" in result.stdout

    def test_takes_other_data_and_models(self) -> None:
        options = ["--dataset", "valct", "--model", "AFT", "--model", "coxph"]
        options += ["--repeats", "2", "--no-report"]
        result = CliRunner().invoke(app, ["demo", *options])
        assert result.exit_code == 0, result.stderr
        assert "VALCT: 137 subjects, 6.6% censored" in result.stdout
        assert "weibull-aft, calibrated" in result.stdout

    def test_is_the_same_for_the_same_seed(self) -> None:
        options = ["demo", "--dataset", "VALCT", "--model", "cox", "--repeats", "1"]
        options.append("--no-report")
        first, again, other = (
            CliRunner().invoke(app, [*options, "--seed", seed]).stdout
            for seed in ("1", "1", "2")
        )
        assert first == again != other

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--dataset", "GBSH"], "unknown dataset 'GBSH', did you mean 'gbsg'?"),
            (["--model", "forest"], "unknown model 'forest'"),
            (["--conformal-set", "none"], "conformal_set='none' is not valid"),
        ],
    )
    def test_names_bad_options(self, options: list[str], message: str) -> None:
        result = CliRunner().invoke(app, ["demo", "--dataset", "VALCT", *options])
        assert result.exit_code == 2
        assert message in result.stderr

    def test_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sksurv.ensemble", None)
        options = ["demo", "--dataset", "VALCT", "--repeats", "1"]
        result = CliRunner().invoke(app, options)
        assert result.exit_code == 2
        assert "scikit-survival is not installed" in result.stderr


class TestReport:
    options = ("demo", "--dataset", "VALCT", "--model", "cox", "--repeats", "2")

    def test_is_written_where_the_demo_says(self, folder: Path) -> None:
        result = CliRunner().invoke(app, self.options)
        assert result.exit_code == 0, result.stderr
        assert f"Report: {folder / 'consurv-demo.html'}" in result.stdout
        text = (folder / "consurv-demo.html").read_text(encoding="utf-8")
        assert "<h1>coxph on VALCT</h1>" in text

    def test_goes_elsewhere_on_request(self, folder: Path) -> None:
        CliRunner().invoke(app, [*self.options, "--report", "other.html"])
        assert [path.name for path in folder.iterdir()] == ["other.html"]

    def test_can_be_left_out(self, folder: Path) -> None:
        result = CliRunner().invoke(app, [*self.options, "--no-report"])
        assert "Report" not in result.stdout
        assert list(folder.iterdir()) == []

    def test_is_not_needed(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jinja2", None)
        result = CliRunner().invoke(app, self.options)
        assert result.exit_code == 0, result.stderr
        assert "no report is written: jinja2 is not installed" in result.stderr
        assert list(folder.iterdir()) == []

    def test_folder_must_exist(self) -> None:
        result = CliRunner().invoke(app, [*self.options, "--report", "no/r.html"])
        assert result.exit_code == 2
        assert "the folder no does not exist" in result.stderr

    def test_replaces_an_older_one(self, folder: Path) -> None:
        path = folder / "consurv-demo.html"
        first = CliRunner().invoke(app, self.options)
        assert first.exit_code == 0, first.stderr
        path.write_text(path.read_text(encoding="utf-8")[:5000], encoding="utf-8")
        again = CliRunner().invoke(app, self.options)
        assert again.exit_code == 0, again.stderr
        assert path.stat().st_size > 5000

    @pytest.mark.parametrize("name", ["data.csv", "consurv-demo.html"])
    def test_replaces_nothing_else(self, folder: Path, name: str) -> None:
        (folder / name).write_text("id,time\n1,2\n")
        refused = CliRunner().invoke(app, [*self.options, "--report", name])
        assert refused.exit_code == 2
        assert f"{name} exists already; give another name or --force" in refused.stderr
        assert (folder / name).read_text() == "id,time\n1,2\n"
        command = [*self.options, "--report", name, "--force"]
        assert CliRunner().invoke(app, command).exit_code == 0
        assert "<h1>" in (folder / name).read_text(encoding="utf-8")
