import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from consurv.errors import MissingDependency
from studies import RunResult, StudyConfig, command, read_records

ROOT = Path(__file__).parents[2]
Calls = list[dict[str, Any]]


def call(*args: str) -> Result:
    return CliRunner().invoke(command.app, args)


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What the command asks of the runner, which runs nothing."""
    kept: Calls = []

    def run(configs: list[StudyConfig], folder: Path, **options: Any) -> RunResult:
        kept.append({"configs": configs, "folder": folder, **options})
        return RunResult(n_stored=0, n_done=1)

    monkeypatch.setattr(command, "run", run)
    monkeypatch.setattr(command, "_write_report", lambda *_: None)
    return kept


class TestOptions:
    def test_example_of_the_documentation(self, calls: Calls) -> None:
        result = call(
            "main", "--datasets", "VALCT,PBC", "--models", "DeepHit,AFT",
            "--seeds", "3", "--jobs", "2", "--out", "here",
        )  # fmt: skip
        assert result.exit_code == 0
        (asked,) = calls
        assert asked["configs"] == [
            StudyConfig(
                "main",
                datasets=("VALCT", "PBC"),
                models=("deephit", "weibull-aft"),
                seeds=3,
            )
        ]
        assert (asked["folder"], asked["jobs"]) == (Path("here"), 2)
        assert (asked["dask"], asked["again"], asked["retry_failed"]) == (
            None,
            False,
            False,
        )
        assert "1 cells done" in result.stdout

    def test_defaults(self, calls: Calls) -> None:
        call("cost")
        assert calls[0]["configs"] == [StudyConfig("cost")]
        assert calls[0]["folder"] == Path("results")
        assert calls[0]["jobs"] >= 1

    def test_quick_can_be_overridden(self, calls: Calls) -> None:
        call("main", "--quick", "--seeds", "1")
        (config,) = calls[0]["configs"]
        assert config.datasets is not None
        assert len(config.datasets) == 3
        assert config.datasets[:2] == ("VALCT", "PBC")
        assert config.seeds == 1

    def test_options_override_the_file(self, calls: Calls, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text("seeds = 7\npercentiles = 9\n[settings.aft]\n")
        assert "unknown model 'aft'" in call("main", "--config", str(path)).stderr
        path.write_text("seeds = 7\npercentiles = 9\ntime_limit = 5\n")
        call("main", "--config", str(path), "--seeds", "2")
        (config,) = calls[0]["configs"]
        assert (config.seeds, config.percentiles, config.time_limit) == (2, 9, 5)

    def test_other_options_reach_the_runner(self, calls: Calls) -> None:
        call(
            "main", "--dask", "tcp://x:1", "--again", "--retry-failed",
            "--time-limit", "60", "--percentiles", "9",
        )  # fmt: skip
        (asked,) = calls
        assert (asked["dask"], asked["again"], asked["retry_failed"]) == (
            "tcp://x:1",
            True,
            True,
        )
        (config,) = asked["configs"]
        assert (config.time_limit, config.percentiles) == (60, 9)


class TestAll:
    def test_runs_six_studies(self, calls: Calls) -> None:
        call("all", "--datasets", "PBC")
        studies = [config.study for config in calls[0]["configs"]]
        assert studies[0] == "main"
        assert len(studies) == 6

    def test_gives_each_study_the_models_it_knows(self, calls: Calls) -> None:
        call("all", "--models", "deephit,lognormal-crps")
        models = {config.study: config.models for config in calls[0]["configs"]}
        assert models["main"] == ("deephit",)
        assert models["objective"] == ("lognormal-crps",)
        call("all", "--models", "deephit")
        assert "objective" not in [c.study for c in calls[1]["configs"]]

    def test_a_name_that_no_study_knows(self, calls: Calls) -> None:
        result = call("all", "--models", "deepht")
        assert result.exit_code == 2
        assert "did you mean 'deephit'?" in result.stderr
        assert calls == []


class TestErrors:
    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (["--datasets", "VALCT,PBX"], "unknown dataset 'PBX'.*VALCT, DLBCL, PBC"),
            (["--models", "deepht"], "unknown model 'deepht'.*km, weibull-aft"),
            (["--models", ","], "must be a list of names"),
            (["--config", "no-such-file.toml"], "no-such-file.toml"),
        ],
    )
    def test_come_before_anything_runs(
        self, args: list[str], message: str, calls: Calls
    ) -> None:
        result = call("main", *args)
        assert result.exit_code == 2
        assert re.search(message, result.stderr)
        assert calls == []

    def test_interruption_says_how_to_go_on(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*args: Any, **options: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(command, "run", interrupted)
        result = call("main")
        assert result.exit_code == 130
        assert "the same command goes on where it was" in words(result.stderr)

    def test_a_run_without_matplotlib_is_still_a_run(
        self, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def lacking(folder: Path, force: bool) -> None:
            raise MissingDependency("matplotlib", "report")

        monkeypatch.setattr(command, "_write_report", lacking)
        result = call("main")
        assert result.exit_code == 0
        assert "no tables and figures are written" in words(result.stderr)
        assert call("main", "--no-report").stderr == ""

    def test_report_needs_records(self, tmp_path: Path) -> None:
        result = call("report", str(tmp_path))
        assert result.exit_code == 2
        assert "holds no records" in result.stderr


def test_a_study_from_the_command_to_the_report(tmp_path: Path) -> None:
    out = tmp_path / "results"
    args = ["--datasets", "VALCT", "--models", "km,AFT", "--seeds", "2", "--jobs", "1"]
    result = call("main", *args, "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert len(read_records(out).records) == 4
    assert "0 of 4 cells" in result.stderr
    assert "4 of 4 cells, 0 s left" in result.stderr
    assert "4 cells done, 0 failed" in result.stdout
    (out / "report.html").unlink()
    again = call("report", str(out))
    assert again.exit_code == 0, again.stderr
    assert (out / "report.html").exists()
    assert str(out) in again.stdout


def test_where_it_is_told_why_some_failed(tmp_path: Path) -> None:
    args = ["--datasets", "DLBCL", "--models", "AFT", "--seeds", "1", "--jobs", "1"]
    result = call("main", *args, "--out", str(tmp_path))
    assert "1 failed" in result.stdout
    told = tmp_path / "tables" / "failures.md"
    assert f"why some failed: {told}" in words(result.stdout)
    assert "7399 features" in told.read_text()


class TestTheCommand:
    def test_lists_the_studies(self) -> None:
        out = call("--help").stdout
        assert all(name in out for name in ("main", "cost", "all", "report"))

    def test_is_run_from_the_root_of_a_clone(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "studies", "--traceback", "report", "no-such"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "Traceback" in done.stderr
        assert "`python -m studies main --out no-such`" in words(done.stderr)
