import json
import shutil
from pathlib import Path

import pytest

from consurv.datasets import MissingData
from consurv.errors import InvalidInput
from studies import StudyConfig, grid
from studies.planning import plan
from studies.records import record_path, write_record
from studies.variants import Variant, variants_of
from tests.studies.runs import tiny


@pytest.fixture
def stored(reference: Path, tmp_path: Path) -> Path:
    """A copy of the records of the reference run, to be changed."""
    shutil.copytree(reference / "records", tmp_path / "records")
    return tmp_path


def change(folder: Path, **values: object) -> None:
    path = record_path(folder, "main", "PBC", "km", 1)
    record = json.loads(path.read_text())
    del record["checksum"]
    write_record(folder, {**record, **values})


class TestWhatIsStored:
    def test_is_not_run_again(self, stored: Path) -> None:
        planned = plan([tiny()], stored)
        assert (planned.n_cells, planned.n_missing) == (12, 0)

    def test_is_run_again_if_asked(self, stored: Path) -> None:
        assert plan([tiny()], stored, again=True).n_missing == 12

    def test_more_seeds_are_run(self, stored: Path) -> None:
        assert plan([tiny(seeds=3)], stored).n_missing == 6

    def test_answers_the_same_settings_alone(self, stored: Path) -> None:
        other = tiny(settings={"deephit": {"max_epochs": 4}})
        planned = plan([other], stored)
        assert planned.n_missing == 4
        assert {task.fit.key for task in planned.tasks} == {"deephit"}

    def test_answers_the_same_variants_alone(
        self, stored: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def without_the_last(*args: object) -> tuple[Variant, ...]:
            variants = variants_of(*args)  # type: ignore[arg-type]
            return variants[:-1] if len(variants) > 1 else variants

        monkeypatch.setattr(grid, "variants_of", without_the_last)
        planned = plan([tiny()], stored)
        # KM is never conformalized: its records answer still.
        assert {t.fit.key for t in planned.tasks} == {"weibull-aft", "deephit"}
        assert planned.n_missing == 8

    def test_a_corrupt_record_is_reported_and_run_again(self, stored: Path) -> None:
        path = record_path(stored, "main", "PBC", "km", 1)
        path.write_text(path.read_text()[:-20])
        planned = plan([tiny()], stored)
        assert planned.n_missing == 1
        assert str(path) in planned.notes[0]
        assert "run again" in planned.notes[0]

    def test_a_failure_is_run_again_only_if_asked(self, stored: Path) -> None:
        change(stored, status="failed")
        assert plan([tiny()], stored).n_missing == 0
        assert plan([tiny()], stored, retry_failed=True).n_missing == 1

    def test_a_timeout_is_run_again_with_more_time(self, stored: Path) -> None:
        change(stored, status="timeout")
        assert plan([tiny()], stored).n_missing == 0
        assert plan([tiny(time_limit=2000.0)], stored).n_missing == 1


class TestDatasets:
    @pytest.fixture(autouse=True)
    def packages_alone(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("CONSURV_DATA", raising=False)
        monkeypatch.setenv("CONSURV_CACHE", str(tmp_path))

    def test_those_not_here_are_left_out_with_a_note(self, tmp_path: Path) -> None:
        config = StudyConfig("main", models=["km"], seeds=1)
        planned = plan([config, config], tmp_path)
        names = {task.dataset for task in planned.tasks}
        assert names == {"VALCT", "DLBCL", "PBC", "GBSG", "SUPPORT"}
        assert planned.configs[0].datasets is not None
        assert len(planned.notes) == 3
        assert "METABRIC is left out" in planned.notes[1]

    def test_one_that_was_named_must_be_here(self, tmp_path: Path) -> None:
        config = StudyConfig("main", datasets=["VALCT", "NACD"], models=["km"])
        with pytest.raises(MissingData, match="NACD is not on this machine: consurv"):
            plan([config], tmp_path)

    def test_cost_simulates_the_large_ones(self, tmp_path: Path) -> None:
        planned = plan([StudyConfig("cost", models=["aft"], seeds=1)], tmp_path)
        assert "SEER-liver-like" in {task.dataset for task in planned.tasks}

    def test_nothing_to_run(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match="no cell to run"):
            plan([], tmp_path)


def test_two_conformal_steps_beside_each_other_are_told(tmp_path: Path) -> None:
    def notes(study: str, conformal: str) -> list[str]:
        config = StudyConfig(study, ["VALCT"], seeds=1, conformal=conformal)
        return plan([config], tmp_path).notes

    assert "--conformal ours" in notes("ablation-censoring", "paper")[0]
    assert not notes("ablation-censoring", "ours")
    assert not notes("main", "paper")
