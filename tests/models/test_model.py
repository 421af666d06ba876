import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from consurv.errors import InvalidInput
from consurv.metrics import concordance_index
from consurv.models import CoxPH, WeibullAFT


class TestEveryModel:
    def test_scores_by_the_concordance_of_medians(self, simulated):
        X, y = simulated
        model = CoxPH().fit(X, y)
        curves = model.predict_survival_function(X)
        assert model.score(X, y) == float(concordance_index(y, curves))
        np.testing.assert_array_equal(model.predict(X), -curves.median())

    def test_says_that_it_is_not_fitted(self, simulated):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            CoxPH().predict(simulated[0])

    def test_wants_the_features_it_was_trained_on(self, simulated):
        X, y = simulated
        model = CoxPH().fit(X, y)
        with pytest.raises(ValueError, match="2 features, but CoxPH is expecting 3"):
            model.predict(X[:, :2])

    def test_wants_an_outcome_for_each_row(self, simulated):
        X, y = simulated
        with pytest.raises(InvalidInput, match="X has 199, y has 200"):
            CoxPH().fit(X[1:], y)

    def test_trains_without_a_validation_set_that_it_does_not_use(self, simulated):
        X, y = simulated
        alone = CoxPH().fit(X, y).coef_
        beside = CoxPH().fit(X, y, X_val=X[:9], y_val=y[:9].to_structured()).coef_
        np.testing.assert_array_equal(beside, alone)

    @pytest.mark.parametrize(
        ("validation", "message"),
        [
            ({"X_val": np.zeros((2, 3))}, "y_val is missing: give both X_val and"),
            ({"y_val": ([1], [2])}, "X_val is missing"),
            ({"X_val": np.zeros((2, 3)), "y_val": ([1], [2])}, "X_val has 2, y_val"),
            ({"X_val": np.zeros((1, 2)), "y_val": ([1], [2])}, "X has 2 features"),
        ],
    )
    def test_checks_the_validation_set_all_the_same(
        self, simulated, validation, message
    ):
        model = CoxPH()
        with pytest.raises(ValueError, match=message):
            model.fit(*simulated, **validation)
        assert not hasattr(model, "n_features_in_")

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
    def test_takes_a_table_as_its_numbers(self, simulated, dtype):
        X, y = (10 * simulated[0]).astype(dtype), simulated[1]
        table = pd.DataFrame(X, columns=list("abc"))
        model = CoxPH().fit(table, y)
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        np.testing.assert_array_equal(model.coef_, CoxPH().fit(X, y).coef_)
        np.testing.assert_array_equal(
            model.predict(table), model.predict(table.astype({"a": float}))
        )

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (lambda t: t[["a", "b"]], "feature names"),
            (lambda t: t.assign(b=np.nan), "X contains NaN"),
            (lambda t: t.head(0), "Found array with 0 sample"),
        ],
    )
    def test_checks_a_table_as_it_checks_an_array(self, simulated, table, message):
        X, y = simulated
        frame = pd.DataFrame(X, columns=list("abc"))
        model = CoxPH().fit(frame, y)
        with pytest.raises(ValueError, match=message):
            model.predict(table(frame))

    def test_wants_an_event(self, simulated):
        X, y = simulated
        with pytest.raises(InvalidInput, match=r"none of the 200 subjects.*censored"):
            CoxPH().fit(X, (np.zeros(200), y.time))

    def test_stays_as_it_was_if_training_fails(self, simulated):
        X, y = simulated
        model = CoxPH().fit(X, y)
        before = model.predict(X)
        with pytest.raises(InvalidInput, match="none of the"):
            model.fit(X[:, :1], (np.zeros(200), y.time))
        np.testing.assert_array_equal(model.predict(X), before)

    @pytest.mark.parametrize("kind", [CoxPH, WeibullAFT])
    def test_predicts_the_same_in_chunks(self, simulated, kind, monkeypatch):
        X, y = simulated
        model = kind().fit(X, y)
        whole, risk = model.predict_survival_function(X), model.predict(X)
        monkeypatch.setattr(kind, "_chunk_rows", 64)
        parts = model.predict_survival_function(X)
        np.testing.assert_allclose(parts.survival, whole.survival, rtol=1e-12)
        np.testing.assert_allclose(parts.times, whole.times, rtol=1e-12)
        np.testing.assert_allclose(model.predict(X), risk, rtol=1e-12)
