import pytest

from studies import live
from studies.config import StudyConfig
from studies.grid import Task, cells_of, tasks_of
from studies.live import Live


@pytest.fixture
def tasks() -> list[Task]:
    config = StudyConfig("main", datasets=["VALCT"], models=["km"], seeds=3)
    return tasks_of(cells_of(config))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(live, "monotonic", lambda: now[0])
    return now


def test_plain_lines_tell_cells_failures_and_time(
    tasks: list[Task], clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with Live() as shown:
        shown.planned(5, 2, sum(task.effort for task in tasks))
        clock[0] = 30.0
        shown.done(tasks[0], ["failed"])
        clock[0] = 31.0
        shown.done(tasks[1], ["done"])  # too soon for another line
        clock[0] = 90.0
        shown.done(tasks[2], ["done"])
        shown.note("a fit was corrupt")
    assert capsys.readouterr().err.splitlines() == [
        "2 of 5 cells, time left unknown",
        "3 of 5 cells, 1 failed, 60 s left",
        "5 of 5 cells, 1 failed, 0 s left",
        "note: a fit was corrupt",
    ]


def test_a_terminal_gets_a_live_line(
    tasks: list[Task],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Live() as shown:
        shown.planned(3, 0, sum(task.effort for task in tasks))
        shown.note("[a] fit was corrupt")
        for task in tasks:
            shown.done(task, ["done"])
    err = capsys.readouterr().err
    assert "[a] fit was corrupt" in err
    assert "3/3" in err
