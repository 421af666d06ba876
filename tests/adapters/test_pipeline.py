import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from consurv.adapters import adapter_for
from consurv.adapters.pipeline import ADAPTER
from consurv.errors import InvalidInput

pytest.importorskip("lifelines")
pytest.importorskip("sksurv")

import lifelines
from sksurv.linear_model import CoxPHSurvivalAnalysis


class Recorder(BaseEstimator):
    """Remembers what it was trained on."""

    def fit(self, X, y, X_val=None, y_val=None):
        self.X_, self.X_val_ = X, X_val
        self.y_, self.y_val_ = y, y_val
        return self

    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)


class Stateless(TransformerMixin, BaseEstimator):
    """Learns nothing and does not say so by a tag, as users write them."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X


class TestTraining:
    def test_steps_learn_from_the_training_rows_alone(self, small):
        pipeline = make_pipeline(StandardScaler(), Recorder())
        assert ADAPTER.takes_validation(pipeline)
        X, X_val = small.X[:100], small.X[100:]
        assert ADAPTER.fit(pipeline, X, small.y[:100], (X_val, small.y[100:])) is (
            pipeline
        )
        mean, scale = X.mean(axis=0), X.std(axis=0)
        np.testing.assert_allclose(pipeline[-1].X_, (X - mean) / scale)
        np.testing.assert_allclose(pipeline[-1].X_val_, (X_val - mean) / scale)
        np.testing.assert_array_equal(pipeline[-1].y_val_["time"], small.y.time[100:])

    def test_a_last_step_without_use_for_a_validation_set_gets_none(self, small):
        pipeline = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis())
        assert not ADAPTER.takes_validation(pipeline)
        ADAPTER.fit(pipeline, small.X, small.y, ("not looked at", small.y))
        assert ADAPTER.is_fitted(pipeline)

    @pytest.mark.parametrize("idle", [None, "passthrough"])
    def test_idle_steps_change_nothing(self, idle, small):
        pipeline = Pipeline(
            [("a", idle), ("scale", StandardScaler()), ("b", idle), ("m", Recorder())]
        )
        ADAPTER.fit(pipeline, small.X, small.y, (small.X, small.y))
        expected = StandardScaler().fit_transform(small.X)
        np.testing.assert_allclose(pipeline[-1].X_, expected)
        np.testing.assert_allclose(pipeline[-1].X_val_, expected)

    def test_a_pipeline_may_be_the_model_alone(self, small):
        pipeline = make_pipeline(Recorder())
        ADAPTER.fit(pipeline, small.X, small.y)
        assert pipeline[-1].X_ is small.X

    def test_a_memory_is_used_and_the_fitted_steps_are_kept(self, small, tmp_path):
        pipeline = make_pipeline(StandardScaler(), Recorder(), memory=str(tmp_path))
        ADAPTER.fit(pipeline, small.X, small.y)
        np.testing.assert_allclose(pipeline[0].mean_, small.X.mean(axis=0))
        assert len(ADAPTER.curves(pipeline, small.X)) == 160

    def test_set_output_reaches_the_model(self, small):
        pipeline = make_pipeline(StandardScaler(), Recorder())
        pipeline.set_output(transform="pandas")
        frame = pd.DataFrame(small.X, columns=["a", "b", "c"])
        ADAPTER.fit(pipeline, frame, small.y, (frame, small.y))
        assert list(pipeline[-1].X_.columns) == ["a", "b", "c"]
        assert list(pipeline[-1].X_val_.columns) == ["a", "b", "c"]


class TestCurves:
    def test_are_those_of_the_last_step_on_transformed_rows(self, small):
        pipeline = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis())
        ADAPTER.fit(pipeline, small.X, small.y)
        expected = adapter_for(pipeline[-1]).curves(
            pipeline[-1], pipeline[0].transform(small.X)
        )
        found = ADAPTER.curves(pipeline, small.X)
        np.testing.assert_array_equal(found.survival, expected.survival)

    def test_equal_scikit_survival_s_own_pipeline(self, small):
        pipeline = make_pipeline(StandardScaler(), CoxPHSurvivalAnalysis())
        pipeline.fit(small.X, small.y.to_structured())
        functions = pipeline.predict_survival_function(small.X[:10])
        expected = np.array([function.y for function in functions])
        found = ADAPTER.curves(pipeline, small.X[:10]).survival_at(functions[0].x)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)

    def test_a_stateless_transformer_need_not_call_itself_fitted(self, small):
        pipeline = make_pipeline(Stateless(), CoxPHSurvivalAnalysis())
        ADAPTER.fit(pipeline, small.X, small.y)
        assert len(ADAPTER.curves(pipeline, small.X[:7])) == 7

    def test_a_function_may_be_the_last_step(self, small):
        def model(X):
            assert abs(X.mean()) < 1e-12
            return [1.0], np.full((len(X), 1), 0.5)

        scaler = StandardScaler().fit(small.X)
        pipeline = make_pipeline(scaler, model)
        assert ADAPTER.is_fitted(pipeline)
        assert ADAPTER.clone(pipeline)[-1] is model
        assert len(ADAPTER.curves(pipeline, small.X)) == 160

    def test_a_last_step_without_curves_is_refused_by_name(self, small):
        with pytest.raises(InvalidInput, match=r"StandardScaler.*gives no survival"):
            ADAPTER.fit(make_pipeline(StandardScaler()), small.X, small.y)


class TestLifelinesAtTheEnd:
    def test_trains_on_encoded_columns_and_gives_the_same_curves(self, small):
        X = pd.DataFrame(
            {"age": small.X[:, 0], "arm": np.where(small.X[:, 2] == 1, "b", "a")}
        )
        encode = make_column_transformer(
            (StandardScaler(), ["age"]),
            (OneHotEncoder(drop="first", sparse_output=False), ["arm"]),
        )
        pipeline = make_pipeline(encode, lifelines.WeibullAFTFitter())
        assert not ADAPTER.is_fitted(pipeline)
        ADAPTER.fit(pipeline, X, small.y)
        assert ADAPTER.is_fitted(pipeline)
        whole, part = ADAPTER.curves(pipeline, X), ADAPTER.curves(pipeline, X[50:90])
        np.testing.assert_allclose(whole[50:90].median(), part.median(), rtol=1e-12)

    def test_a_clone_is_unfitted_to_the_last_step(self, small):
        pipeline = make_pipeline(StandardScaler(), lifelines.CoxPHFitter(penalizer=0.2))
        ADAPTER.fit(pipeline, small.X, small.y)
        copy = ADAPTER.clone(pipeline)
        assert not ADAPTER.is_fitted(copy)
        assert not hasattr(copy[0], "mean_")
        assert copy[-1].penalizer == 0.2
        assert ADAPTER.is_fitted(pipeline)


class TestFrozenSteps:
    def test_a_frozen_model_stays_while_the_steps_learn(self, small):
        cox = CoxPHSurvivalAnalysis().fit(small.X, small.y.to_structured())
        pipeline = make_pipeline(StandardScaler(), FrozenEstimator(cox))
        before = cox.coef_.copy()
        ADAPTER.fit(pipeline, 3 * small.X, small.y)
        np.testing.assert_array_equal(cox.coef_, before)
        assert ADAPTER.is_fitted(pipeline)


class Quantiles(Recorder):
    levels_ = np.array([0.5])

    def predict_percentile_times(self, X):
        return X[:, :1]


class TestPercentileTimes:
    def test_are_those_of_the_last_step_on_transformed_rows(self, small):
        pipeline = make_pipeline(Stateless(), Quantiles())
        ADAPTER.fit(pipeline, small.X, small.y)
        assert ADAPTER.own_levels(pipeline).tolist() == [0.5]
        times = ADAPTER.own_percentile_times(pipeline, small.X)
        np.testing.assert_array_equal(times, 2 * small.X[:, :1])

    def test_there_are_none_where_the_last_step_gives_none(self):
        assert ADAPTER.own_levels(make_pipeline(Stateless(), Recorder())) is None
