"""Sites calibrate together by files."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from consurv import ConformalSurvival, load
from consurv.cli.app import app
from consurv.models import CoxPH
from tests.distributed.federated.hospitals import numbers, pooled, tables
from tests.distributed.people import subjects

pytest.importorskip("skops")

COLUMNS = ("--time", "time", "--event", "event")
SIZES = {"north": 400, "south": 300, "east": 200, "west": 120, "isle": 15}
LEVELS = np.arange(1, 10) / 10
ROUND_1 = {"question-1.json", *(f"summary-1-{site}.json" for site in SIZES)}
ROUND_2 = {"question-2.json", *(f"summary-2-{site}.json" for site in SIZES)}


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, ["federate", *(str(a) for a in arguments)])


def good(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.stdout
    assert result.stderr.count("error: ") == 1
    return " ".join(result.stderr.split())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the model of all sites and the table of each."""
    folder = tmp_path_factory.mktemp("sites")
    train = subjects(300, seed=70)
    fitted = ConformalSurvival(
        CoxPH(), percentiles=9, random_state=0, conformal_set="half"
    ).fit(train[["dose", "age", "time", "event"]], time="time", event="event")
    fitted.save(folder / "m.consurv")
    for name, table in tables(SIZES).items():
        if name in ("north", "isle"):
            table.to_parquet(folder / f"{name}.parquet")
        else:
            table.to_csv(folder / f"{name}.csv", index=False)
    return folder


def data(kept: Path, site: str) -> Path:
    return next(path for path in kept.iterdir() if path.stem == site)


def start(kept: Path, study: Path, *more: Any) -> None:
    names = ",".join(SIZES)
    how = ("--sites", names, "--edges", 2, "--out", study, "-q", *more)
    assert good("start", kept / "m.consurv", *how) == ""


def answer(kept: Path, study: Path, number: int, site: str, *more: Any) -> list[Any]:
    question = study / f"question-{number}.json"
    rows = kept / "m.consurv", data(kept, site)
    return ["answer", question, *rows, "--site", site, *COLUMNS, *more]


