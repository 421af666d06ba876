import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consurv.adapters import adapter_for
from consurv.adapters.search import ADAPTER
from consurv.errors import InvalidInput

pytest.importorskip("sksurv")

from sksurv.linear_model import CoxPHSurvivalAnalysis

GRID = {"alpha": [0.01, 100.0]}


class TestSearch:
    def test_curves_are_those_of_the_best_estimator(self, small):
        search = GridSearchCV(CoxPHSurvivalAnalysis(), GRID, cv=3)
        assert not ADAPTER.is_fitted(search)
        assert ADAPTER.fit(search, small.X, small.y) is search
        assert ADAPTER.is_fitted(search)
        best = search.best_estimator_
        np.testing.assert_array_equal(
            ADAPTER.curves(search, small.X).survival,
            adapter_for(best).curves(best, small.X).survival,
        )

    def test_a_validation_set_stays_outside(self, small):
        search = RandomizedSearchCV(
            CoxPHSurvivalAnalysis(), GRID, n_iter=1, cv=2, random_state=0
        )
        assert not ADAPTER.takes_validation(search)
        ADAPTER.fit(search, small.X, small.y, (small.X, small.y))
        assert ADAPTER.is_fitted(search)

    def test_goes_through_a_pipeline(self, small):
        pipeline = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis())
        search = GridSearchCV(pipeline, {"coxphsurvivalanalysis__alpha": [0.1]}, cv=2)
        ADAPTER.fit(search, small.X, small.y)
        assert len(ADAPTER.curves(search, small.X[:9])) == 9

    def test_a_clone_is_unfitted(self, small):
        search = ADAPTER.fit(
            GridSearchCV(CoxPHSurvivalAnalysis(), GRID, cv=2), small.X, small.y
        )
        copy = ADAPTER.clone(search)
        assert not ADAPTER.is_fitted(copy)
        assert copy.param_grid == GRID

    def test_a_search_that_keeps_no_model_is_refused(self, small):
        search = GridSearchCV(CoxPHSurvivalAnalysis(), GRID, cv=2, refit=False)
        with pytest.raises(InvalidInput, match=r"refit=False.*set refit=True"):
            ADAPTER.fit(search, small.X, small.y)


class Quantiles(BaseEstimator):
    """Gives percentile times that tell which rows came."""

    def fit(self, X, y):
        self.levels_ = np.array([0.5])
        return self

    def predict_percentile_times(self, X):
        return np.asarray(X)[:, :1]

    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)

    def score(self, X, y):
        return 0.0


def test_percentile_times_are_those_of_the_best_estimator(small):
    search = GridSearchCV(Quantiles(), {}, cv=2)
    ADAPTER.fit(search, small.X, small.y)
    assert ADAPTER.own_levels(search).tolist() == [0.5]
    times = ADAPTER.own_percentile_times(search, small.X)
    np.testing.assert_array_equal(times, small.X[:, :1])
