import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from consurv.adapters import adapter_for
from consurv.errors import InvalidInput

pytest.importorskip("sksurv")

from sksurv.ensemble import (
    ComponentwiseGradientBoostingSurvivalAnalysis,
    ExtraSurvivalTrees,
    GradientBoostingSurvivalAnalysis,
    RandomSurvivalForest,
)
from sksurv.linear_model import (
    CoxnetSurvivalAnalysis,
    CoxPHSurvivalAnalysis,
    IPCRidge,
)
from sksurv.meta import Stacking
from sksurv.metrics import as_concordance_index_ipcw_scorer
from sksurv.svm import FastSurvivalSVM
from sksurv.tree import SurvivalTree

MODELS = {
    "coxph": CoxPHSurvivalAnalysis(alpha=0.1),
    "coxnet": CoxnetSurvivalAnalysis(fit_baseline_model=True),
    "forest": RandomSurvivalForest(n_estimators=10, random_state=0),
    "extra-trees": ExtraSurvivalTrees(n_estimators=10, random_state=0),
    "tree": SurvivalTree(max_depth=3, random_state=0),
    "boosting": GradientBoostingSurvivalAnalysis(n_estimators=10, random_state=0),
    "componentwise": ComponentwiseGradientBoostingSurvivalAnalysis(n_estimators=20),
    "stacking": Stacking(
        CoxPHSurvivalAnalysis(alpha=0.1),
        [("tree", SurvivalTree(max_depth=2, random_state=0))],
        probabilities=False,
    ),
    "scorer": as_concordance_index_ipcw_scorer(CoxPHSurvivalAnalysis(alpha=0.1)),
}


@pytest.fixture(params=MODELS)
def fitted(request, small):
    adapter = adapter_for(MODELS[request.param])
    model = adapter.clone(MODELS[request.param])
    assert not adapter.is_fitted(model)
    assert adapter.fit(model, small.X, small.y) is model
    assert adapter.is_fitted(model)
    return model


class TestCurves:
    def test_equal_the_step_functions_at_between_and_before_the_times(
        self, fitted, small
    ):
        curves = adapter_for(fitted).curves(fitted, small.X[:30])
        functions = fitted.predict_survival_function(small.X[:30])
        nodes = functions[0].x
        times = np.sort(np.concatenate([nodes, (nodes[1:] + nodes[:-1]) / 2]))
        expected = np.array([function(times) for function in functions])
        np.testing.assert_allclose(
            curves.survival_at(times), expected, rtol=0, atol=1e-14
        )
        assert curves.interpolation == "step"
        np.testing.assert_array_equal(curves.survival_at([nodes[0] / 2]), 1.0)

    def test_of_some_rows_are_those_rows_of_all(self, fitted, small):
        adapter = adapter_for(fitted)
        whole = adapter.curves(fitted, small.X)
        part = adapter.curves(fitted, small.X[37:60])
        np.testing.assert_allclose(
            part.survival, whole[37:60].survival, rtol=0, atol=1e-14
        )

    def test_frames_with_a_shuffled_index_are_read_by_position(self, small):
        frame = pd.DataFrame(small.X, columns=["a", "b", "c"])
        frame.index = np.random.default_rng(0).permutation(len(frame))
        adapter = adapter_for(MODELS["forest"])
        model = adapter.clone(MODELS["forest"])
        adapter.fit(model, frame, small.y)
        plain = adapter.fit(adapter.clone(model), small.X, small.y)
        np.testing.assert_array_equal(
            adapter.curves(model, frame).survival,
            adapter.curves(plain, small.X).survival,
        )

    def test_before_fit_say_that_fit_is_missing(self, small):
        for model in MODELS.values():
            with pytest.raises(NotFittedError, match="is not fitted and gives no"):
                adapter_for(model).curves(model, small.X)


class TestEstimatorsWithoutCurves:
    @pytest.mark.parametrize("model", [FastSurvivalSVM(), IPCRidge()])
    def test_are_refused_before_training_and_at_prediction(self, model, small):
        adapter = adapter_for(model)
        message = "gives no survival curves: it has no predict_survival_function"
        with pytest.raises(InvalidInput, match=message):
            adapter.fit(model, small.X, small.y)
        model.fit(small.X, small.y.to_structured())
        with pytest.raises(InvalidInput, match=message):
            adapter.curves(model, small.X)

    @pytest.mark.parametrize(
        ("model", "way_out"),
        [
            (GradientBoostingSurvivalAnalysis(loss="squared", n_estimators=3), "coxph"),
            (
                ComponentwiseGradientBoostingSurvivalAnalysis(
                    loss="squared", n_estimators=3
                ),
                "coxph",
            ),
            (CoxnetSurvivalAnalysis(), "fit_baseline_model"),
            (RandomSurvivalForest(n_estimators=3, low_memory=True), "low memory"),
        ],
    )
    def test_by_their_settings_are_refused_with_the_reason(self, model, way_out, small):
        adapter = adapter_for(model)
        adapter.fit(model, small.X, small.y)
        with pytest.raises(
            InvalidInput, match=f"gives no survival curves: .*{way_out}.*Choose"
        ):
            adapter.curves(model, small.X)

    def test_a_wrong_number_of_features_is_left_to_the_library(self, small):
        adapter = adapter_for(MODELS["coxph"])
        model = adapter.fit(adapter.clone(MODELS["coxph"]), small.X, small.y)
        with pytest.raises(ValueError, match="features"):
            adapter.curves(model, small.X[:, :2])
