import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lifelines import WeibullAFTFitter
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sksurv.linear_model import CoxPHSurvivalAnalysis

from consurv import (
    CalibrationWarning,
    ConformalSurvival,
    InvalidInput,
    KaplanMeier,
    NotConformalizedError,
    Outcome,
    SurvivalCurves,
    adjust,
    conformal_shifts,
)
from consurv.metrics import d_calibration

LEVELS = np.arange(1, 20) / 20


def stretched(true_model, factor=1.6):
    return lambda X: true_model(X, stretch=factor)


class TestConformalizeAFittedModel:
    def test_it_is_the_array_core_on_the_models_percentile_times(
        self, simulate, true_model
    ):
        X, y = simulate(300, 0)
        X_new, _ = simulate(50, 1)
        post = ConformalSurvival(true_model, adjustment="time").conformalize(X, y)
        q = SurvivalCurves(*true_model(X)).percentile_times(LEVELS)
        shifts = conformal_shifts(q, LEVELS, y)
        np.testing.assert_array_equal(post.shifts_, shifts)
        by_hand = adjust(
            SurvivalCurves(*true_model(X_new)).percentile_times(LEVELS), LEVELS, shifts
        )
        curves = post.predict_survival_function(X_new)
        np.testing.assert_array_equal(curves.times, by_hand.times)
        assert post.n_conformal_ == 300
        assert post.conformal_set_ == "given"
        assert post.kaplan_meier_ == KaplanMeier(y)

    def test_a_stretched_model_becomes_calibrated(self, simulate, true_model):
        X, y = simulate(2000, 0, censored=False)
        X_test, y_test = simulate(2000, 1, censored=False)
        model = stretched(true_model)
        raw = d_calibration(y_test, SurvivalCurves(*model(X_test)))
        post = ConformalSurvival(model, adjustment="time").conformalize(X, y)
        new = d_calibration(y_test, post.predict_survival_function(X_test))
        assert float(new) < float(raw) / 50
        assert new.p_value > 0.001

    def test_fitted_models_of_other_libraries_are_taken_as_they_are(self, simulate):
        X, y = simulate(200, 0)
        X_cal, y_cal = simulate(150, 1)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        table = frame.assign(time=y.time, event=y.event)
        aft = WeibullAFTFitter().fit(table, "time", "event")
        cox = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        for model, features in (
            (aft, pd.DataFrame(X_cal, columns=["a", "b", "c"])),
            (cox, X_cal),
            (FrozenEstimator(cox), X_cal),
            (FrozenEstimator(aft), pd.DataFrame(X_cal, columns=["a", "b", "c"])),
        ):
            post = ConformalSurvival(model).conformalize(features, y_cal)
            assert post.estimator_ is model
            assert post.predict_survival_function(features).median().shape == (150,)

    def test_fit_on_a_frozen_model_conformalizes_only(self, simulate):
        X, y = simulate(200, 0)
        X_cal, y_cal = simulate(150, 1)
        cox = CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        coefficients = cox.coef_.copy()
        frozen = ConformalSurvival(FrozenEstimator(cox), adjustment="time").fit(
            X_cal, y_cal
        )
        plain = ConformalSurvival(cox, adjustment="time").conformalize(X_cal, y_cal)
        np.testing.assert_array_equal(frozen.shifts_, plain.shifts_)
        np.testing.assert_array_equal(cox.coef_, coefficients)
        with pytest.raises(InvalidInput, match="frozen and needs no validation set"):
            ConformalSurvival(FrozenEstimator(cox)).fit(X_cal, y_cal, X, y)

    def test_after_fit_the_trained_model_is_conformalized_anew(self, simulate):
        X, y = simulate(200, 0)
        X_cal, y_cal = simulate(150, 1)
        post = ConformalSurvival(CoxPHSurvivalAnalysis(), adjustment="time").fit(X, y)
        model, before = post.estimator_, post.shifts_
        post.conformalize(X_cal, y_cal)
        assert post.estimator_ is model
        assert not np.array_equal(post.shifts_, before)

    @pytest.mark.parametrize("model", [CoxPHSurvivalAnalysis(), WeibullAFTFitter()])
    def test_an_unfitted_model_is_refused(self, simulate, model):
        with pytest.raises(NotConformalizedError, match=r"is not fitted: call fit"):
            ConformalSurvival(model).conformalize(*simulate(50, 0))

    def test_a_function_cannot_be_trained(self, simulate, true_model):
        with pytest.raises(InvalidInput, match="use conformalize"):
            ConformalSurvival(true_model).fit(*simulate(50, 0))


