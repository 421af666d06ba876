"""The forest of neighbours."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from consurv import KaplanMeier, Outcome
from consurv.bounds.forest import NeighbourForest
from consurv.errors import InvalidInput
from tests.weighting.samples import world


@pytest.fixture(scope="module")
def data():
    x, time, limit = world(800, np.random.default_rng(0))
    return x[:, None], Outcome(np.minimum(time, limit), time <= limit)


class TestCurves:
    def test_one_leaf_is_kaplan_meier(self, data):
        X, y = data
        forest = NeighbourForest(3, min_samples_leaf=800, random_state=0).fit(X, y)
        curves = forest.predict_survival_function(X[:2])
        times = np.quantile(y.time, [0.1, 0.5, 0.9])
        expected = KaplanMeier(y).survival_at(times)
        assert np.allclose(curves.survival_at(times), expected, atol=1e-12)

    def test_come_near_the_truth(self, data):
        X, y = data
        curves = (
            NeighbourForest(random_state=0)
            .fit(X, y)
            .predict_survival_function(np.array([[-0.8], [0.8]]))
        )
        truth = np.exp(-2.0 / (5 * np.exp([-0.8, 0.8])))
        assert np.abs(curves.survival_at([2.0])[:, 0] - truth).max() < 0.12

    def test_take_ties_and_whole_numbers(self, data):
        X, y = data
        whole = Outcome(np.ceil(y.time), y.event)
        forest = NeighbourForest(3, min_samples_leaf=800, random_state=0).fit(X, whole)
        expected = KaplanMeier(whole).survival_at([1.0, 3.0])
        found = forest.predict_survival_function(X[:1]).survival_at([1.0, 3.0])[0]
        assert np.allclose(found, expected, atol=1e-12)


class TestConventions:
    def test_clones_and_takes_frames(self, data):
        X, y = data
        forest = clone(NeighbourForest(5, random_state=0))
        frame = pd.DataFrame(X, columns=["a"])
        one = forest.fit(frame, y).predict_survival_function(frame[:3]).median()
        two = forest.fit(X, y).predict_survival_function(X[:3]).median()
        assert (one == two).all()

    def test_words_are_refused(self, data):
        _, y = data
        with pytest.raises(InvalidInput, match="no number"):
            NeighbourForest().fit(np.full((800, 1), "a", dtype=object), y)

    def test_settings_are_checked(self, data):
        with pytest.raises(InvalidInput, match="n_estimators=0"):
            NeighbourForest(0).fit(*data)
