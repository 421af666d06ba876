"""The study of the test of censoring says what it flags."""

import numpy as np

from studies.bounds import diagnostic


def test_right_worlds_are_censored_and_nobody_tests():
    for setting in diagnostic.WORLDS[2:]:
        world = setting.draw(np.random.default_rng(0))
        assert 0.3 < 1 - world.y_calibration.event.mean() < 0.85
        assert len(world.y_calibration) == 1000
        assert len(world.X_test) == 0


def test_shares_are_those_of_the_flags(monkeypatch, capsys):
    """Davidov's are flagged each time, of the right ones every fourth."""
    seen = []

    def flagged(setting, repetition):
        seen.append(repetition)
        return setting.group == "davidov" or repetition % 4 == 0

    monkeypatch.setattr(diagnostic, "flagged", flagged)
    diagnostic.main(["--repetitions", "4"])
    lines = capsys.readouterr().out.splitlines()
    assert "| davidov 1 | 1.000 | 4 |" in lines
    assert "| right by chance | 0.250 | 4 |" in lines
    assert lines[-1] == "| all that are right | 0.250 | 20 |"
    assert min(seen) == 7000  # none of those that shaped the test


def test_a_model_that_is_wrong_where_few_are_seen_is_flagged():
    assert diagnostic.flagged(diagnostic.WORLDS[1], 7000)