class TestKaplanMeierSource:
    def test_training_outcomes_by_default(self, simulate):
        X, y = simulate(200, 0)
        X_val, y_val = simulate(100, 1)
        post = ConformalSurvival(
            CoxPHSurvivalAnalysis(), conformal_set="validation"
        ).fit(X, y, X_val, y_val)
        assert post.kaplan_meier_ == KaplanMeier(y)

    def test_conformal_outcomes_or_a_given_curve_on_request(self, simulate):
        X, y = simulate(200, 0)
        X_val, y_val = simulate(100, 1)
        own = KaplanMeier(simulate(80, 2)[1])
        for choice, expected in (("conformal", KaplanMeier(y_val)), (own, own)):
            post = ConformalSurvival(
                CoxPHSurvivalAnalysis(),
                conformal_set="validation",
                kaplan_meier=choice,
            ).fit(X, y, X_val, y_val)
            assert post.kaplan_meier_ == expected

    def test_pseudo_observations_know_who_belongs_to_the_sample(self, simulate):
        # Training subjects are members of the training curve, validation subjects are
        # not; the two formulas differ.
        X, y = simulate(60, 0)
        X_val, y_val = simulate(40, 1)
        post = ConformalSurvival(
            CoxPHSurvivalAnalysis(),
            conformal_set="train+validation",
            censoring="pseudo-observation",
        ).fit(X, y, X_val, y_val)
        km = KaplanMeier(y)
        surrogate = np.concatenate(
            [
                np.where(y.event, y.time, km.member_pseudo_observations(y)),
                np.where(
                    y_val.event, y_val.time, km.outsider_pseudo_observations(y_val)
                ),
            ]
        )
        both = np.concatenate([X, X_val])
        functions = post.estimator_.predict_survival_function(both)
        curves = SurvivalCurves.from_step_functions(functions)
        scores = np.sort(curves.percentile_times([0.5])[:, 0] - surrogate)
        assert post.shifts_[9] == scores[int(np.ceil(0.5 * 101)) - 1]


class TestPredictions:
    @pytest.fixture
    def post(self, simulate, true_model):
        return ConformalSurvival(true_model).conformalize(*simulate(400, 0))

    def test_quantiles_and_intervals_come_from_the_curves(self, post, simulate):
        X, _ = simulate(30, 1)
        curves = post.predict_survival_function(X)
        np.testing.assert_array_equal(
            post.predict_quantile(X, [0.9, 0.5, 0.12]),
            curves.percentile_times([0.9, 0.5, 0.12]),
        )
        interval = post.predict_interval(X, coverage=0.9)
        np.testing.assert_allclose(interval, curves.percentile_times([0.95, 0.05]))
        assert (interval[:, 0] < interval[:, 1]).all()

    def test_risk_is_minus_the_median(self, post, simulate):
        X, y = simulate(30, 1)
        np.testing.assert_array_equal(
            post.predict(X), -post.predict_survival_function(X).median()
        )
        assert 0.5 < post.score(X, y) <= 1

    def test_intervals_cover_fresh_subjects(self, simulate, true_model):
        model = stretched(true_model)
        post = ConformalSurvival(model).conformalize(*simulate(999, 0, censored=False))
        X, y = simulate(20_000, 1, censored=False)
        low, high = post.predict_interval(X, coverage=0.8).T
        inside = ((y.time >= low) & (y.time < high)).mean()
        # The conformal set's own error: about sqrt(0.8 * 0.2 / 999) = 0.013.
        assert inside == pytest.approx(0.8, abs=0.04)

    @pytest.mark.parametrize("coverage", [0, 1, 90, "0.9"])
    def test_a_bad_coverage_is_refused(self, post, simulate, coverage):
        with pytest.raises(InvalidInput, match="coverage="):
            post.predict_interval(simulate(5, 1)[0], coverage=coverage)

    def test_chunks_do_not_show(self, post, simulate, monkeypatch):
        X, _ = simulate(100, 1)
        whole = post.predict_survival_function(X)
        monkeypatch.setattr("consurv.conformal.reading.raw_model.CHUNK_ROWS", 7)
        np.testing.assert_array_equal(
            post.predict_survival_function(X).times, whole.times
        )

    def test_wrong_features_are_refused(self, post, simulate):
        X, _ = simulate(20, 1)
        with pytest.raises(ValueError, match="expecting 3 features"):
            post.predict(X[:, :2])
        with pytest.raises(InvalidInput, match="Reshape your data"):
            post.predict(X[0])

    def test_feature_names_are_remembered(self, simulate, true_model):
        X, y = simulate(60, 0)
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        post = ConformalSurvival(true_model).conformalize(frame, y)
        assert post.feature_names_in_.tolist() == ["a", "b", "c"]
        with pytest.raises(ValueError, match="feature names"):
            post.predict(frame.rename(columns={"a": "z"}))

    def test_prediction_before_conformalizing_names_the_missing_step(self, true_model):
        for error in (NotConformalizedError, NotFittedError):
            with pytest.raises(error, match=r"call fit\(X, y\), or conformalize"):
                ConformalSurvival(true_model).predict(np.zeros((2, 3)))


