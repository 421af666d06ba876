"""How far levels are missed out of fold."""

import numpy as np
import pytest

from studies.whole.coverage import LEVELS, deviations, main, page


def test_a_right_model_of_many_rows_misses_little():
    gaps = deviations("weibull.none", "weibull-aft", 600, 0)
    assert gaps.shape == (2, len(LEVELS))
    assert np.abs(gaps).max() < 0.06, "three times √(ρ(1 − ρ)/N)"


def test_a_page_has_means_and_the_largest_error():
    gaps = np.zeros((4, 2, len(LEVELS)))
    gaps[:, 1, 0] = [0.1, 0.2, 0.3, 0.4]
    last = page({("T", "m", 19): gaps}).splitlines()[-1]
    assert last.startswith("| T | m | 19 | 4 | default | +0.250 | +0.000 |")
    assert last.endswith(f" {np.std([1, 2, 3, 4], ddof=1) / 20:.3f} |")


@pytest.mark.slow
def test_the_command_writes_what_it_says(tmp_path, capsys):
    asked = ["--truths", "weibull.none", "--models", "weibull-aft", "--sizes", "19"]
    found = main([*asked, "--repetitions", "2", "--out", str(tmp_path)])
    assert found["weibull.none", "weibull-aft", 19].shape == (2, 2, len(LEVELS))
    text = (tmp_path / "coverage.md").read_text(encoding="utf-8")
    assert text == capsys.readouterr().out
    assert "| weibull.none | weibull-aft | 19 | 2 | raw |" in text
