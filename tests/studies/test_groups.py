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
    cells = list(groups.row(SMALL, kind, repeats=2))
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