@pytest.mark.slow
def test_memory_is_bounded_by_the_percentile_times(simulate):
    """10⁵ subjects with 1,000-point curves: twice the matrix plus 200 MB."""
    times = np.linspace(0.1, 60, 1000)

    def model(X):
        return times, np.exp(-times / (20 * np.exp(0.3 * X[:, :1])))

    X_cal, y_cal = simulate(1000, 0)
    post = ConformalSurvival(model).conformalize(X_cal, y_cal)
    X = np.random.default_rng(1).normal(size=(100_000, 3))
    tracemalloc.start()
    curves = post.predict_survival_function(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(curves) == 100_000
    assert peak <= 2 * (100_000 * 19 * 8) + 200e6


class TestInputForms:
    def test_every_form_gives_the_same_shifts(self, simulate):
        X, y = simulate(120, 0)
        names = ["a", "b", "c"]
        index = np.random.default_rng(0).permutation(120)
        frame = pd.DataFrame(X, columns=names, index=index)
        target = pd.DataFrame({"event": y.event, "time": y.time}, index=index[::-1])
        model = ConformalSurvival(
            CoxPHSurvivalAnalysis(alpha=0.1), adjustment="time", random_state=0
        )
        expected = model.fit(X, y).shifts_
        for features, outcome in (
            (X.tolist(), (y.event.tolist(), y.time.tolist())),
            (frame, target),
            (np.asfortranarray(X), y.to_structured()),
            (X.astype(">f8"), (y.event.astype(int), y.time.astype(">f8"))),
        ):
            np.testing.assert_allclose(model.fit(features, outcome).shifts_, expected)

    def test_polars(self, simulate, true_model):
        X, y = simulate(120, 0)
        expected = ConformalSurvival(true_model, adjustment="time").conformalize(X, y)
        post = ConformalSurvival(
            lambda X: true_model(X.to_numpy()), adjustment="time"
        ).conformalize(
            pl.DataFrame(X, schema=["a", "b", "c"]),
            pl.DataFrame({"event": y.event, "time": y.time}),
        )
        np.testing.assert_array_equal(post.shifts_, expected.shifts_)

    def test_lengths_must_agree(self, simulate, true_model):
        X, y = simulate(50, 0)
        post = ConformalSurvival(true_model, adjustment="time")
        with pytest.raises(InvalidInput, match="X has 49, y has 50"):
            post.conformalize(X[1:], y)

    def test_validation_sets_come_in_pairs(self, simulate):
        X, y = simulate(50, 0)
        with pytest.raises(InvalidInput, match="y_val is missing"):
            ConformalSurvival(CoxPHSurvivalAnalysis()).fit(X, y, X_val=X)
        with pytest.raises(InvalidInput, match="X_val is missing"):
            ConformalSurvival(CoxPHSurvivalAnalysis()).fit(X, y, y_val=y)

    def test_a_set_without_events_is_refused(self, simulate, true_model):
        X, y = simulate(50, 0)
        nobody = Outcome(time=y.time, event=np.zeros(50))
        with pytest.raises(InvalidInput, match="no event"):
            ConformalSurvival(true_model, adjustment="time").conformalize(X, nobody)

    def test_one_subject_is_refused(self, simulate, true_model):
        X, y = simulate(50, 0)
        with pytest.raises(InvalidInput, match="n_samples = 1"):
            ConformalSurvival(true_model).conformalize(X[:1], y[:1])

    def test_a_failed_fit_leaves_no_state(self, simulate, true_model):
        X, y = simulate(50, 0)
        post = ConformalSurvival(true_model)
        with pytest.raises(InvalidInput):
            post.conformalize(X[:1], y[:1])
        assert not hasattr(post, "n_features_in_")
        with pytest.raises(NotConformalizedError):
            post.predict(X)


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("percentiles", 0, "whole number >= 1"),
            ("percentiles", [0.5, 1.5], "strictly between 0 and 1"),
            ("percentiles", [0.5, 0.5], "distinct"),
            ("adjustment", "risk", "unknown adjustment 'risk'. Choose one of: auto, t"),
            ("censoring", "kaplan-maier", "did you mean 'kaplan-meier'"),
            ("censoring", 3, "neither a name"),
            ("n_samples", 0, "whole number >= 1"),
            ("kaplan_meier", "test", "'train', 'conformal'"),
            ("conformal_set", "test", "'validation'"),
            ("validation_fraction", 1.0, "strictly between 0 and 1"),
            ("n_folds", 1, "whole number >= 2"),
            ("n_jobs", 0, "one of None, -1 or a whole number >= 1"),
            ("verbose", -1, "one of True, False or a whole number >= 0"),
            ("time_unit", 12, "time_unit=12"),
            ("rearrange", "sort", "'exact'"),
        ],
    )
    def test_bad_values_are_named(self, simulate, true_model, name, value, said):
        post = ConformalSurvival(true_model).set_params(**{name: value})
        with pytest.raises(InvalidInput, match=said):
            post.conformalize(*simulate(50, 0))

    def test_explicit_levels_are_sorted(self, simulate, true_model):
        post = ConformalSurvival(true_model, percentiles=[0.9, 0.5, 0.1])
        post.conformalize(*simulate(50, 0))
        np.testing.assert_array_equal(post.levels_, [0.1, 0.5, 0.9])

    def test_levels_without_the_median_are_warned_about(self, simulate, true_model):
        with pytest.warns(CalibrationWarning, match="0.5 is not among the levels"):
            ConformalSurvival(true_model, percentiles=4).conformalize(*simulate(50, 0))

    def test_too_few_subjects_for_a_level_are_recorded(self, simulate, true_model):
        X, y = simulate(9, 0)
        with pytest.warns(CalibrationWarning, match="too few for the levels 0.95"):
            post = ConformalSurvival(true_model, adjustment="time").conformalize(X, y)
        assert post.adjustment_.levels[post.adjustment_.beyond].tolist() == [0.95]

    def test_samples_are_seeded(self, simulate, true_model):
        X, y = simulate(100, 0)
        shifts = [
            ConformalSurvival(
                true_model, censoring="kaplan-meier", n_samples=5, random_state=seed
            )
            .conformalize(X, y)
            .shifts_
            for seed in (0, 0, 1)
        ]
        np.testing.assert_array_equal(shifts[0], shifts[1])
        assert not np.array_equal(shifts[0], shifts[2])


