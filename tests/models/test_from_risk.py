"""Curves of anything that ranks."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consurv import ConformalSurvival, InvalidInput
from consurv.models import CoxPH, FromRisk


def first(X):
    return np.asarray(X)[:, 0]


class TestSlope:
    def test_of_a_score_of_any_scale_is_that_of_a_cox_model(self, simulated):
        X, y = simulated
        cox = CoxPH(penalty=1e-4).fit(X[:, :1], y)
        expected = cox.predict_survival_function(X[:, :1]).median()
        for scale in (0.01, 1.0, -30.0):  # also where high means late
            model = FromRisk(lambda X, scale=scale: scale * X[:, 0]).fit(X, y)
            assert_allclose(model.slope_ * scale, cox.coef_[0], rtol=1e-6)
            found = model.predict_survival_function(X).median()
            assert_allclose(found, expected, rtol=1e-9)

    def test_may_be_given(self, simulated):
        model = FromRisk(first, slope=2).fit(*simulated)
        assert_allclose(model.predict(simulated[0]), 2 * simulated[0][:, 0])

    def test_that_is_no_number_is_refused(self, simulated):
        with pytest.raises(InvalidInput, match="slope='steep' is not valid"):
            FromRisk(first, slope="steep").fit(*simulated)


class TestModels:
    def test_frozen_regressor_is_taken_as_it_is(self, simulated):
        X, y = simulated
        regressor = LinearRegression().fit(X, np.log(y.time))
        before = regressor.coef_.copy()
        model = FromRisk(FrozenEstimator(regressor)).fit(X, y)
        assert model.slope_ < 0  # it predicts times
        assert model.score(X, y) > 0.6
        assert_allclose(regressor.coef_, before)

    def test_a_pipeline_ends_in_a_model_that_ranks(self, simulated):
        svm = pytest.importorskip("sksurv.svm")
        X, y = simulated
        steps = make_pipeline(StandardScaler(), svm.FastSurvivalSVM(random_state=0))
        assert FromRisk(steps).fit(X, y).score(X, y) > 0.6

    def test_tables_reach_the_model_as_they_are(self, simulated):
        X, y = simulated
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        model = FromRisk(lambda X: X["a"]).fit(frame, y)
        mixed = frame[["c", "b", "a"]]
        assert_allclose(model.predict(mixed), model.predict(frame))

    def test_in_conformal_survival(self, simulated):
        X, y = simulated
        model = ConformalSurvival(FromRisk(first), adjustment="time", random_state=0)
        assert model.fit(X, y).score(X, y) > 0.6


class TestRefusals:
    def test_a_plain_regressor_cannot_be_trained(self, simulated):
        with pytest.raises(InvalidInput, match=r"cannot be trained on times with cens"):
            FromRisk(LinearRegression()).fit(*simulated)

    def test_a_frozen_model_must_be_fitted(self, simulated):
        with pytest.raises(NotFittedError, match="inside FrozenEstimator is not fitt"):
            FromRisk(FrozenEstimator(LinearRegression())).fit(*simulated)

    def test_what_does_not_rank(self, simulated):
        with pytest.raises(InvalidInput, match="model is a int and gives no risk"):
            FromRisk(3).fit(*simulated)
        with pytest.raises(InvalidInput, match="gave 7 scores for 200 rows"):
            FromRisk(lambda X: np.zeros(7)).fit(*simulated)
        with pytest.raises(InvalidInput, match="gave as scores has 200 NaN"):
            FromRisk(lambda X: X[:, 0] * np.nan).fit(*simulated)

    def test_a_model_with_curves_alone(self, simulated):
        lifelines = pytest.importorskip("lifelines")
        with pytest.raises(InvalidInput, match="hand it to ConformalSurvival as it is"):
            FromRisk(lifelines.WeibullAFTFitter(penalizer=0.1)).fit(*simulated)

    def test_a_row_that_is_no_table(self, simulated):
        model = FromRisk(first).fit(*simulated)
        with pytest.raises(InvalidInput, match=r"X has shape \(3,\)"):
            model.predict(np.zeros(3))
