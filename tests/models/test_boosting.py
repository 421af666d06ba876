import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.adapters import adapter_for
from consurv.datasets import TableEncoder, load_dataset
from consurv.errors import InvalidInput
from consurv.models import GradientBoosting
from consurv.outcome import Outcome


def theirs(X, y, **params):
    """Train scikit-survival's model on the same data, centred."""
    ensemble = pytest.importorskip("sksurv.ensemble")
    model = ensemble.ComponentwiseGradientBoostingSurvivalAnalysis(**params)
    return model.fit(X - X.mean(axis=0), y.to_structured())


def naive(X, y, n_estimators, learning_rate):
    """The same from the definition, subject by subject and feature by feature."""
    X, coef = X - X.mean(axis=0), np.zeros(X.shape[1])
    for _ in range(n_estimators):
        risk, gradient = np.exp(X @ coef), y.event.astype(float)
        for t in y.time[y.event]:
            at_risk = y.time >= t
            gradient -= at_risk * risk / risk[at_risk].sum()
        slopes = [x @ gradient / (x @ x) for x in X.T]
        fits = (slope * x for slope, x in zip(slopes, X.T, strict=True))
        errors = [np.sum((gradient - fit) ** 2) for fit in fits]
        best = int(np.argmin(errors))
        coef[best] += learning_rate * slopes[best]
    return coef


@pytest.fixture
def tied(simulated):
    """Whole-number times, and features off centre and of different size."""
    X, y = simulated
    return X * [1.0, 3.0, 0.2] + [0.5, -2.0, 0.0], Outcome(np.ceil(4 * y.time), y.event)


class TestAgainstScikitSurvival:
    @pytest.mark.parametrize("data", ["simulated", "tied"])
    def test_it_has_the_same_coefficients(self, data, request):
        X, y = request.getfixturevalue(data)
        expected = theirs(X, y).coef_
        assert expected[0] == pytest.approx(0, abs=1e-12)  # their intercept
        assert_allclose(GradientBoosting().fit(X, y).coef_, expected[1:], atol=1e-10)

    def test_it_has_the_same_curves(self, tied):
        X, y = tied
        model = theirs(X, y, n_estimators=30)
        expected = adapter_for(model).curves(model, X - X.mean(axis=0))
        ours = GradientBoosting(n_estimators=30).fit(X, y)
        curves = ours.predict_survival_function(X)
        assert_allclose(
            curves.survival_at(y.time), expected.survival_at(y.time), atol=1e-12
        )

    def test_it_takes_other_settings_alike(self, tied):
        X, y = tied
        params = {"n_estimators": 40, "learning_rate": 0.7}
        ours = GradientBoosting(**params).fit(X, y)
        assert_allclose(ours.coef_, theirs(X, y, **params).coef_[1:], atol=1e-10)

    def test_it_chooses_the_first_of_equal_features_and_no_constant(self, simulated):
        X, y = simulated
        X = np.column_stack([np.zeros(200), np.full(200, 0.1), X[:, 0], X])
        coef = GradientBoosting().fit(X, y).coef_
        assert_allclose(coef, theirs(X, y).coef_[1:], atol=1e-10)
        assert coef[2] != 0
        assert_array_equal(coef[[0, 1, 3]], 0)

    @pytest.mark.parametrize("name", ["VALCT", "PBC"])
    def test_it_is_the_same_on_real_data(self, name):
        pytest.importorskip("survival")
        data = load_dataset(name)
        X = TableEncoder().fit_transform(data.X).to_numpy()
        expected = theirs(X, data.outcome).coef_[1:]
        ours = GradientBoosting().fit(X, data.outcome)
        assert_allclose(ours.coef_, expected, atol=1e-10)

    @pytest.mark.slow
    def test_it_is_the_same_with_7399_features(self):
        pytest.importorskip("SurvSet", reason="DLBCL comes with the package SurvSet")
        data = load_dataset("DLBCL")
        X = data.X.to_numpy(float)
        expected = theirs(X, data.outcome, n_estimators=10).coef_[1:]
        ours = GradientBoosting(n_estimators=10).fit(X, data.outcome)
        assert_allclose(ours.coef_, expected, atol=1e-10)


