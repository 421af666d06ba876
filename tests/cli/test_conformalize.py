from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner, Result

from consurv import ConformalSurvival, InvalidInput, Outcome, load_adjustment
from consurv.cli.app import app
from consurv.datasets import read_curves
from examples.from_r.same_in_python import tables

EXAMPLE = Path(__file__).parents[2] / "examples" / "from_r"


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(out: Path, *more: str, **files: Path) -> Result:
    given = {name: EXAMPLE / f"{name}.csv" for name in ("outcomes", "new")}
    given |= {"curves": EXAMPLE / "cal.csv"} | files
    options = [x for name, path in given.items() for x in (f"--{name}", str(path))]
    usual = ["--interpolation", "step", "--out", str(out)]
    return CliRunner().invoke(app, ["conformalize", *options, *usual, *more])


@pytest.fixture
def outcomes() -> pd.DataFrame:
    return pd.read_csv(EXAMPLE / "outcomes.csv")


def written(folder: Path, frame: pd.DataFrame) -> Path:
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path


class TestTheExample:
    def test_of_r_is_what_our_own_model_gives(self) -> None:
        pytest.importorskip("survival")
        for name, table in tables().items():
            kept = pd.read_csv(EXAMPLE / name)
            assert kept.columns.tolist() == table.columns.map(str).tolist()
            assert_allclose(kept, table, rtol=0, atol=1e-8)

    def test_is_calibrated_and_reported(self, tmp_path: Path, outcomes: Any) -> None:
        pytest.importorskip("matplotlib")
        out = tmp_path / "a" / "out"
        result = run(out)
        assert result.exit_code == 0, result.stderr
        assert "200 subjects with" in result.stdout
        assert "On the outcomes of the new subjects" in result.stdout
        names = {"curves.csv", "percentiles.csv", "adjustment.json", "report.html"}
        assert {path.name for path in out.iterdir()} == names
        cal, new = (
            read_curves(EXAMPLE / f"{name}.csv", interpolation="step")
            for name in ("cal", "new")
        )
        rows = outcomes.set_index(outcomes["id"].astype(str)).loc[cal.ids]
        y = Outcome(time=rows["time"], event=rows["event"])
        model = ConformalSurvival.from_curves(cal.curves, y, random_state=0)
        curves = model.calibrate(new.curves)
        table = pd.read_csv(out / "percentiles.csv", dtype={"id": str})
        assert table["id"].tolist() == new.ids.tolist()
        assert_allclose(table["median"], curves.median())
        stored = load_adjustment(out / "adjustment.json").apply_to(new.curves)
        assert_allclose(stored.median(), curves.median())
        again = run(out)
        assert again.exit_code == 2
        assert "exists already" in again.stderr

    def test_ids_are_joined_in_any_order(self, tmp_path: Path, outcomes: Any) -> None:
        run(tmp_path / "first")
        mixed = outcomes.sample(frac=1, random_state=0)
        run(tmp_path / "second", outcomes=written(tmp_path, mixed))
        first, second = (
            pd.read_csv(tmp_path / n / "percentiles.csv") for n in ("first", "second")
        )
        pd.testing.assert_frame_equal(first, second)


class TestIds:
    def test_that_do_not_match(self, tmp_path: Path, outcomes: Any) -> None:
        result = run(tmp_path / "o", outcomes=written(tmp_path, outcomes[7:]))
        assert result.exit_code == 2
        assert "table.csv lacks 7 of the 200 ids of cal.csv, the first" in result.stderr
        assert not (tmp_path / "o").exists()

    def test_that_repeat(self, tmp_path: Path, outcomes: Any) -> None:
        twice = pd.concat([outcomes, outcomes[:1]])
        result = run(tmp_path / "o", outcomes=written(tmp_path, twice))
        assert result.exit_code == 2
        assert "twice; each subject has one outcome" in result.stderr

    def test_of_new_subjects_known_in_part(self, tmp_path: Path, outcomes: Any) -> None:
        out = tmp_path / "o"
        result = run(out, outcomes=written(tmp_path, outcomes[:210]))
        assert result.exit_code == 0, result.stderr
        assert "tells of 10 of the 143 new subjects" in result.stderr
        assert not (out / "report.html").exists()

    def test_a_file_for_a_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "o").write_text("")
        assert "is a file; give a folder" in run(tmp_path / "o").stderr


def test_from_curves_takes_curves_alone() -> None:
    with pytest.raises(InvalidInput, match="curves is a ndarray; give SurvivalCurves"):
        ConformalSurvival.from_curves(np.zeros((2, 2)), ([1, 1], [1, 2]))


class TestWeights:
    def test_are_those_of_the_library(self, tmp_path: Path, outcomes: Any) -> None:
        weight = np.random.default_rng(0).uniform(0.5, 2, len(outcomes))
        table = written(tmp_path, outcomes.assign(w=weight))
        result = run(tmp_path / "out", "--weight", "w", outcomes=table)
        assert result.exit_code == 0, result.stderr
        cal = read_curves(EXAMPLE / "cal.csv", interpolation="step")
        known = outcomes.assign(w=weight, id=outcomes["id"].astype(str))
        known = known.set_index("id").loc[cal.ids]
        y = Outcome(known["time"], known["event"], known["w"])
        model = ConformalSurvival.from_curves(cal.curves, y, random_state=0)
        found = load_adjustment(tmp_path / "out" / "adjustment.json")
        assert found.weighing == model.adjustment_.weighing
        assert found.weighing.told in " ".join(result.stdout.split())

    def test_a_column_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        result = run(tmp_path / "out", "--weight", "heavy")
        assert result.exit_code == 2
        assert "outcomes.csv lacks the column 'heavy'" in result.stderr
