"""The study of groups measures what it says."""

import numpy as np
import pytest

from consurv import SurvivalCurves
from studies import groups

SMALL = groups.Setting("small", (60, 30), (0.8, -0.8))


def test_right_curves_have_no_error_and_wrong_ones_that_of_their_group():
    X, group, y = SMALL.draw((500, 500), np.random.default_rng(0))
    assert 0.2 < 1 - y.event.mean() < 0.5
    right = SurvivalCurves(*groups.model(X[:, 1:]))
    assert (groups.errors(right, X, group) < 0.2).all()
    raw = groups.errors(SurvivalCurves(*groups.model(X)), X, group)
    assert (raw > 20).all()


@pytest.mark.parametrize("kind", ["log-time"])
def test_a_line_has_all_forms_and_groups_help(kind):
    cells = list(groups.row(SMALL, kind, range(2)))
    assert cells[:2] == [f"`{kind}`", "small"]
    worst = [float(cell.split()[0]) for cell in cells[2:]]
    assert len(worst) == 1 + len(groups.FORMS)
    assert worst[2] < worst[1] / 2


def test_the_command_prints_a_table(monkeypatch, capsys):
    monkeypatch.setattr(groups, "SETTINGS", (SMALL,))
    groups.main(["--repeats", "1", "--kinds", "level"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert {line.count("|") for line in lines} == {7}


def test_a_truth_of_another_width_is_what_errors_are_measured_by():
    wide = groups.Setting("wide", (60, 30), (0.0, 0.0), shapes=(0.9, 2.5), limit=5)
    X, group, y = wide.draw((500, 500), np.random.default_rng(0))
    assert 1 - y.event.mean() > 0.5
    survival = np.exp(-((groups.TIMES / X[:, 1:2]) ** X[:, 2:]))
    right = SurvivalCurves(groups.TIMES, survival)
    assert (groups.errors(right, X, group) < 0.2).all()
    raw = groups.errors(SurvivalCurves(*groups.model(X)), X, group)
    assert (raw > 5).all()


def test_fresh_settings_have_names_and_seeds_of_their_own(monkeypatch, capsys):
    names = [setting.name for setting in (*groups.SETTINGS, *groups.FRESH)]
    assert len(set(names)) == len(names)
    seen = []

    def row(setting, kind, seeds):
        seen.append((setting.name, list(seeds)))
        return iter(())

    monkeypatch.setattr(groups, "row", row)
    groups.main(["--repeats", "2", "--kinds", "level", "--fresh"])
    capsys.readouterr()
    assert seen == [(setting.name, [10_000, 10_001]) for setting in groups.FRESH]
