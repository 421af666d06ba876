"""``ConformalSurvival(adjustment="level")``, from fit to prediction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator
from sksurv.linear_model import CoxPHSurvivalAnalysis

from consurv import (
    ConformalSurvival,
    FromEstimator,
    InvalidInput,
    KaplanMeier,
    NotConformalizedError,
    SurvivalCurves,
    conformal_levels,
)
from consurv.conformal.quantile.search import rank
from consurv.metrics import d_calibration

LEVELS = np.arange(1, 20) / 20


def level_model(model, **options):
    return ConformalSurvival(model, adjustment="level", **options)


class TestConformalize:
    def test_it_is_the_array_core_on_the_models_curves(self, simulate, true_model):
        X, y = simulate(300, 0)
        X_new, _ = simulate(50, 1)
        post = level_model(true_model).conformalize(X, y)
        survival = SurvivalCurves(*true_model(X)).survival_at_observed(y.time)
        moved = conformal_levels(survival, LEVELS, y.event, censoring="self-consistent")
        assert_array_equal(post.adjusted_levels_, moved)
        assert_array_equal(post.adjustment_.levels, LEVELS)
        q = SurvivalCurves(*true_model(X_new))._times_at(moved)
        curves = post.predict_survival_function(X_new)
        assert_allclose(curves.percentile_times(LEVELS), q)
        assert curves.n_rearranged == curves.n_clipped == 0
        assert post.n_conformal_ == 300
        assert post.kaplan_meier_ == KaplanMeier(y)
        assert not hasattr(post, "shifts_")

    def test_self_consistent(self, simulate, true_model):
        X, y = simulate(300, 0)
        post = level_model(true_model, censoring="self-consistent").conformalize(X, y)
        survival = SurvivalCurves(*true_model(X)).survival_at_observed(y.time)
        moved = conformal_levels(survival, LEVELS, y.event, censoring="self-consistent")
        assert_array_equal(post.adjusted_levels_, moved)
        assert post.adjustment_.censoring == "self-consistent"

    def test_a_stretched_model_becomes_calibrated(self, simulate, true_model):
        X, y = simulate(2000, 2, censored=False)
        X_test, y_test = simulate(2000, 3, censored=False)

        def stretched(X):
            return true_model(X, stretch=1.6)

        raw = d_calibration(y_test, SurvivalCurves(*stretched(X_test)))
        post = level_model(stretched).conformalize(X, y)
        new = d_calibration(y_test, post.predict_survival_function(X_test))
        assert float(new) < float(raw) / 50
        assert new.p_value > 0.001

    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    def test_the_conformal_set_counts_k_at_every_level(
        self, simulate, true_model, interpolation
    ):
        # Events that no level splits: the adjusted curves count exactly k of them at
        # each level; between levels D-cal sees no more than the grid does.
        X, y = simulate(399, 0, censored=False)
        times, survival = true_model(X, stretch=1.4)

        def model(rows):
            return SurvivalCurves(times, survival[: len(rows)], interpolation)

        post = level_model(model).conformalize(X, y)
        result = d_calibration(y, post.predict_survival_function(X), n_bins=20)
        count = result.cumulative * 399
        ranks = np.array([rank(level, 399) for level in LEVELS])
        ties = 1 if interpolation == "step" else 0  # equal steps of two subjects
        assert (count >= ranks - 1e-9).all()
        assert (count < ranks + 1 + ties).all()

    def test_events_past_the_curves_and_before_they_fall(self):
        # S(t) is 0 for half of the subjects and 1 for the others: every level is read
        # at 0 or 1, and the curves drop at their end or at once.
        def model(X):
            return [4.0, 8.0], np.tile([1.0, 0.0], (len(X), 1))

        X = np.zeros((9, 1))
        y = (np.ones(9), np.array([9.0] * 5 + [3.0] * 4))
        post = level_model(model, percentiles=[0.2, 0.5, 0.8]).conformalize(X, y)
        assert_array_equal(post.adjusted_levels_, [0, 0, 1])
        assert_array_equal(post.predict_quantile(X[:1], [0.2, 0.5, 0.8]), [[8, 8, 0]])
        curves = post.predict_survival_function(X[:1])
        assert_array_equal(curves.survival_at([0, 4, 8]).ravel()[[0, 2]], [0.8, 0.2])

    def test_curves_that_never_drop_stay_infinite(self):
        def model(X):
            return [4.0], X[:, :1]

        X = np.r_[np.zeros(20), np.ones(2)][:, None]
        y = (np.ones(22), np.linspace(0.5, 3.9, 22))
        post = level_model(model, percentiles=3).conformalize(X, y)
        assert_array_equal(post.predict(X[-1:]), [-np.inf])
        assert np.isfinite(post.predict(X[:1])).all()

    def test_a_frozen_model(self, simulate):
        X, y = simulate(200, 0)
        X_cal, y_cal = simulate(150, 1)
        cox = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        frozen = level_model(FrozenEstimator(cox)).fit(X_cal, y_cal)
        plain = level_model(cox).conformalize(X_cal, y_cal)
        assert_array_equal(frozen.adjusted_levels_, plain.adjusted_levels_)


class TestFit:
    @pytest.mark.parametrize(
        "policy", ["validation", "train+validation", "train", "half", "cross"]
    )
    def test_every_policy(self, simulate, policy):
        X, y = simulate(200, 0)
        post = level_model(
            CoxPHSurvivalAnalysis(), conformal_set=policy, random_state=0
        ).fit(X, y)
        expected = {"validation": 20, "half": 100}.get(policy, 200)
        assert post.n_conformal_ == expected
        assert (np.diff(post.adjusted_levels_) >= 0).all()
        assert post.predict(X[:5]).shape == (5,)

    def test_a_fit_of_the_other_kind_leaves_nothing_behind(self, simulate):
        X, y = simulate(100, 0)
        post = ConformalSurvival(CoxPHSurvivalAnalysis()).fit(X, y)
        post.set_params(adjustment="level").fit(X, y)
        assert not hasattr(post, "shifts_")
        post.set_params(adjustment="time").fit(X, y)
        assert not hasattr(post, "adjusted_levels_")

    def test_chunks_do_not_show(self, simulate, true_model, monkeypatch):
        X, y = simulate(100, 0)
        whole = level_model(true_model).conformalize(X, y)
        predicted = whole.predict(X)
        monkeypatch.setattr("consurv.conformal.reading.raw_model.CHUNK_ROWS", 7)
        parts = level_model(true_model).conformalize(X, y)
        assert_array_equal(parts.adjusted_levels_, whole.adjusted_levels_)
        assert_array_equal(parts.predict(X), predicted)


class TestParameters:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"censoring": "margin"}, "'margin' goes with adjustment='time'"),
            ({"censoring": FromEstimator(None)}, "choose one of: uniform, self-cons"),
            ({"n_samples": 100}, "n_samples=100 goes with adjustment='time'"),
        ],
    )
    def test_what_speaks_of_times_is_refused(self, simulate, true_model, options, said):
        with pytest.raises(InvalidInput, match=said):
            level_model(true_model, **options).conformalize(*simulate(50, 0))

    def test_uniform_is_a_rule_for_levels_only(self, simulate, true_model):
        X, y = simulate(100, 0)
        named = level_model(true_model, censoring="uniform").conformalize(X, y)
        survival = SurvivalCurves(*true_model(X)).survival_at_observed(y.time)
        moved = conformal_levels(survival, LEVELS, y.event)
        assert_array_equal(named.adjusted_levels_, moved)
        with pytest.raises(InvalidInput, match="unknown censoring rule 'uniform'"):
            ConformalSurvival(true_model, censoring="uniform").conformalize(X, y)

    def test_prediction_before_conformalizing_names_the_missing_step(self, true_model):
        with pytest.raises(NotConformalizedError, match="no adjustment yet"):
            level_model(true_model).predict(np.zeros((2, 3)))