def test_one_option_brings_back_the_default_of_0_1_0(simulate):
    X, y = simulate(200, 0)
    model = CoxPHSurvivalAnalysis(alpha=0.1)
    alone = ConformalSurvival(model, conformal_set="paper").fit(X, y)
    spelt = ConformalSurvival(model, adjustment="time", conformal_set="paper")
    np.testing.assert_array_equal(alone.shifts_, spelt.fit(X, y).shifts_)
    assert alone.conformal_set_ == "train"
    other = ConformalSurvival(model, adjustment="level", conformal_set="paper")
    assert not hasattr(other.fit(X, y), "shifts_")


def test_curves_that_never_drop_stay_infinite(simulate, true_model):
    """They are counted and warned about, and poison nobody else."""
    X, y = simulate(100, 0)

    def model(X):
        times, survival = true_model(X)
        survival[np.asarray(X)[:, 2] > 5] = 1.0
        return times, survival

    plain = ConformalSurvival(true_model, adjustment="time").conformalize(X, y)
    with_one = X.copy()
    with_one[3, 2] = 9
    with pytest.warns(CalibrationWarning, match="1 subjects have infinite"):
        post = ConformalSurvival(model, adjustment="time").conformalize(with_one, y)
    rest = np.delete(np.arange(100), 3)
    expected = conformal_shifts(
        SurvivalCurves(*true_model(X[rest])).percentile_times(LEVELS),
        LEVELS,
        y[rest],
        kaplan_meier=plain.kaplan_meier_,
    )
    np.testing.assert_array_equal(post.shifts_, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        median = post.predict_survival_function(with_one[2:5]).median()
    assert np.isfinite(median).tolist() == [True, False, True]
