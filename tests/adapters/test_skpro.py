"""skpro's survival regressors, against lifelines, which they stand on."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from consurv import ConformalSurvival, InvalidInput
from consurv.adapters import adapter_for

aft = pytest.importorskip("skpro.survival.aft")


def frame_of(small):
    return pd.DataFrame(small.X, columns=list("abc"))


def test_censoring_is_turned_round(small):
    """A model that took events for censorings would live far longer or shorter."""
    lifelines = pytest.importorskip("lifelines")
    X = frame_of(small)
    ours = adapter_for(aft.AFTWeibull()).fit(aft.AFTWeibull(), X, small.y)
    theirs = lifelines.WeibullAFTFitter()
    adapter_for(theirs).fit(theirs, X, small.y)
    levels = [0.9, 0.5, 0.1]
    found = adapter_for(ours).curves(ours, X).percentile_times(levels)
    expected = adapter_for(theirs).curves(theirs, X).percentile_times(levels)
    assert_allclose(found, expected, rtol=1e-3)


def test_quantiles_before_time_0_are_0(small):
    compose = pytest.importorskip("skpro.survival.compose")
    residual = pytest.importorskip("skpro.regression.residual")
    model = compose.ConditionUncensored(residual.ResidualDouble(LinearRegression()))
    adapter_for(model).fit(model, frame_of(small), small.y)
    curves = adapter_for(model).curves(model, frame_of(small))
    assert (curves.percentile_times([0.99]) >= 0).all()


def test_rows_are_taken_by_place(small):
    X = frame_of(small)
    X.index = np.arange(len(X))[::-1] * 3
    model = ConformalSurvival(aft.AFTWeibull(), adjustment="time", random_state=0)
    assert model.fit(X, small.y).score(X, small.y) > 0.6


def test_a_regressor_without_censoring_is_refused(small):
    residual = pytest.importorskip("skpro.regression.residual")
    model = residual.ResidualDouble(LinearRegression())
    with pytest.raises(InvalidInput, match=r"knows no censoring.*ConditionUncensored"):
        ConformalSurvival(model).fit(small.X, small.y)
