import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from consurv.adapters import adapter_for
from consurv.adapters.frozen import ADAPTER

pytest.importorskip("lifelines")
pytest.importorskip("sksurv")

import lifelines
from sksurv.linear_model import CoxPHSurvivalAnalysis


def constant(X):
    return [1.0, 2.0], np.tile([0.5, 0.25], (len(X), 1))


@pytest.fixture(params=[CoxPHSurvivalAnalysis, lifelines.WeibullAFTFitter])
def model(request):
    return request.param()


class TestFrozenEstimator:
    def test_is_fitted_when_the_model_inside_is(self, model, small):
        assert not ADAPTER.is_fitted(FrozenEstimator(model))
        adapter_for(model).fit(model, small.X, small.y)
        assert ADAPTER.is_fitted(FrozenEstimator(model))

    def test_stays_as_it_is_through_clone_and_fit(self, model, small):
        adapter_for(model).fit(model, small.X, small.y)
        frozen = FrozenEstimator(model)
        before = adapter_for(model).curves(model, small.X).median()
        assert ADAPTER.clone(frozen) is frozen
        assert ADAPTER.fit(frozen, 5 * small.X[:20], small.y[:20]) is frozen
        assert not ADAPTER.takes_validation(frozen)
        after = ADAPTER.curves(frozen, small.X).median()
        np.testing.assert_array_equal(after, before)

    def test_a_model_that_is_not_fitted_is_refused(self, model, small):
        with pytest.raises(
            NotFittedError,
            match=f"the {type(model).__name__} inside FrozenEstimator is not fitted",
        ):
            ADAPTER.fit(FrozenEstimator(model), small.X, small.y)

    def test_a_function_may_be_inside(self, small):
        frozen = FrozenEstimator(constant)
        assert ADAPTER.is_fitted(frozen)
        assert ADAPTER.curves(frozen, small.X).median().tolist() == [1.0] * 160


class Quantiles:
    levels_ = np.array([0.5])

    def predict_percentile_times(self, X):
        return X[:, :1]

    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)


def test_percentile_times_are_those_of_the_model_inside(small):
    frozen = FrozenEstimator(Quantiles())
    assert ADAPTER.own_levels(frozen).tolist() == [0.5]
    times = ADAPTER.own_percentile_times(frozen, small.X)
    np.testing.assert_array_equal(times, small.X[:, :1])
