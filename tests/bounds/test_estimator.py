"""ConformalLowerBound as users meet it."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consurv import ConformalLowerBound, Outcome
from consurv.bounds import METHODS
from consurv.bounds.forest import NeighbourForest
from consurv.curves import chunks
from consurv.errors import CalibrationWarning, InvalidInput, NotConformalizedError
from consurv.models import CoxPH, WeibullAFT

# Curves of exponential laws are long, and bounds of little coverage go far.
pytestmark = pytest.mark.filterwarnings("ignore:.* bounds lie beyond")
FREE = [name for name, method in METHODS.items() if not method.needs_limit]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 2))
    time = rng.exponential(10 * np.exp(X[:, 0]))
    limit = rng.exponential(20 * np.exp(X[:, 1] / 2))
    return X, Outcome(np.minimum(time, limit), time <= limit), limit, time


def model(X):
    times = np.linspace(0.2, 90, 300)
    return times, np.exp(-times / (14 * np.exp(np.asarray(X)[:, :1])))


def censoring(X):
    times = np.linspace(0.2, 90, 300)
    return times, np.exp(-times / (20 * np.exp(np.asarray(X)[:, 1:2] / 2)))


def given(**settings):
    return ConformalLowerBound(model, censoring_model=censoring, **settings)


class TestFit:
    @pytest.mark.parametrize("method", FREE)
    def test_covers_about_as_asked(self, data, method):
        X, y, _, time = data
        bound = ConformalLowerBound(CoxPH(), method=method, random_state=0)
        bound.fit(X[:500], y[:500])
        covered = np.mean(time[500:] >= bound.predict_lower_bound(X[500:]))
        assert covered > 0.84
        assert bound.n_conformal_ == 250
        assert bound.weights_.largest >= 1
        assert 9 <= bound.weights_.effective_sample_size <= 500

    @pytest.mark.parametrize("name", ["cross", "holdout", "validation"])
    def test_other_rows_calibrate_as_asked(self, data, name):
        X, y, _, time = data
        bound = ConformalLowerBound(CoxPH(), conformal_set=name, random_state=0)
        bound.fit(X[:500], y[:500])
        assert np.mean(time[500:] >= bound.predict_lower_bound(X[500:])) > 0.82
        expected = {"cross": 500, "holdout": 100, "validation": 50}[name]
        assert bound.n_conformal_ == expected

    def test_out_of_fold_models_of_censoring_never_saw_their_rows(self, data):
        X, y, _, _ = data
        rows = np.c_[np.arange(60.0), X[:60, 0]]
        seen = []

        class Spy(CoxPH):
            def fit(self, X, y):
                self.mine_ = set(X[:, 0].tolist())
                return super().fit(X[:, 1:], y)

            def predict_survival_function(self, X):
                seen.append(self.mine_ & set(X[:, 0].tolist()))
                return super().predict_survival_function(X[:, 1:])

        ConformalLowerBound(
            Spy(), censoring_model=Spy(), conformal_set="cross", random_state=0
        ).fit(rows, y[:60])
        assert len(seen) >= 10
        assert not any(seen)

    def test_models_of_other_libraries(self, data):
        from lifelines import WeibullAFTFitter
        from sksurv.linear_model import CoxPHSurvivalAnalysis

        X, y, _, time = data
        bound = ConformalLowerBound(
            CoxPHSurvivalAnalysis(),
            censoring_model=WeibullAFTFitter(),
            event_model=WeibullAFT(),
            random_state=0,
        ).fit(X[:500], y[:500])
        assert np.mean(time[500:] >= bound.predict_lower_bound(X[500:])) > 0.84
        assert type(bound.event_model_).__name__ == "WeibullAFT"

    def test_a_pipeline_and_frames(self, data):
        X, y, _, _ = data
        frame = pd.DataFrame(X, columns=["a", "b"])
        bound = ConformalLowerBound(
            make_pipeline(StandardScaler(), CoxPH()), random_state=0
        )
        bound.fit(frame[:300], y[:300])
        assert bound.feature_names_in_.tolist() == ["a", "b"]
        one = bound.predict_lower_bound(frame[300:])
        assert (one == bound.predict_lower_bound(frame[300:][["b", "a"]])).all()

    def test_a_frozen_model_is_calibrated_by_all_rows(self, data):
        X, y, _, _ = data
        frozen = FrozenEstimator(CoxPH().fit(X[:300], y[:300]))
        bound = ConformalLowerBound(frozen, censoring_model=CoxPH(), random_state=0)
        assert bound.fit(X[300:], y[300:]).n_conformal_ == 400

    def test_the_seed_decides(self, data):
        X, y, _, _ = data
        bounds = [
            ConformalLowerBound(CoxPH(), method="dr-cosarc", random_state=seed)
            .fit(X[:300], y[:300])
            .predict_lower_bound(X[300:310])
            for seed in (0, 0, 1)
        ]
        assert (bounds[0] == bounds[1]).all()
        assert (bounds[0] != bounds[2]).any()


class TestConformalize:
    @pytest.mark.parametrize("method", list(METHODS))
    def test_every_method(self, data, method):
        X, y, limit, time = data
        known = limit[:500] if METHODS[method].needs_limit else None
        bound = given(method=method, random_state=0)
        bound.conformalize(X[:500], y[:500], censoring_time=known)
        assert np.mean(time[500:] >= bound.predict_lower_bound(X[500:])) > 0.85

    def test_an_unfitted_censoring_model_is_cross_fitted(self, data):
        X, y, _, time = data
        bound = ConformalLowerBound(model, censoring_model=CoxPH(), random_state=0)
        bound.conformalize(X[:500], y[:500])
        assert np.mean(time[500:] >= bound.predict_lower_bound(X[500:])) > 0.85
        # Rows keep their order while folds come and go.
        assert bound._sample.outcome == y[:500]
        direct = model(X[:500])[1][:, 4]
        assert np.allclose(
            bound._sample.model.survival_at([model(X)[0][4]])[:, 0], direct
        )

    def test_after_fit_the_trained_models_stay(self, data):
        X, y, _, _ = data
        bound = ConformalLowerBound(CoxPH(), random_state=0).fit(X[:300], y[:300])
        before, g = bound.estimator_, bound.censoring_model_
        bound.conformalize(X[300:], y[300:])
        assert bound.estimator_ is before
        assert bound.censoring_model_ is g
        assert bound.n_conformal_ == 400

    def test_any_coverage_can_be_asked_for_afterwards(self, data):
        X, y, _, _ = data
        bound = given().conformalize(X[:500], y[:500])
        some = [bound.predict_lower_bound(X, c) for c in (0.95, 0.9, 0.8, 0.5)]
        assert all((a <= b).all() for a, b in pairwise(some))
        same = given(coverage=0.8).conformalize(X[:500], y[:500])
        assert (same.predict_lower_bound(X) == some[2]).all()
        assert bound.bound_at(0.8).weights == same.weights_

    @pytest.mark.parametrize("method", list(METHODS))
    def test_without_censoring_no_censoring_model_is_asked(self, data, method):
        X, _, _, time = data

        def never(X):
            raise AssertionError

        y = Outcome(time, np.ones(700))
        bound = ConformalLowerBound(model, method=method, censoring_model=never)
        bound.conformalize(X, y)
        assert bound.censoring_model_ is None
        score = bound._sample.score
        if method != "fixed":
            assert bound.bound_.level == np.sort(score)[int(np.ceil(0.9 * 701)) - 1]


class TestConventions:
    def test_few_rows_at_once_where_curves_of_censoring_are_long(
        self, data, monkeypatch
    ):
        """Those of the event model may be a few numbers each."""
        X, y, _, _ = data
        fitted = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y)
        whole = fitted.predict_lower_bound(X)
        flagged = fitted.screen(X, 1.0, survival=0.5).selected
        asked, weights = [], NeighbourForest._weights

        def counted(self, rows):
            asked.append(len(rows))
            return weights(self, rows)

        monkeypatch.setattr(NeighbourForest, "_weights", counted)
        monkeypatch.setattr(chunks, "_CHUNK_VALUES", 1000)
        assert_array_equal(fitted.predict_lower_bound(X), whole)
        assert_array_equal(fitted.screen(X, 1.0, survival=0.5).selected, flagged)
        assert max(asked) < len(X) / 4

    def test_clone_and_parameters(self):
        bound = ConformalLowerBound(CoxPH(), method="ipcw", clip=0.9)
        same = clone(bound)
        assert same.get_params()["clip"] == 0.9
        assert same.set_params(method="fused", estimator__penalty=0.5).method == "fused"

    def test_pickles(self, data):
        X, y, _, _ = data
        bound = ConformalLowerBound(CoxPH(), random_state=0).fit(X[:300], y[:300])
        again = pickle.loads(pickle.dumps(bound))
        for coverage in (0.9, 0.7):
            one = bound.predict_lower_bound(X[300:], coverage)
            assert (one == again.predict_lower_bound(X[300:], coverage)).all()

    def test_is_fitted_when_it_is(self, data):
        X, y, _, _ = data
        bound = given()
        with pytest.raises(NotConformalizedError, match="not calibrated yet"):
            bound.predict_lower_bound(X)
        with pytest.raises(NotConformalizedError, match="not calibrated yet"):
            bound.screen(X, 1.0)
        assert bound.conformalize(X, y).__sklearn_is_fitted__()

    def test_times_may_have_any_unit(self, data):
        X, y, _, _ = data

        def scaled(function, unit):
            return lambda X: (function(X)[0] * unit, function(X)[1])

        one = given().conformalize(X, y).predict_lower_bound(X)
        unit = 2.0**20
        other = ConformalLowerBound(
            scaled(model, unit), censoring_model=scaled(censoring, unit)
        ).conformalize(X, Outcome(y.time * unit, y.event))
        assert np.allclose(other.predict_lower_bound(X), one * unit, rtol=1e-12)


class TestBadInput:
    @pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, np.nan, "0.9", None])
    def test_coverage(self, data, coverage):
        X, y, _, _ = data
        with pytest.raises(InvalidInput, match="coverage="):
            given(coverage=coverage).conformalize(X, y)
        bound = given().conformalize(X, y)
        if coverage is not None:
            with pytest.raises(InvalidInput, match="coverage="):
                bound.predict_lower_bound(X, coverage)

    def test_an_unknown_method(self, data):
        X, y, _, _ = data
        with pytest.raises(InvalidInput, match="did you mean 'aipcw'"):
            given(method="aipw").conformalize(X, y)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("clip", 1.0),
            ("cutoff", -1.0),
            ("least_seen", 0.0),
            ("n_folds", 1),
            ("conformal_set", "train"),
            ("stabilise", "yes"),
        ],
    )
    def test_settings(self, data, name, value):
        X, y, _, _ = data
        with pytest.raises(InvalidInput, match=f"{name}="):
            given(**{name: value}).conformalize(X, y)

    @pytest.mark.parametrize("method", ["fixed", "adaptive"])
    def test_censoring_times_are_needed(self, data, method):
        X, y, limit, _ = data
        with pytest.raises(InvalidInput, match="needs the censoring time of everybody"):
            given(method=method).conformalize(X, y)
        with pytest.raises(InvalidInput, match="needs the censoring time of everybody"):
            ConformalLowerBound(CoxPH(), method=method).fit(X, y)
        given(method=method).conformalize(X, y, censoring_time=limit)

    def test_censoring_times_go_with_the_outcomes(self, data):
        X, y, limit, _ = data
        bound = given(method="adaptive")
        with pytest.raises(InvalidInput, match="censoring_time"):
            bound.conformalize(X, y, censoring_time=limit[:-1])
        for wrong in (limit * 0.5, limit + 1, np.full(700, np.nan), -limit):
            with pytest.raises(InvalidInput, match="do not go with y"):
                bound.conformalize(X, y, censoring_time=wrong)
        never = np.where(y.event, np.inf, limit)
        bound.conformalize(X, y, censoring_time=never)

    def test_the_default_model_of_censoring_reads_numbers(self, data):
        X, y, _, _ = data
        ConformalLowerBound(model, random_state=0).conformalize(X, y)
        words = np.where(X > 0, "high", "low").astype(object)
        post = ConformalLowerBound(lambda X: model(np.zeros((len(X), 2))))
        with pytest.raises(InvalidInput, match="give censoring_model"):
            post.conformalize(words, y)

    def test_a_model_that_is_not_fitted(self, data):
        X, y, _, _ = data
        with pytest.raises(NotConformalizedError, match="CoxPH is not fitted"):
            ConformalLowerBound(CoxPH()).conformalize(X, y)

    @pytest.mark.parametrize("method", ["kaplan-meier", "aipcw", "ipcw"])
    def test_g_of_0_where_it_is_needed(self, data, method):
        X, y, _, _ = data

        def dead(X):
            return [0.05, 0.1], [[0.5, 0.0]] * len(X)

        bound = ConformalLowerBound(
            model, method=method, censoring_model=dead, least_seen=None
        )
        with pytest.raises(InvalidInput, match=r"G = 0|worth|no bound above 0"):
            bound.conformalize(X, y)

    def test_too_few_subjects(self, data):
        X, y, _, _ = data
        with pytest.raises(InvalidInput, match="at least 99 subjects"):
            given(coverage=0.99).conformalize(X[:50], y[:50])

    def test_nobody_with_an_event(self, data):
        X, y, _, _ = data
        lost = Outcome(y.time, np.zeros(700))
        with pytest.raises(InvalidInput, match="no event"):
            given().conformalize(X, lost)

    def test_nobody_censored_where_the_models_are_trained(self, data):
        X, y, _, time = data
        whole = Outcome(time, np.ones(700))
        bound = ConformalLowerBound(CoxPH(), random_state=0).fit(X[:300], whole[:300])
        assert bound.censoring_model_ is None
        # Later on some are: the model of censoring is fitted to them, out of fold.
        bound.conformalize(X[300:], y[300:])
        assert bound.censoring_model_ is not None

    def test_bounds_beyond_follow_up_are_told(self, data):
        X, y, _, _ = data
        late = np.array([[6.0, 0.0]])
        bound = given(least_seen=None).conformalize(X, y)
        with pytest.warns(CalibrationWarning, match="1 of 1 bounds lie beyond"):
            bound.predict_lower_bound(late, 0.5)

    def test_screening_beyond_follow_up(self, data):
        X, y, _, _ = data
        bound = given().conformalize(X, y)
        with pytest.raises(InvalidInput, match="beyond the follow-up"):
            bound.screen(X, 1e4)
        for wrong in (
            {"time": 0.0},
            {"time": 1.0, "fdr": 0.0},
            {"time": 1.0, "survival": 1.0},
        ):
            with pytest.raises(InvalidInput, match="is not valid"):
                bound.screen(X, **wrong)

    def test_other_features(self, data):
        X, y, _, _ = data
        bound = given().conformalize(X, y)
        with pytest.raises(ValueError, match="features"):
            bound.predict_lower_bound(X[:, :1])


class TestNoRows:
    @pytest.mark.parametrize("method", FREE)
    def test_have_no_bounds(self, data, method):
        X, y, _, _ = data
        bound = ConformalLowerBound(CoxPH(), method=method, random_state=0)
        bound.fit(X[:300], y[:300])
        assert bound.predict_lower_bound(X[:0]).shape == (0,)
        if METHODS[method].takes_weights:
            found = bound.predict_lower_bound(X[:0], sample_weight=[])
            assert found.shape == (0,)

    def test_are_screened(self, data):
        X, y, _, _ = data
        found = ConformalLowerBound(CoxPH(), random_state=0).fit(X, y).screen(X[:0], 2)
        for part in (found.selected, found.p_values, found.survival):
            assert part.shape == (0,)


class TestScreen:
    def test_flags_those_of_low_risk(self, data):
        X, y, _, time = data
        bound = given().conformalize(X[:500], y[:500])
        found = bound.screen(X[500:], 2.0, survival=0.8, fdr=0.2)
        assert 0 < found.selected.sum() < 200
        assert X[500:][found.selected, 0].mean() > X[500:][~found.selected, 0].mean()
        # 0.2 on average, of 176 subjects here.
        assert np.mean(time[500:][found.selected] <= 2.0) < 0.2 + 3 * 0.03
