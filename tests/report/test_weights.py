"""What a report makes of weights."""

from __future__ import annotations

import numpy as np
import pytest

from consurv import ConformalSurvival, InvalidInput, Outcome
from consurv.metrics import evaluate
from consurv.report.cautions import cautions
from consurv.report.facts import about_data, about_model
from consurv.report.html import report_on
from consurv.report.predictions import predict_both

WEIGHT = np.random.default_rng(3).integers(0, 4, 300).astype(float)


@pytest.fixture(scope="module")
def model(simulate, stretched_model):
    X, y = simulate(400)
    weight = np.tile([1.0, 3.0], 200)
    post = ConformalSurvival(stretched_model, adjustment="time")
    return post.conformalize(X, y, sample_weight=weight)


def written(model, X, y, folder, **options):
    usual = {"y_train": None, "title": None, "n_bootstrap": 20, "random_state": 0}
    return report_on(model, X, y, folder / "r.html", **usual, **options)


class TestReport:
    def test_counts_subjects_by_their_weights(self, model, simulate, tmp_path):
        X, y = simulate(300, 1)
        found = written(model, X, y, tmp_path, sample_weight=WEIGHT)
        counted = WEIGHT > 0
        curves = model.predict_survival_function(X[counted])
        wanted = evaluate(
            y[counted],
            curves,
            y_train=model.kaplan_meier_,
            sample_weight=WEIGHT[counted],
        )
        assert float(found.comparison.calibrated.c_index) == float(wanted.c_index)
        text = found.path.read_text()
        assert f"{counted.sum()}, standing for {WEIGHT.sum():g}" in text
        assert "400, standing for 800, effective sample size 320" in text
        assert "1-calibration" not in text
        assert "Weights that stand for more subjects than were seen" in text

    def test_groups_go_with_their_rows(self, model, simulate, tmp_path):
        """Labels of those who weigh nothing are left out with them."""
        X, y = simulate(300, 1)
        groups = np.where(WEIGHT > 0, "counted", "left out")
        found = written(model, X, y, tmp_path, sample_weight=WEIGHT, groups=groups)
        text = found.path.read_text()
        assert "counted" in text
        assert "left out" not in text

    def test_refuses_weights_of_another_length(self, model, simulate, tmp_path):
        X, y = simulate(300, 1)
        with pytest.raises(InvalidInput, match="lengths differ"):
            written(model, X, y, tmp_path, sample_weight=[1, 2])


class TestFacts:
    def test_tell_the_effective_sample_size(self, model):
        told = about_model(model)["Conformal subjects"]
        assert told == "400, standing for 800, effective sample size 320"
        y = Outcome([1.0, 2.0, 4.0], [1, 1, 0], [1.0, 1.0, 2.0])
        assert about_data(y)["Subjects"] == (
            "3, standing for 4, effective sample size 2.7"
        )


class TestCautions:
    def test_a_conformal_set_is_as_small_as_it_is_in_effect(
        self, simulate, stretched_model
    ):
        """300 subjects, of whom one tenth carries nearly all the weight."""
        X, y = simulate(300)
        weight = np.where(np.arange(300) < 30, 9.0, 0.1)
        post = ConformalSurvival(stretched_model, adjustment="time")
        post.conformalize(X, y, sample_weight=weight)
        found = {c.title: c.text for c in cautions(post, y, predict_both(post, X, y))}
        effective = round(weight.sum() ** 2 / (weight @ weight))
        small = found["Small conformal set"]
        assert f"With {effective} conformal subjects in effect" in small

    @pytest.mark.parametrize(("scale", "expected"), [(5.0, True), (1.0, False)])
    def test_of_weights_that_add_up_to_too_many(self, model, simulate, scale, expected):
        X, y = simulate(300, 1)
        weighted = y.weighted(scale * np.tile([0.9, 1.1], 150))
        found = cautions(model, weighted, predict_both(model, X, weighted))
        heavy = [c for c in found if c.title.startswith("Weights that stand for")]
        assert bool(heavy) is expected
