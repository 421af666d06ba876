from collections import Counter

import pytest

from studies import StudyConfig, grid
from studies.grid import cells_of, tasks_of
from tests.studies.runs import tiny


class TestCells:
    def test_are_the_product(self) -> None:
        cells = cells_of(tiny())
        assert len(cells) == len({cell.asked for cell in cells}) == 12
        assert str(cells[0]) == "main/VALCT/km/0"

    def test_of_main_hold_the_dummy_unasked(self) -> None:
        cells = cells_of(tiny(models=["deephit"]))
        assert Counter(c.fit.key for c in cells) == {"km": 4, "deephit": 4}

    def test_ask_the_same_of_two_runs_and_not_of_two_studies(self) -> None:
        first, again = cells_of(tiny()), cells_of(tiny(time_limit=9.0))
        assert [cell.asked for cell in first] == [cell.asked for cell in again]
        other = {cell.asked for cell in cells_of(tiny("ablation-censoring"))}
        assert not other & {cell.asked for cell in first}

    @pytest.mark.parametrize(
        "changes",
        [{"percentiles": 9}, {"settings": {"deephit": {"max_epochs": 4}}}],
    )
    def test_other_settings_ask_for_something_else(self, changes: dict) -> None:
        first, other = (
            {c.asked for c in cells_of(config) if c.fit.key == "deephit"}
            for config in (tiny(), tiny(**changes))
        )
        assert len(first) == len(other) == 4
        assert not first & other

    def test_a_new_version_asks_for_something_else(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = cells_of(tiny(models=["km"]))[0].asked
        monkeypatch.setattr(grid, "__version__", "99")
        assert cells_of(tiny(models=["km"]))[0].asked != before


class TestTasks:
    def test_cells_of_all_studies_share_a_fit(self) -> None:
        cells = cells_of(tiny(models=["deephit"])) + cells_of(
            tiny("ablation-percentiles", models=["deephit"])
        )
        tasks = tasks_of(cells)
        sizes = Counter((task.fit.key, len(task.cells)) for task in tasks)
        assert sizes == {("km", 1): 4, ("deephit", 2): 4}

    def test_the_long_ones_come_first(self) -> None:
        config = StudyConfig(
            "main",
            datasets=["VALCT", "SEER-brain-like", "GBSG"],
            models=["km", "deephit"],
            seeds=1,
        )
        tasks = tasks_of(cells_of(config))
        order = [(task.dataset, task.fit.key) for task in tasks]
        assert order[0] == ("SEER-brain-like", "deephit")
        assert order[-1] == ("VALCT", "km")
        assert [name for name, _ in order][::2] == ["SEER-brain-like", "GBSG", "VALCT"]
