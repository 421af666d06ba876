"""The study that trains and calibrates as users do, where the truth is known."""

import json

import numpy as np
import pytest

from studies.whole.__main__ import main
from studies.whole.cell import CONTESTANTS, run
from studies.whole.summary import by_model, by_size, by_truth, rows_of
from studies.whole.truth import truth_of


class TestTruth:
    @pytest.mark.parametrize("name", ["weibull.indep40", "WHAS500"])
    def test_times_are_drawn_from_the_law(self, name):
        truth, rng = truth_of(name), np.random.default_rng(0)
        x, y = truth.sample(4000, rng)
        # Events less what the law expects by the time of leaving: a martingale.
        expected = -np.log(truth.law.s(y.time[:, None], x)[:, 0]).sum()
        assert abs(y.n_events - expected) < 4 * np.sqrt(expected)
        u = rng.uniform(1e-6, 1, size=(4000, 1))
        again = truth.law.s(truth.law.q(u, x), x)
        assert again == pytest.approx(u, rel=1e-6, abs=1e-9)

    def test_features_are_those_of_real_subjects_and_nobody_is_judged_twice(self):
        truth = truth_of("WHAS500")
        train = {row.tobytes() for row in truth.rows}
        assert len(truth.rows) == 334
        assert not train & {row.tobytes() for row in truth.x_test}
        x, _ = truth.sample(50, np.random.default_rng(0))
        assert {row.tobytes() for row in x} <= train

    def test_who_is_censored_depends_on_features(self):
        truth = truth_of("WHAS500")
        half = np.full((1000, 1), 0.5)
        medians = truth.censoring.q(half, truth.x_test)
        assert medians.max() > 1.2 * medians.min()


def test_a_cell_scores_raw_and_every_contestant():
    scores = run("weibull.indep40@120", "coxph", 0)
    assert set(scores) == {"raw", *CONTESTANTS}
    for found in scores.values():
        assert 0.5 < found["coverage"] < 1
        assert found["marginal"] >= 0


RECORDS = [
    {
        "dataset": f"T@{n}",
        "model": "m",
        "seed": seed,
        "scores": {
            "raw": {"marginal": 1.0, "by_risk": 1, "ise": 2.0, "coverage": 0.7},
            "default": {
                "marginal": 0.5 + seed,  # 1.0 on average over two seeds
                "by_risk": 1.0,
                "ise": 3.0 if n == 60 else 1.0,
                "coverage": 0.8,
            },
        },
    }
    for n in (60, 200)
    for seed in (0, 1)
]


class TestSummary:
    def test_by_size(self):
        found = by_size(rows_of(RECORDS)).set_index("n")
        assert found["marginal / raw"].tolist() == [1, 1]
        assert found["ISE / raw"].tolist() == [1.5, 0.5]
        assert found["ISE harmed"].tolist() == [1, 0]
        assert found["worst marginal"].tolist() == [0, 0]

    def test_by_model_leaves_out_the_smallest(self):
        found = by_model(rows_of(RECORDS)).set_index("contestant")
        assert found["ISE"].to_dict() == {"raw": 2.0, "default": 1.0}
        assert found["least coverage"]["default"] == pytest.approx(0.8)
        same = by_truth(rows_of(RECORDS)).set_index("contestant")
        assert same["truth"].tolist() == ["T", "T"]
        assert same["ISE"].tolist() == found["ISE"].tolist()


@pytest.mark.slow
def test_the_command_goes_on_where_it_was(tmp_path, capsys):
    asked = ["--truths", "weibull.indep40", "--models", "coxph", "--sizes", "80"]
    asked += ["--seeds", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert main(asked) == 0
    assert (tmp_path / "whole.png").stat().st_size > 5_000
    path = tmp_path / "weibull.indep40@80-coxph-0.json"
    known = json.loads(path.read_text())
    known["scores"]["raw"]["ise"] = 77.0
    path.write_text(json.dumps(known))
    capsys.readouterr()
    assert main(asked) == 0
    assert "77.000" not in capsys.readouterr().out  # 80 subjects are too few to list
    assert json.loads(path.read_text())["scores"]["raw"]["ise"] == 77.0


def test_a_report_of_nothing(tmp_path, capsys):
    assert main(["--report", "--out", str(tmp_path)]) == 1
    assert "nothing" in capsys.readouterr().out
