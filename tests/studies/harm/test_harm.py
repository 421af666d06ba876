"""The study that asks whether calibrating harms."""

import json

import numpy as np
import pytest
from scipy import stats

from studies.harm.__main__ import main
from studies.harm.cell import CONTESTANTS, run
from studies.harm.sources import load
from studies.harm.summary import corrected_p, summarise


class TestSummary:
    def test_without_overlap_it_is_the_paired_test(self):
        d = np.random.default_rng(0).normal(0.3, 1, 10)
        assert corrected_p(d, ratio=0.0) == pytest.approx(
            stats.ttest_1samp(d, 0).pvalue
        )
        assert corrected_p(d) > corrected_p(d, ratio=0.0)

    def test_edges(self):
        assert corrected_p([1.0]) == 1.0
        assert corrected_p([0.0, 0.0]) == 1.0
        assert corrected_p([2.0, 2.0]) == 0.0

    def test_counts_by_hand(self):
        rng = np.random.default_rng(0)
        records = [
            {
                "dataset": "A",
                "model": "m",
                "seed": seed,
                "scores": {
                    "raw": {"c_index": 0.7, "d_calibration": 1.0},
                    "x": {
                        "c_index": 0.7 - 0.1 + 0.01 * rng.normal(),  # lower is worse
                        "d_calibration": 0.5 + 0.01 * rng.normal(),  # lower is better
                    },
                },
            }
            for seed in range(10)
        ]
        c_index, d_cal = summarise(records)
        assert (c_index["metric"], c_index["significantly worse"]) == ("c_index", 1)
        assert c_index["worse after Holm"] == 1
        assert c_index["where worse"] == "A/m"
        assert (d_cal["better"], d_cal["significantly worse"]) == (1, 0)
        assert d_cal["mean after"] == pytest.approx(0.5, abs=0.01)


def test_a_cell_scores_raw_and_every_contestant():
    scores = run("WHAS500", "coxph", 0)
    assert set(scores) == {"raw", *CONTESTANTS}
    assert scores["time"]["c_index"] == pytest.approx(
        scores["raw"]["c_index"], abs=0.02
    )
    assert all(np.isfinite(list(found.values())).all() for found in scores.values())


def test_times_are_positive_and_what_came_after_is_left_out():
    X, y, _ = load("FLCHAIN")
    assert (y.time > 0).all()
    assert "chapter" not in X


@pytest.mark.slow
def test_a_run_goes_on_where_it_was(tmp_path, capsys):
    asked = ["--datasets", "WHAS500", "--models", "coxph", "--seeds", "2"]
    out = ["--out", str(tmp_path), "--jobs", "1"]
    assert main([*asked, *out]) == 0
    first = (tmp_path / "WHAS500-coxph-0.json").stat().st_mtime_ns
    assert main([*asked, *out]) == 0
    assert (tmp_path / "WHAS500-coxph-0.json").stat().st_mtime_ns == first
    assert "scores" in json.loads((tmp_path / "WHAS500-coxph-1.json").read_text())
    assert "| contestant |" in capsys.readouterr().out
