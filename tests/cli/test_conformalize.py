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

    def test_are_joined_as_they_are_written(
        self, tmp_path: Path, outcomes: Any
    ) -> None:
        # All of one file look like numbers; among the outcomes there are names, too.
        cal, new = (
            pd.read_csv(EXAMPLE / f"{name}.csv", dtype={"id": str})
            for name in ("cal", "new")
        )
        written_as = {own: f"{i:03}" for i, own in enumerate(cal["id"].unique())}
        names = [f"N{i}" for i in range(new["id"].nunique() - 1)]
        written_as |= dict(zip(new["id"].unique(), ["NA", *names], strict=True))
        files = {"curves": cal, "new": new, "outcomes": outcomes}
        for name, frame in files.items():
            frame["id"] = frame["id"].astype(str).map(written_as)
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        out = tmp_path / "out"
        result = run(out, **{name: tmp_path / f"{name}.csv" for name in files})
        assert result.exit_code == 0, result.stderr
        table = pd.read_csv(out / "percentiles.csv", dtype=str, keep_default_na=False)
        assert table["id"].tolist() == new["id"].drop_duplicates().tolist()

    def test_that_repeat(self, tmp_path: Path, outcomes: Any) -> None:
        twice = pd.concat([outcomes, outcomes[:1]])
        result = run(tmp_path / "o", outcomes=written(tmp_path, twice))
        assert result.exit_code == 2
        assert "twice; give each once" in result.stderr

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


class TestGroups:
    @pytest.fixture
    def sites(self, outcomes: pd.DataFrame) -> pd.DataFrame:
        """Return outcomes of two sites, at one of which all is twice as slow."""
        site = np.where(np.random.default_rng(0).random(len(outcomes)) < 0.5, "a", "b")
        slow = np.where(site == "a", 2.0, 1.0)
        return outcomes.assign(site=site, time=outcomes["time"] * slow)

    @pytest.mark.filterwarnings("ignore:in the group .*too few events")
    def test_are_those_of_the_library(self, tmp_path: Path, sites: Any) -> None:
        out = tmp_path / "out"
        how = ["--groups", "site", "--adjustment", "log-time"]
        result = run(out, *how, outcomes=written(tmp_path, sites))
        assert result.exit_code == 0, result.stderr
        assert "others weigh" in " ".join(result.stdout.split())
        assert "Group-cal × 1000" in result.stdout
        cal, new = (
            read_curves(EXAMPLE / f"{name}.csv", interpolation="step")
            for name in ("cal", "new")
        )
        known = sites.set_index(sites["id"].astype(str))
        rows = known.loc[cal.ids]
        y, label = Outcome(rows["time"], rows["event"]), rows["site"].to_numpy()
        model = ConformalSurvival.from_curves(
            cal.curves, y, groups=label, adjustment="log-time", random_state=0
        )
        asked = known.loc[new.ids]["site"].to_numpy()
        wanted = model.calibrate(new.curves, groups=asked).median()
        found = pd.read_csv(out / "percentiles.csv")["median"]
        assert_allclose(found, wanted)
        # The groups do something.
        plain = model.calibrate(new.curves, groups=np.full(len(asked), "a")).median()
        assert not np.allclose(found, plain)

    def test_of_new_subjects_may_have_a_table_of_their_own(
        self, tmp_path: Path, sites: Any
    ) -> None:
        first, second = tmp_path / "first", tmp_path / "second"
        how = ["--groups", "site", "--adjustment", "log-time"]
        whole = written(tmp_path, sites)
        assert run(first, *how, outcomes=whole).exit_code == 0
        table = tmp_path / "groups.csv"
        sites[["id", "site"]].to_csv(table, index=False)
        known = set(read_curves(EXAMPLE / "cal.csv", interpolation="step").ids)
        some = written(tmp_path, sites[sites["id"].astype(str).isin(known)])
        lacking = run(second, *how, outcomes=some)
        assert lacking.exit_code == 2
        assert "lacks 143 of the 143 ids of new.csv" in lacking.stderr
        result = run(second, *how, "--new-groups", str(table), outcomes=some)
        assert result.exit_code == 0, result.stderr
        tables = [pd.read_csv(f / "percentiles.csv") for f in (first, second)]
        pd.testing.assert_frame_equal(*tables)

    def test_that_are_new_are_refused_or_pooled(
        self, tmp_path: Path, sites: Any
    ) -> None:
        how = ["--groups", "site", "--adjustment", "log-time"]
        path = written(tmp_path, sites)
        table = tmp_path / "groups.csv"
        sites[["id"]].assign(site="c").to_csv(table, index=False)
        how += ["--new-groups", str(table)]
        refused = run(tmp_path / "out", *how, outcomes=path)
        assert refused.exit_code == 2
        assert "groups that no conformal subject" in " ".join(refused.stderr.split())
        how += ["--unseen-group", "pooled", "--force"]
        pooled = run(tmp_path / "out", *how, outcomes=path)
        assert pooled.exit_code == 0, pooled.stderr

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--groups", "ward"], "lacks the column 'ward'"),
            (["--groups", "event"], "--groups and --event are both 'event'"),
            (["--new-groups", "g.csv"], "--new-groups needs --groups"),
            (["--unseen-group", "drop"], "choose error or pooled"),
        ],
    )
    def test_bad_options(self, tmp_path: Path, options: list[str], why: str) -> None:
        result = run(tmp_path / "out", *options)
        assert result.exit_code == 2
        assert why in " ".join(result.stderr.split())
