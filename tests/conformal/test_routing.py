"""Searches, pipelines and scikit-learn's metadata routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consurv import ConformalSurvival, Outcome
from consurv.models import CoxPH

NAMES = {"time": "months", "event": "died"}


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(150, 2)), columns=["age", "dose"])
    frame["months"] = rng.exponential(10 * np.exp(frame["age"]))
    return frame.assign(died=True)


def post():
    return ConformalSurvival(CoxPH(), adjustment="time", n_folds=2, random_state=0)


def asks(model):
    names = dict.fromkeys(NAMES, True)
    return model.set_fit_request(**names).set_score_request(**names)


class TestWeights:
    def test_are_cut_with_the_rows_of_a_search(self, table):
        X, y = table[["age", "dose"]], Outcome(table["months"], table["died"])
        weight = np.where(table["age"] > 0, 3.0, 0.0)  # half of the rows count
        model = post().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"estimator__penalty": [0.01]}, cv=2)
        search.fit(X, y, sample_weight=weight)
        best = search.best_estimator_
        assert best.n_conformal_ == (weight > 0).sum()
        some = weight > 0
        assert best.score(X, y, sample_weight=weight) == best.score(X[some], y[some])


class TestColumnNames:
    def test_reach_every_fold_of_a_search(self, table):
        grid = {"estimator__penalty": [0.01, 1.0]}
        search = GridSearchCV(asks(post()), grid, cv=2).fit(table, **NAMES)
        assert list(search.best_estimator_.feature_names_in_) == ["age", "dose"]
        X, y = table[["age", "dose"]], Outcome(table["months"], table["died"])
        apart = GridSearchCV(post(), grid, cv=2).fit(X, y)
        np.testing.assert_array_equal(
            search.cv_results_["mean_test_score"], apart.cv_results_["mean_test_score"]
        )

    def test_that_were_not_asked_for_are_refused_by_scikit_learn(self, table):
        with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
            GridSearchCV(post(), {}, cv=2).fit(table, **NAMES)

    def test_reach_cross_validation(self, table):
        found = cross_validate(asks(post()), table, cv=2, params=NAMES)
        assert (found["test_score"] > 0.6).all()


class TestValidationSets:
    def test_reach_the_last_step_of_a_pipeline(self, table):
        X, y = table[["age", "dose"]], Outcome(table["months"], table["died"])
        last = post().set_params(conformal_set="validation")
        last.set_fit_request(X_val=True, y_val=True)
        scale = StandardScaler().set_output(transform="pandas")
        pipeline = make_pipeline(scale, last, transform_input=["X_val"])
        pipeline.fit(X[:100], y[:100], X_val=X[100:], y_val=y[100:])
        assert pipeline[-1].n_conformal_ == 50
        inner = scale.fit(X[:100])
        alone = post().set_params(conformal_set="validation")
        alone.fit(inner.transform(X[:100]), y[:100], inner.transform(X[100:]), y[100:])
        np.testing.assert_array_equal(pipeline[-1].shifts_, alone.shifts_)


def test_models_of_pipelines_inside_are_trained_as_without_routing(table):
    X, y = table[["age", "dose"]], Outcome(table["months"], table["died"])
    inside = ConformalSurvival(
        make_pipeline(StandardScaler(), CoxPH()), adjustment="time", random_state=0
    )
    routed = inside.fit(X, y).shifts_
    with sklearn.config_context(enable_metadata_routing=False):
        np.testing.assert_array_equal(inside.fit(X, y).shifts_, routed)
