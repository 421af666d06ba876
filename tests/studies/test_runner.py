import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from consurv.errors import ConsurvError, InvalidInput
from studies import RunResult, StudyConfig, read_records, run
from studies.grid import Task
from studies.records import record_path
from tests.studies.runs import comparable, tiny


class Listener:
    """Keeps what an observer is told."""

    def __init__(self) -> None:
        self.grid: tuple[int, int, float] | None = None
        self.tasks: list[tuple[str, list[str]]] = []
        self.notes: list[str] = []

    def planned(self, n_cells: int, n_stored: int, effort: float) -> None:
        self.grid = (n_cells, n_stored, effort)

    def done(self, task: Task, statuses: Sequence[str]) -> None:
        self.tasks.append((task.fit.key, list(statuses)))

    def note(self, message: str) -> None:
        self.notes.append(message)


@pytest.fixture
def copied(reference: Path, tmp_path: Path) -> Path:
    """A copy of the reference run, to be changed."""
    return Path(shutil.copytree(reference, tmp_path / "results"))


class TestRun:
    def test_stores_one_record_per_cell_and_what_was_asked(
        self, reference: Path
    ) -> None:
        assert len(comparable(reference)) == 12
        assert (reference / "config.toml").read_text().count("[main]") == 1
        assert len(list((reference / "fits").rglob("*.fit"))) == 12

    def test_does_nothing_if_all_is_there(self, copied: Path) -> None:
        listener = Listener()
        result = run(tiny(), copied, observer=listener)
        assert (result.n_stored, result.n_done) == (12, 0)
        assert listener.grid == (12, 12, 0)
        assert str(result) == "0 cells done, 0 failed (12 were there already)"

    def test_a_cell_whose_record_is_gone_is_made_again(
        self, copied: Path, reference: Path
    ) -> None:
        record_path(copied, "main", "PBC", "deephit", 0).unlink()
        listener = Listener()
        result = run(tiny(), copied, observer=listener)
        assert (result.n_stored, result.n_done) == (11, 1)
        assert listener.tasks == [("deephit", ["done"])]
        assert comparable(copied) == comparable(reference)
        (remade,) = [r for r in read_records(copied).records if r["fit"]["reused"]]
        assert remade["model"] == "deephit"

    def test_a_corrupt_record_is_reported_and_made_again(
        self, copied: Path, reference: Path
    ) -> None:
        path = record_path(copied, "main", "VALCT", "km", 1)
        path.write_bytes(path.read_bytes()[:200])
        listener = Listener()
        result = run(tiny(), copied, observer=listener)
        assert result.n_done == 1
        assert result.notes == listener.notes
        assert "not a whole JSON file" in listener.notes[0]
        assert comparable(copied) == comparable(reference)

    def test_fits_may_be_deleted(self, copied: Path, reference: Path) -> None:
        shutil.rmtree(copied / "fits")
        result = run(tiny(models=["km", "deephit"]), copied, again=True)
        assert result.n_done == 8
        assert comparable(copied) == comparable(reference)

    def test_another_study_uses_the_fits(self, copied: Path) -> None:
        config = tiny("ablation-percentiles", models=["deephit"], seeds=1)
        assert run(config, copied).n_done == 2
        found = [
            r
            for r in read_records(copied).records
            if r["study"] == "ablation-percentiles"
        ]
        assert all(r["fit"]["reused"] for r in found)
        text = (copied / "config.toml").read_text()
        assert "[main]" in text
        assert "[ablation-percentiles]" in text

    def test_old_temporary_files_are_cleared_away(self, copied: Path) -> None:
        left = copied / "records" / f".1.json.{2**22 + 1}-7.part"
        left.write_text("half")
        run(tiny(), copied)
        assert not left.exists()

    def test_goes_on_after_a_failed_cell(self, tmp_path: Path) -> None:
        config = StudyConfig(
            "main",
            datasets=["VALCT"],
            models=["aft", "km"],
            seeds=1,
            settings={"weibull-aft": {"penalty": -1.0}},
        )
        listener = Listener()
        result = run(config, tmp_path, observer=listener)
        assert (result.n_done, result.n_failed) == (1, 1)
        assert listener.tasks == [("weibull-aft", ["failed"]), ("km", ["done"])]
        assert run(config, tmp_path).n_stored == 2

    def test_nothing_is_written_if_the_plan_fails(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match="no cell"):
            run([], tmp_path / "results")
        assert not (tmp_path / "results").exists()

    def test_two_at_once_do_not_do_the_work_twice(self, tmp_path: Path) -> None:
        class Second(Listener):
            said = ""

            def done(self, task: Task, statuses: Sequence[str]) -> None:
                with pytest.raises(ConsurvError) as caught:
                    run(tiny(models=["km"]), tmp_path)
                self.said = str(caught.value)

        listener = Second()
        config = tiny(datasets=["VALCT"], models=["km"], seeds=1)
        assert run(config, tmp_path, observer=listener).n_done == 1
        assert "another run is at work in" in listener.said
        assert run(config, tmp_path).n_stored == 1  # the lock is gone

    def test_refuses_no_processes(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match="jobs=0"):
            run(tiny(models=["km"]), tmp_path, jobs=0)


def test_result_in_words() -> None:
    result = RunResult(n_stored=0, n_done=3, n_failed=1, n_timeout=2)
    assert str(result) == "3 cells done, 1 failed, 2 out of time"