class TestGradientBoosting:
    @pytest.mark.parametrize("offset", [1000.0, -1e6, 1e9])
    def test_does_not_depend_on_where_zero_is(self, simulated, offset):
        X, y = simulated
        plain, moved = (
            GradientBoosting().fit(X, y),
            GradientBoosting().fit(X + offset, y),
        )
        assert_allclose(moved.coef_, plain.coef_, atol=1e-15 * abs(offset) + 1e-12)
        assert moved.score(X + offset, y) == pytest.approx(plain.score(X, y), abs=1e-6)
        found = moved.predict_survival_function(X + offset).survival_at([1.0])
        expected = plain.predict_survival_function(X).survival_at([1.0])
        assert_allclose(found, expected, atol=1e-5)

    def test_does_not_depend_on_units(self, simulated):
        X, y = simulated
        units = np.array([1e-9, 1.0, 1e12])
        found = GradientBoosting().fit(X * units, y)
        assert_allclose(found.coef_ * units, GradientBoosting().fit(X, y).coef_)

    def test_follows_the_definition(self, tied):
        X, y = tied
        coef = GradientBoosting(n_estimators=5, learning_rate=0.5).fit(X, y).coef_
        assert_allclose(coef, naive(X, y, 5, 0.5), atol=1e-12)

    def test_needs_no_scikit_survival(self, simulated, monkeypatch):
        monkeypatch.setitem(sys.modules, "sksurv.ensemble", None)
        assert GradientBoosting().fit(*simulated).score(*simulated) > 0.7

    def test_approaches_the_maximum_of_the_likelihood(self, simulated):
        from consurv.models import CoxPH

        X, y = simulated
        coef = GradientBoosting(n_estimators=3000).fit(X, y).coef_
        assert_allclose(coef, CoxPH(penalty=1e-9).fit(X, y).coef_, atol=1e-4)

    @pytest.mark.parametrize("power", [-600, 600])
    def test_does_not_care_for_the_unit_of_a_feature(self, simulated, power):
        X, y = simulated
        scaled = X * [1.0, 2.0**power, 1.0]
        expected = GradientBoosting().fit(X, y).coef_ * [1.0, 2.0**-power, 1.0]
        assert_array_equal(GradientBoosting().fit(scaled, y).coef_, expected)

    def test_bears_steps_that_are_much_too_long(self, simulated):
        X, y = simulated
        model = GradientBoosting(learning_rate=1e4).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert not np.isnan(model.predict_survival_function(X).survival).any()

    def test_learns_nothing_from_constant_features(self, simulated):
        model = GradientBoosting().fit(np.zeros((200, 2)), simulated[1])
        assert_array_equal(model.coef_, 0)

    def test_regresses_on_the_drawn_subjects_alone(self):
        # One subject a stage: its slope is its own residual over its feature.
        X, y = np.array([[1.0], [-2.0], [1.0]]), Outcome([1, 2, 3], [1, 0, 0])
        params = {"n_estimators": 1, "learning_rate": 1.0, "subsample": 0.4}
        found = {
            GradientBoosting(random_state=seed, **params).fit(X, y).coef_[0]
            for seed in range(20)
        }
        assert_allclose(sorted(found), [-1 / 3, 1 / 6, 2 / 3])

    def test_draws_by_its_seed(self, simulated):
        X, y = simulated
        a, b, c, d = (
            GradientBoosting(subsample=0.5, random_state=seed).fit(X, y).coef_
            for seed in (1, 1, 2, np.random.default_rng(1))
        )
        assert_array_equal(a, b)
        assert_array_equal(a, d)
        assert (a != c).any()

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"n_estimators": 0}, "n_estimators=0 is not valid"),
            ({"learning_rate": 0}, "learning_rate=0 is not valid"),
            ({"subsample": 1.5}, "subsample=1.5 is not valid"),
            ({"random_state": "a"}, "random_state='a' is not valid"),
        ],
    )
    def test_checks_its_settings(self, simulated, params, message):
        with pytest.raises(InvalidInput, match=message):
            GradientBoosting(**params).fit(*simulated)
