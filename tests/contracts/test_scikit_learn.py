"""ConformalSurvival keeps scikit-learn's contract."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from consurv import (
    ConformalSurvival,
    FromEstimator,
    NotConformalizedError,
    Outcome,
)


class Exponential(BaseEstimator):
    """A model that follows scikit-learn's rules: a constant hazard, tilted by X."""

    def __init__(self, slope=0.1):
        self.slope = slope

    def fit(self, X, y):
        validate_data(self, X)
        self.rate_ = y["event"].sum() / y["time"].sum()
        return self

    def predict_survival_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        times = np.linspace(0.1, 5, 20) / self.rate_
        hazard = np.exp(np.tanh(X.sum(axis=1, keepdims=True) * self.slope))
        return times, np.exp(-self.rate_ * times * hazard)


def to_outcome(y):
    """scikit-learn's checks give one number per subject: make it a time."""
    if isinstance(y, Outcome):
        return y
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = check_array(y, ensure_2d=False, dtype=None)
    if y.ndim == 2:
        import warnings

        warnings.warn("y is a column", DataConversionWarning, stacklevel=2)
        y = y[:, 0]
    if y.dtype.kind not in "fiu":
        y = np.unique(y, return_inverse=True)[1]
    return Outcome(time=np.abs(y) + 1, event=np.arange(len(y)) % 3 > 0)


class NumericTarget(ConformalSurvival):
    """ConformalSurvival for the one kind of y that scikit-learn's checks know."""

    def fit(self, X, y, X_val=None, y_val=None):
        return super().fit(X, to_outcome(y))

    def conformalize(self, X, y):
        return super().conformalize(X, to_outcome(y))

    def score(self, X, y):
        return super().score(X, to_outcome(y))


# No check is expected to fail.
@parametrize_with_checks(
    [
        NumericTarget(Exponential(), percentiles=3),
        NumericTarget(Exponential(), percentiles=3, adjustment="level"),
        NumericTarget(
            Exponential(), percentiles=3, censoring=FromEstimator(Exponential())
        ),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    time = rng.exponential(5 * np.exp(-X[:, 0]))
    return X, Outcome(time=time, event=rng.random(120) < 0.7)


class TestModelSelection:
    @pytest.mark.parametrize("form", [Outcome.of, Outcome.to_structured])
    def test_cross_val_score_slices_outcomes(self, data, form):
        X, y = data
        model = ConformalSurvival(Exponential(), percentiles=3)
        scores = cross_val_score(model, X, form(y), cv=KFold(3))
        by_hand = []
        for train, test in KFold(3).split(X):
            fitted = clone(model).fit(X[train], y[train])
            by_hand.append(fitted.score(X[test], y[test]))
        np.testing.assert_array_equal(scores, by_hand)

    def test_grid_search_reaches_into_the_model(self, data):
        X, y = data
        search = GridSearchCV(
            ConformalSurvival(Exponential(), percentiles=3, random_state=0),
            {
                "estimator__slope": [-0.5, 0.5],
                "conformal_set": ["train", "half"],
                "adjustment": ["time", "level"],
            },
            cv=3,
        ).fit(X, y)
        # Higher X[:, 0] means an earlier event, so the positive slope ranks right.
        assert search.best_params_["estimator__slope"] == 0.5

    def test_a_pipeline_may_stand_inside_or_around(self, data):
        X, y = data
        # On the same rows: inside of folds a scaler learns from fewer than around.
        settings = {"percentiles": 3, "conformal_set": "train"}
        inside = ConformalSurvival(
            make_pipeline(StandardScaler(), Exponential()), **settings
        ).fit(X, y)
        around = make_pipeline(
            StandardScaler(), ConformalSurvival(Exponential(), **settings)
        ).fit(X, y)
        np.testing.assert_allclose(inside.predict(X), around.predict(X))
        assert inside.score(X, y) == pytest.approx(around.score(X, y))

    def test_a_search_may_stand_inside(self, data):
        X, y = data

        class Scored(Exponential):
            def score(self, X, y):
                return self.slope

        search = GridSearchCV(Scored(), {"slope": [0.1, 0.5]}, cv=2)
        model = ConformalSurvival(search, percentiles=3).fit(X, y)
        assert model.estimator_.best_params_ == {"slope": 0.5}


class TestCopies:
    def test_clone_keeps_parameters_and_drops_the_fit(self, data):
        model = ConformalSurvival(Exponential(slope=0.3), percentiles=[0.5, 0.2])
        copy = clone(model.fit(*data))
        assert copy.estimator.slope == 0.3
        assert copy.percentiles == [0.5, 0.2]
        with pytest.raises(NotConformalizedError, match="call fit"):
            copy.predict(data[0])

    def test_pickle_and_joblib_predict_the_same(self, data, tmp_path):
        X, y = data
        model = ConformalSurvival(Exponential(), percentiles=3).fit(X, y)
        joblib.dump(model, tmp_path / "model.joblib")
        for copy in (
            pickle.loads(pickle.dumps(model)),
            joblib.load(tmp_path / "model.joblib"),
        ):
            np.testing.assert_array_equal(copy.predict(X), model.predict(X))
