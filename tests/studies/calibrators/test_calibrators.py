"""Calibrators behind one interface, and who is in front."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv.metrics import d_calibration
from studies.calibrators.__main__ import main
from studies.calibrators.cell import OURS, contestants, record
from studies.calibrators.rivals import RIVALS, isotonic, km_shift
from studies.calibrators.standing import of_records, places, ranks

TIMES = np.linspace(0.25, 60, 240)


def said(x, stretch):
    """Return exponential curves, with times that are too long by a factor."""
    return SurvivalCurves(TIMES, np.exp(-TIMES / (stretch * 8 * np.exp(x[:, None]))))


def subjects(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(scale=0.6, size=n)
    time, limit = rng.exponential(8 * np.exp(x)), rng.exponential(30, n)
    return x, Outcome(np.minimum(time, limit), time <= limit)


@pytest.mark.parametrize("name", list(contestants()))
def test_mends_times_that_are_too_long(name):
    (x, y), (new, later) = subjects(1500, 0), subjects(1500, 1)
    raw = said(new, 2.0)
    found = contestants()[name](said(x, 2.0), y, raw)
    before, after = (d_calibration(later, curves).statistic for curves in (raw, found))
    assert after < before / 5


@pytest.mark.parametrize("name", list(RIVALS))
def test_leaves_a_right_model_about_right(name):
    (x, y), (new, _) = subjects(1500, 2), subjects(200, 3)
    found = RIVALS[name](said(x, 1.0), y, said(new, 1.0))
    early = TIMES[TIMES < 15]
    off = found.survival_at(early) - said(new, 1.0).survival_at(early)
    assert np.abs(off).mean() < 0.05


def test_shifted_means_are_kaplan_meier():
    x, y = subjects(400, 4)
    curves = said(x, 1.6)
    found = km_shift(curves, y, curves)
    times = np.quantile(y.time[y.event], [0.2, 0.4], method="lower")
    wanted = KaplanMeier(y).survival_at(times)
    # Where no curve had to be cut at 0 or 1.
    assert_allclose(found.survival_at(times).mean(axis=0), wanted, atol=0.02)


def test_isotonic_maps_keep_the_order_at_a_horizon():
    x, y = subjects(600, 5)
    found = isotonic(said(x, 1.6), y, said(np.sort(x), 1.6))
    assert (np.diff(found.survival_at([6.0]), axis=0) >= -1e-12).all()


class TestStanding:
    def test_by_hand(self):
        values = {
            "A": {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.2, 2.9]},
            "B": {"x": [1.0, 1.0, 1.0], "y": [2.0, 2.0, 2.0]},
        }
        first, second = places(values, "y")
        assert (first.best, first.in_front) == ("x", True)
        assert (second.best, second.behind, second.in_front) == ("x", 1.0, False)
        assert ranks(values)["y"].tolist() == [2.0, 2.0]

    def test_a_difference_of_rounding_is_no_loss(self):
        raw = [1e-31, 3e-31, 2e-31]
        [place] = places({"A": {"raw": raw, "x": [v + 9e-31 for v in raw]}}, "x")
        assert (place.best, place.behind, place.in_front) == ("raw", 0.0, True)
        [place] = places({"A": {"raw": raw, "x": [v + 1e-9 for v in raw]}}, "x")
        assert not place.in_front

    def test_repetitions_without_a_number_do_not_count(self):
        def row(seed, value):
            scores = {"raw": {"m": 1.0}, "x": {"m": value}}
            return {"dataset": "A", "model": "b", "seed": seed, "scores": scores}

        found = of_records([row(0, 2.0), row(1, np.nan)], "m")
        assert found == {"A/b": {"raw": [1.0], "x": [2.0]}}


def test_a_run_goes_on_where_it_was(tmp_path, capsys):
    asked = ["--datasets", "WHAS500", "--models", "coxph", "--jobs", "1"]
    asked += ["--out", str(tmp_path), "--seeds"]
    assert main([*asked, "1"]) == 0
    first = (tmp_path / "WHAS500-coxph-0.json").stat().st_mtime_ns
    assert main([*asked, "2"]) == 0
    assert (tmp_path / "WHAS500-coxph-0.json").stat().st_mtime_ns == first
    told = capsys.readouterr().out
    assert "2 cells of dataset, model and seed; 0 failed." in told
    assert OURS in told
    assert (tmp_path / "calibrators.png").stat().st_size > 10_000
    # Nothing has to be here for a report of what was found.
    (tmp_path / "WHAS500-coxph-0.json").rename(tmp_path / "SEER-coxph-0.json")
    asked[1] = "SEER,WHAS500"
    assert main([*asked, "2", "--report"]) == 0
    assert "2 cells of dataset, model and seed" in capsys.readouterr().out


def test_an_error_is_part_of_the_record():
    assert "error" in record("WHAS500", "no such model", 0)
