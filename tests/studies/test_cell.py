from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from consurv.errors import ConsurvError
from studies import cell as cell_module
from studies.cell import run_task
from studies.fits import FitFolder
from studies.grid import Task, cells_of, tasks_of
from tests.studies.runs import tiny

FAST = {"datasets": ["VALCT"], "seeds": 1}


def task_of(*studies: str, **changes: Any) -> Task:
    configs = [tiny(study, **{**FAST, **changes}) for study in studies]
    cells = [cell for config in configs for cell in cells_of(config)]
    # The dummy is in every main study; it is the task only where nothing else is.
    *_, task = sorted(tasks_of(cells), key=lambda task: task.fit.key != "km")
    return task


def records_of(task: Task, folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    records: list[dict[str, Any]] = []
    notes = run_task(task, FitFolder(folder), records.append)
    return records, notes


class TestRunTask:
    def test_trains_once_for_all_studies(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trained: list[str] = []
        real = cell_module.train

        def counting(named: Any, *args: Any) -> Any:
            trained.append(named.key)
            return real(named, *args)

        monkeypatch.setattr(cell_module, "train", counting)
        task = task_of("main", "ablation-percentiles", models=["coxph"])
        records, notes = records_of(task, tmp_path)
        again, _ = records_of(task, tmp_path)
        assert trained == ["coxph"]
        assert notes == []
        assert [r["study"] for r in records] == ["main", "ablation-percentiles"]
        assert [r["fit"]["reused"] for r in records] == [False, True]
        assert [r["fit"]["reused"] for r in again] == [True, True]
        for first, second in zip(records, again, strict=True):
            metrics = [[v["metrics"] for v in r["variants"]] for r in (first, second)]
            assert metrics[0] == metrics[1]

    def test_fills_a_record(self, tmp_path: Path) -> None:
        (record,), _ = records_of(task_of("main", models=["deephit"]), tmp_path)
        assert record["status"] == "done"
        assert record["label"] == "DeepHit"
        assert record["settings"] == {"max_epochs": 3, "validation": True}
        assert record["fit"]["n_epochs"] == 3
        assert record["data"] == {
            "n": 137,
            "n_features": 6,
            "censored": pytest.approx(9 / 137),
            "t_max": 999.0,
            "size": "small",
            "simulated": False,
            "n_train": 111,
            "n_validation": 12,
            "n_test": 14,
            "n_encoded": 8,
        }
        assert record["environment"]["numpy"]
        assert record["seconds"] > record["fit"]["seconds"]
        assert record["started"].endswith("+00:00")

    def test_a_fit_with_other_settings_is_trained_anew(self, tmp_path: Path) -> None:
        records_of(task_of("main", models=["deephit"]), tmp_path)
        changed = task_of(
            "main", models=["deephit"], settings={"deephit": {"max_epochs": 2}}
        )
        (record,), notes = records_of(changed, tmp_path)
        assert record["fit"] == {**record["fit"], "n_epochs": 2, "reused": False}
        assert notes == []

    def test_a_corrupt_fit_is_reported_and_trained_anew(self, tmp_path: Path) -> None:
        task = task_of("main", models=["km"])
        records_of(task, tmp_path)
        path = FitFolder(tmp_path).path("VALCT", "km", 0)
        path.write_bytes(path.read_bytes()[:100])
        (record,), notes = records_of(task, tmp_path)
        assert not record["fit"]["reused"]
        assert "VALCT/km/0 is corrupt" in notes[0]
        assert records_of(task, tmp_path)[0][0]["fit"]["reused"]

    def test_a_fit_that_cannot_be_stored_does_not_matter(self, tmp_path: Path) -> None:
        (tmp_path / "fits").write_text("a file where a folder should be")
        (record,), notes = records_of(task_of("main", models=["km"]), tmp_path)
        assert record["status"] == "done"
        assert "is not stored" in notes[0]


class TestFailures:
    def test_a_model_that_refuses_is_recorded(self, tmp_path: Path) -> None:
        task = task_of("main", models=["weibull-aft"], datasets=["DLBCL"])
        (record,), _ = records_of(task, tmp_path)
        assert record["status"] == "failed"
        assert record["error"]["type"] == "InvalidInput"
        assert "7399 features" in record["error"]["message"]
        assert record["variants"] == []
        assert record["fit"] is None

    def test_training_out_of_time(self, tmp_path: Path) -> None:
        endless = {"max_epochs": 10**6, "patience": 10**6}
        task = task_of(
            "main",
            "ablation-percentiles",
            models=["deephit"],
            settings={"deephit": endless},
            time_limit=0.5,
        )
        records, _ = records_of(task, tmp_path)
        assert [r["status"] for r in records] == ["timeout", "timeout"]
        assert records[0]["error"]["message"] == (
            "the cell took more than its 0.5 seconds"
        )
        assert not (tmp_path / "fits").exists()

    def test_evaluation_out_of_time(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def endless(*args: Any) -> None:
            while True:
                pass

        monkeypatch.setattr(cell_module, "evaluate_variant", endless)
        task = task_of("main", models=["km"], time_limit=0.5)
        (record,), _ = records_of(task, tmp_path)
        assert record["status"] == "timeout"
        assert record["variants"] == []

    def test_raw_curves_that_cannot_be_evaluated(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = {"name": "raw", "status": "failed", "error": {"type": "E"}}
        monkeypatch.setattr(cell_module, "evaluate_variant", lambda *args: broken)
        (record,), _ = records_of(task_of("main", models=["km"]), tmp_path)
        assert (record["status"], record["error"]) == ("failed", {"type": "E"})

    def test_other_rows_than_planned_stop_everything(self, tmp_path: Path) -> None:
        task = replace(task_of("main", models=["km"]), digest="other")
        with pytest.raises(ConsurvError, match="rows of VALCT here are not those"):
            records_of(task, tmp_path)
