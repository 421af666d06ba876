"""The benchmarks run, say what they should, and compare equals with equals."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks import (
    inversion,
    metrics,
    prediction,
    rearrangement,
    recalibration,
    sampling,
    shifts,
    structure,
    training,
)
from benchmarks.__main__ import SUBJECTS, main
from benchmarks.cell import make_cell
from benchmarks.report import Measure, text_table, write
from benchmarks.simulate import LEVELS, conformal_set
from benchmarks.timing import Times, peak_memory, race
from consurv import KaplanMeier, SurvivalCurves, conformal_shifts
from consurv.curves.rearrange import crossing_rows, rearrange
from consurv.datasets import Dataset, make_weibull

TINY = {
    "shifts": lambda: (
        shifts.measure(300, whole=True)
        + shifts.measure_rules(300, whole=False)
        + shifts.measure_weights(300, whole=False)
    ),
    "sampling": lambda: sampling.measure(200, n_samples=20, rounds=1),
    "inversion": lambda: inversion.measure(50, n_looped=3, rounds=1),
    "rearrangement": lambda: rearrangement.measure(20, 1, n_draws=100, rounds=1),
    "metrics": lambda: metrics.measure({60: 1}),
    "training": lambda: training.measure(small_cell(), epochs=3, rounds=1),
    "recalibration": lambda: recalibration.measure(2_000, "smooth curves"),
    "structure": lambda: structure.measure((300, 600)),
    "prediction": lambda: prediction.measure(2_000, 60, models=("deephit",)),
}


def small_cell():
    data = make_weibull(600, random_state=0)
    return make_cell(Dataset("SMALL", data.X, data.y, "simulated", "CC0", "days"), 0)


class TestBothSidesAgree:
    @pytest.mark.parametrize("whole", [False, True])
    def test_bare_partition_gives_the_uncensored_shifts(self, whole):
        q, y = conformal_set(500, whole=whole)
        expected = conformal_shifts(q, LEVELS, y, censoring="uncensored")
        assert_array_equal(shifts.bare_shifts(q, y), expected)

    @pytest.mark.parametrize("variant", sampling.VARIANTS)
    def test_sampling_comes_close_to_the_exact_shifts(self, variant):
        q, y = conformal_set(400)
        exact = conformal_shifts(q, LEVELS, y, censoring="kaplan-meier")
        sampled = sampling.VARIANTS[variant](q, y, KaplanMeier(y), 1000)
        assert_allclose(sampled, exact, atol=0.02 * y.time.mean())

    def test_the_two_ways_to_sample_give_the_same_answer(self):
        q, y = conformal_set(100, whole=True)
        km = KaplanMeier(y)
        answers = [sample(q, y, km, 50) for sample in sampling.VARIANTS.values()]
        assert_array_equal(*answers)

    def test_draws_are_those_of_the_package(self):
        _, y = conformal_set(60)
        km, c = KaplanMeier(y), y.time[~y.event]
        drawn = sampling.draw(c, km, 4000)
        assert (drawn > c[:, None]).all()
        assert_allclose(drawn.mean(axis=1), km.conditional_mean(c), rtol=0.05)

    def test_loops_invert_the_same_curves(self):
        times, survival = inversion.make_curves(20)
        for kind, invert in (("linear", "_numpy"), ("pchip", "_scipy")):
            ours = SurvivalCurves(times, survival, kind).percentile_times(LEVELS)
            loop = inversion.row_by_row(times, survival, getattr(inversion, invert))
            # SciPy's pchip interpolates the inverse, ours inverts the pchip.
            assert_allclose(loop, ours, rtol=1e-12 if kind == "linear" else 2e-3)

    def test_draws_come_close_to_the_exact_rearrangement(self):
        q = rearrangement.crossing_rows(5)
        assert crossing_rows(q, LEVELS).all()
        drawn = rearrange(q, LEVELS, "bootstrap", random_state=0, n_draws=200_000)
        assert_allclose(drawn, rearrange(q, LEVELS), rtol=0.03)

    def test_about_four_in_ten_are_censored(self):
        _, y = conformal_set(10_000)
        assert 1 - y.event.mean() == pytest.approx(0.4, abs=0.03)


class TestReport:
    @pytest.mark.parametrize("name", SUBJECTS)
    def test_every_subject_measures_something(self, name):
        measures = TINY[name]()
        assert all(np.isfinite(m.measured) and m.measured > 0 for m in measures)
        assert len({m.case for m in measures}) == 1
        assert measures[0].what in text_table(measures[0].case, measures)

    def test_files_hold_ratios_targets_and_machine(self, tmp_path):
        measures = TINY["rearrangement"]()
        write(measures, tmp_path)
        content = json.loads((tmp_path / "latest.json").read_text())
        assert {"cpu", "simd", "numpy", "threads"} <= set(content["environment"])
        entry = content["measures"][0]
        assert {"case", "what", "measured", "median", "target", "met"} <= set(entry)
        assert measures[0].what in (tmp_path / "latest.md").read_text()

    def test_one_subject_replaces_its_own_rows_alone(self, tmp_path):
        write([Measure("a", "x", 1.0), Measure("b", "y", 2.0)], tmp_path)
        write([Measure("a", "x", 3.0, target=4)], tmp_path, only=True)
        content = json.loads((tmp_path / "latest.json").read_text())
        found = [(m["case"], m["measured"]) for m in content["measures"]]
        assert found == [("a", 3.0), ("b", 2.0)]
        content["environment"]["numpy"] = "1.0"
        (tmp_path / "latest.json").write_text(json.dumps(content))
        write([Measure("b", "y", 5.0)], tmp_path, only=True)
        content = json.loads((tmp_path / "latest.json").read_text())
        assert [m["measured"] for m in content["measures"]] == [5.0]

    @pytest.mark.parametrize(
        ("measured", "at_most", "verdict"),
        [
            (5, True, "met"),
            (9, True, "missed by 1.50x"),
            (9, False, "met"),
            (3, False, "missed by 2.00x"),
        ],
    )
    def test_a_verdict_says_by_how_much(self, measured, at_most, verdict):
        assert Measure("", "", measured, target=6, at_most=at_most).verdict == verdict

    def test_without_a_target_there_is_no_verdict(self):
        measure = Measure("", "", 2.0)
        assert measure.met is None
        assert measure.verdict == "for information"

    def test_one_subject_can_be_run_alone(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setattr(inversion, "run", lambda quick: TINY["inversion"]())
        found = main(["--quick", "--only", "inversion", "--output", str(tmp_path)])
        assert all(m.target is None for m in found)
        assert "row by row / ours, linear" in capsys.readouterr().out
        assert (tmp_path / "latest.json").exists()


class TestTiming:
    def test_contestants_take_turns(self):
        order = []
        names = ("a", "b")
        times = race({n: lambda n=n: order.append(n) for n in names}, rounds=2)
        assert order == ["a", "b"] * 3  # the first round warms up
        assert len(times["a"].cpu) == 2

    def test_a_ratio_comes_from_best_and_median_rounds(self):
        assert Times([4, 6, 9]).over(Times([2, 3, 3])) == (2, 2)

    def test_peak_memory_counts_arrays(self):
        assert peak_memory(lambda: np.ones(10**6)) == pytest.approx(8e6, rel=0.01)
