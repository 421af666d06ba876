"""The search is timed beside a copy; what both take, and differ by, is said."""

from pathlib import Path

import pytest

from benchmarks import rounds

SOURCE = Path(rounds.__file__).parents[1] / "src"


def test_a_copy_of_ours_finds_the_same():
    here = rounds.timed(200, 1, ["margin"], whole=True)
    copy = rounds._apart(SOURCE, 200, 1, ["margin"], True)
    assert copy["margin"][1] == here["margin"][1]


def test_all_rules_are_timed():
    found = rounds.timed(300, 1)
    assert tuple(found) == rounds.RULES
    assert all(taken >= 0 for taken, _ in found.values())


def test_other_shifts_and_times_are_said(monkeypatch):
    told = {None: {"margin": [0.003, 100.0]}, SOURCE: {"margin": [0.002, 99.0]}}
    monkeypatch.setattr(rounds, "_apart", lambda source, *rest: told[source])
    (line,) = rounds.compare(SOURCE, 10, 1, 2, ["margin"])
    assert line.split()[2:7] == ["3.0", "ms", "old", "2.0", "ms"]
    assert " 1.50 " in line
    assert line.endswith("differ by 1e-02")


def test_a_folder_without_a_copy_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        rounds.main(["--old", str(tmp_path)])
    assert "holds no folder consurv" in capsys.readouterr().err
