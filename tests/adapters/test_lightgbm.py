"""LightGBM by the Cox likelihood."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import ConformalSurvival, InvalidInput, Outcome
from consurv.adapters import adapter_for
from consurv.adapters.cox_objective import CoxObjective
from consurv.models import FromRisk

lightgbm = pytest.importorskip("lightgbm")


def regressor(**settings):
    quiet = {"verbose": -1, "n_jobs": 1, "random_state": 0}
    return lightgbm.LGBMRegressor(**{"n_estimators": 20, **quiet, **settings})


class TestCoxObjective:
    def test_is_the_slope_of_the_partial_likelihood(self):
        rng = np.random.default_rng(0)
        y = Outcome(rng.integers(1, 9, 30), rng.random(30) < 0.7)
        scores = rng.normal(size=30)

        def loss(scores):
            at_risk = np.array([np.exp(scores[y.time >= t]).sum() for t in y.time])
            return (np.log(at_risk) - scores)[y.event].sum()

        gradient, curvature = CoxObjective(y)(None, scores)
        steps = 1e-5 * np.eye(30)
        expected = [(loss(scores + h) - loss(scores - h)) / 2e-5 for h in steps]
        assert_allclose(gradient, expected, atol=1e-6)
        second = [
            (loss(scores + 10 * h) - 2 * loss(scores) + loss(scores - 10 * h)) / 1e-8
            for h in steps
        ]
        assert (curvature >= np.array(second) - 1e-4).all()


class TestFromRisk:
    def test_ranks_and_lets_the_users_model_alone(self, small):
        model = regressor()
        ours = FromRisk(model).fit(small.X, small.y)
        assert ours.slope_ == 1
        assert ours.score(small.X, small.y) > 0.65
        assert model.objective is None
        assert not adapter_for(model).is_fitted(model)

    def test_can_be_trained_again(self, small):
        ours = FromRisk(regressor()).fit(small.X, small.y)
        again = FromRisk(ours.model_).fit(small.X, small.y)
        assert_allclose(again.predict(small.X), ours.predict(small.X))

    def test_stops_by_the_validation_set(self, small):
        X, y = small.X, small.y
        model = FromRisk(regressor(n_estimators=300, early_stopping_rounds=3))
        assert model.uses_validation
        model.fit(X[:100], y[:100], X[100:], y[100:])
        assert 0 < model.model_.best_iteration_ < 300

    def test_a_booster_is_taken_as_it_is(self, small):
        trained = FromRisk(regressor()).fit(small.X, small.y)
        booster = trained.model_.booster_
        model = FromRisk(booster, slope=1.0).fit(small.X, small.y)
        assert_allclose(model.predict(small.X), trained.predict(small.X))


def test_alone_it_is_refused_with_the_way_out(small):
    with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
        ConformalSurvival(regressor()).fit(small.X, small.y)
    fitted = regressor().fit(small.X, small.y.time)
    with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
        adapter_for(fitted).curves(fitted, small.X)
