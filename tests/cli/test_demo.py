import sys
import time

import pytest
from typer.testing import CliRunner

from consurv.cli.app import app


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


class TestDemo:
    @pytest.mark.slow
    def test_shows_raw_against_calibrated_in_well_under_two_minutes(self) -> None:
        start = time.perf_counter()
        result = CliRunner().invoke(app, ["demo"])
        assert time.perf_counter() - start < 60
        assert result.exit_code == 0, result.stderr
        for word in ("GBSG", "2,232 subjects", "D-cal", "C-index", "coxph"):
            assert word in result.stdout
        assert "overtrained boosted trees: D-cal fell by" in result.stdout

    def test_takes_other_data_and_models(self) -> None:
        options = ["--dataset", "valct", "--model", "AFT", "--model", "coxph"]
        result = CliRunner().invoke(app, ["demo", *options, "--repeats", "2"])
        assert result.exit_code == 0, result.stderr
        assert "VALCT: 137 subjects, 6.6% censored" in result.stdout
        assert "weibull-aft, calibrated" in result.stdout

    def test_is_the_same_for_the_same_seed(self) -> None:
        options = ["demo", "--dataset", "VALCT", "--model", "cox", "--repeats", "1"]
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