@pytest.fixture(scope="module")
def done(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a study that was run to its end."""
    study = tmp_path_factory.mktemp("study")
    start(kept, study, "--minimum", 1)
    for number in (1, 2):
        for site in SIZES:
            good(*answer(kept, study, number, site))
        good("next", study, kept / "m.consurv")
    return study


@pytest.fixture
def begun(kept: Path, done: Path, tmp_path: Path) -> Path:
    """Return the folder of a study whose first round is done."""
    for name in ROUND_1:
        shutil.copy(done / name, tmp_path / name)
    return tmp_path


class TestARun:
    def test_gives_what_one_place_gives(self, kept: Path, done: Path) -> None:
        found = load(done / "calibrated.consurv")
        wanted = pooled(
            load(kept / "m.consurv"),
            tables(SIZES),
            LEVELS,
            2.0,
            "time",
            "kaplan-meier",
        )
        np.testing.assert_allclose(found.shifts_, numbers(wanted), rtol=0, atol=1e-9)
        assert found.n_conformal_ == sum(SIZES.values())
        assert found.conformal_set_ == "federated"
        new = subjects(5)[["dose", "age"]]
        assert np.isfinite(found.predict_quantile(new, [0.5])).all()

    def test_leaves_nothing_but_whole_files(self, done: Path) -> None:
        names = {path.name for path in done.iterdir()}
        assert names == ROUND_1 | ROUND_2 | {"calibrated.consurv"}
        for path in done.glob("*.json"):
            assert json.loads(path.read_text())["format"] == "consurv-federated"

    def test_may_be_run_again(self, kept: Path, begun: Path) -> None:
        before = {path.name: path.read_bytes() for path in begun.iterdir()}
        start(kept, begun, "--minimum", 1)
        good(*answer(kept, begun, 1, "isle"))
        assert before == {path.name: path.read_bytes() for path in begun.iterdir()}
        said = good("next", begun, kept / "m.consurv")
        assert "question-2.json: send it to all sites" in said
        second = (begun / "question-2.json").read_bytes()
        said = refused("next", begun, kept / "m.consurv")
        assert "round 2 waits for: north, south, east, west, isle" in said
        assert second == (begun / "question-2.json").read_bytes()

    def test_with_a_minimum_tells_which_levels_are_left_out(
        self, kept: Path, tmp_path: Path
    ) -> None:
        start(kept, tmp_path, "--minimum", 4, "--adjustment", "log-time")
        for number in (1, 2):
            for site in SIZES:
                more = ("--coarsen",) if number == 1 else ()
                good(*answer(kept, tmp_path, number, site, *more))
            result = run("next", tmp_path, kept / "m.consurv")
            assert result.exit_code == 0, result.stderr
        assert "are left out: they cannot be told exactly" in result.stderr
        found = load(tmp_path / "calibrated.consurv")
        assert 0 < len(found.factors_) < 9


class TestRefusals:
    def test_a_missing_site(self, kept: Path, begun: Path) -> None:
        (begun / "summary-1-west.json").unlink()
        assert "round 1 waits for: west" in refused("next", begun, kept / "m.consurv")
        assert not (begun / "question-2.json").exists()

    def test_a_summary_twice(self, kept: Path, begun: Path) -> None:
        other = begun / "summary-new.json"
        command = answer(kept, begun, 1, "south", "--out", other)
        command[3] = data(kept, "west")
        good(*command)
        said = refused("next", begun, kept / "m.consurv")
        assert "south has answered round 1 twice" in said
        assert "summary-new.json" in said

    def test_a_damaged_file(self, kept: Path, begun: Path) -> None:
        path = begun / "summary-1-east.json"
        whole = path.read_text()
        for broken in (whole[:200], whole.replace('"east"', '"west"'), "[1]", ""):
            path.write_text(broken)
            assert str(path) in refused("next", begun, kept / "m.consurv")

    def test_a_summary_of_another_round(
        self, kept: Path, done: Path, begun: Path
    ) -> None:
        shutil.copy(done / "summary-2-east.json", begun)
        said = refused("next", begun, kept / "m.consurv")
        assert "summary-2-east.json answers another question" in said
        assert "round 2" in said

    def test_another_model(self, kept: Path, begun: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.consurv"
        load(kept / "m.consurv").set_params(time_unit="days").save(other)
        command = answer(kept, begun, 1, "east", "--force")
        command[2] = other
        assert "other.consurv is another model" in refused(*command)
        assert "is another model" in refused("next", begun, other)

    def test_other_data_in_the_second_round(self, kept: Path, begun: Path) -> None:
        good("next", begun, kept / "m.consurv")
        command = answer(kept, begun, 2, "east")
        command[3] = data(kept, "west")
        assert "the data of east are not those" in refused(*command)
        assert not (begun / "summary-2-east.json").exists()

    def test_a_summary_that_is_there_is_kept(self, kept: Path, begun: Path) -> None:
        path = begun / "summary-1-east.json"
        before = path.read_bytes()
        command = answer(kept, begun, 1, "east")
        command[3] = data(kept, "west")
        assert "exists already and says something else" in refused(*command)
        assert path.read_bytes() == before
        good(*command, "--force")
        assert path.read_bytes() != before

    def test_too_small_counts(self, kept: Path, tmp_path: Path) -> None:
        start(kept, tmp_path)
        said = refused(*answer(kept, tmp_path, 1, "isle"))
        assert "at isle lie below the minimum of 5" in said
        assert "--coarsen" in said
        assert {path.name for path in tmp_path.iterdir()} == {"question-1.json"}

    def test_a_minimum_below_that_of_the_site(self, kept: Path, begun: Path) -> None:
        said = refused(*answer(kept, begun, 1, "isle", "--minimum", 3))
        assert "the question has a minimum of 1, and isle demands 3" in said

    def test_the_model_is_not_overwritten(self, kept: Path, begun: Path) -> None:
        model = kept / "m.consurv"
        assert "is the model itself" in refused("next", begun, model, "--out", model)

    @pytest.mark.parametrize(
        ("option", "value", "said"),
        [
            ("--edges", "2,x", "--edges 2,x must be numbers"),
            ("--edges", "2,1", "ascending and above 0"),
            ("--sites", "a,a", "must be different names"),
            ("--adjustment", "recalibrated", "together with: time, log-time"),
            ("--censoring", "auto", "together with: kaplan-meier, uncensored"),
        ],
    )
    def test_settings(
        self, kept: Path, tmp_path: Path, option: str, value: str, said: str
    ) -> None:
        how = {"--sites": "a,b", "--edges": "2", "--out": tmp_path / "x", option: value}
        pairs = [part for pair in how.items() for part in pair]
        assert said in refused("start", kept / "m.consurv", *pairs)
        assert not (tmp_path / "x").exists()
