import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis

from consurv import InvalidInput, Outcome
from consurv.adapters import adapter_for
from consurv.adapters.forest import ForestOutOfBag


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).astype(np.float32)
    time = rng.exponential(np.exp(X[:, 0]))
    return X, Outcome(time=time, event=rng.random(80) < 0.7)


def fit(kind, data, **settings):
    settings = {"n_estimators": 12, "random_state": 0, **settings}
    return kind(**settings).fit(data[0], data[1].to_structured())


@pytest.mark.parametrize("kind", [RandomSurvivalForest, ExtraSurvivalTrees])
class TestCurves:
    def test_it_is_the_mean_over_the_trees_that_did_not_draw_a_row(self, kind, data):
        forest = fit(kind, data)
        out = ForestOutOfBag(forest, data[0])
        row = out.rows[5]
        trees = [
            tree.predict_survival_function(data[0][[row]], return_array=True)[0]
            for tree, drawn in zip(
                forest.estimators_, forest.estimators_samples_, strict=True
            )
            if row not in drawn
        ]
        assert 0 < len(trees) < 12
        found = out.curves(out.rows[[5, 6]]).survival_at(forest.unique_times_)[0]
        np.testing.assert_allclose(found, np.mean(trees, axis=0), rtol=1e-12)

    def test_over_all_trees_it_is_the_forest(self, kind, data):
        forest = fit(kind, data)
        out = ForestOutOfBag(forest, data[0])
        out._out[:] = True
        found = out.curves(np.arange(80)).survival_at(forest.unique_times_)
        expected = forest.predict_survival_function(data[0], return_array=True)
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_trees_draw_the_rows_that_scikit_survival_says(self, kind, data):
        """Its out-of-bag risks are the sums of the trees' cumulative hazards."""
        forest = fit(kind, data, n_estimators=30, oob_score=True, max_samples=0.6)
        out = ForestOutOfBag(forest, data[0])._out
        risk = [tree.predict(data[0]) for tree in forest.estimators_]
        expected = (out * risk).sum(axis=0) / out.sum(axis=0)
        np.testing.assert_allclose(forest.oob_prediction_, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "form", [lambda X: pd.DataFrame(X, columns=["a", "b", "c"]), csr_array]
)
def test_frames_and_sparse_tables(data, form):
    X = form(data[0])
    adapter = adapter_for(RandomSurvivalForest())
    forest = adapter.fit(RandomSurvivalForest(12, random_state=0), X, data[1])
    out, plain = adapter.out_of_bag(forest, X), ForestOutOfBag(forest, data[0])
    np.testing.assert_array_equal(
        out.curves(out.rows).median(), plain.curves(plain.rows).median()
    )


@pytest.mark.parametrize(
    ("model", "has", "enough"),
    [
        (RandomSurvivalForest(), True, True),
        (ExtraSurvivalTrees(20), True, False),
        (RandomSurvivalForest(bootstrap=False), False, False),
        (CoxPHSurvivalAnalysis(), False, False),
    ],
)
def test_who_has_it(model, has, enough):
    adapter = adapter_for(model)
    assert adapter.has_out_of_bag(model) == has
    assert adapter.has_out_of_bag(model, enough=True) == enough


def test_other_libraries_have_none():
    def model(X):
        return [1.0], [[0.5]] * len(X)

    with pytest.raises(InvalidInput, match="model has no out-of-bag"):
        adapter_for(model).out_of_bag(model, [[0.0]])
