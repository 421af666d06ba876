import sys

import numpy as np
import pytest

from consurv.errors import ConsurvError, InvalidInput
from consurv.models import WeibullAFT
from consurv.outcome import Outcome


class TestWeibullAFT:
    def test_predicts_by_its_coefficients(self, simulated):
        X, y = simulated
        model = WeibullAFT().fit(X, y)
        location = model.intercept_ + (X - model.mean_) @ model.coef_
        curves = model.predict_survival_function(X)
        expected = np.exp(location + model.scale_ * np.log(np.log(2)))
        np.testing.assert_allclose(curves.median(), expected, rtol=1e-12)
        np.testing.assert_array_equal(curves.last_time, y.time.max())

    @pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, -1e9])
    def test_does_not_depend_on_where_zero_is(self, simulated, offset):
        X, y = simulated
        expected = WeibullAFT().fit(X, y).predict(X)
        found = WeibullAFT().fit(X + offset, y).predict(X + offset)
        np.testing.assert_allclose(found, expected, rtol=1e-4)

    @pytest.mark.parametrize("unit", [1e-290, 1e-100, 1e-20, 1e20, 1e100, 1e200])
    def test_does_not_depend_on_the_unit_of_time(self, simulated, unit):
        X, y = simulated
        expected = WeibullAFT().fit(X, y).predict_survival_function(X)
        scaled = Outcome(time=y.time * unit, event=y.event)
        found = WeibullAFT().fit(X, scaled).predict_survival_function(X)
        np.testing.assert_allclose(found.median() / unit, expected.median(), rtol=1e-4)
        np.testing.assert_allclose(found.mean() / unit, expected.mean(), rtol=1e-4)
        np.testing.assert_allclose(found.last_time / unit, expected.last_time)

    @pytest.mark.parametrize("unit", [1e-200, 1e-6, 1e6, 1e200])
    def test_does_not_depend_on_the_units_of_features(self, simulated, unit):
        X, y = simulated
        found = WeibullAFT().fit(X * unit, y).predict(X * unit)
        np.testing.assert_allclose(found, WeibullAFT().fit(X, y).predict(X), rtol=1e-9)

    def test_gives_a_constant_feature_no_weight(self, simulated):
        X, y = simulated
        wide = np.column_stack([X, np.full(len(X), 0.1)])
        model, without = WeibullAFT().fit(wide, y), WeibullAFT().fit(X, y)
        assert model.coef_[3] == 0
        np.testing.assert_allclose(model.coef_[:3], without.coef_, rtol=1e-9)

    def test_works_on_constant_features_only(self, simulated):
        _, y = simulated
        assert WeibullAFT().fit(np.ones((200, 1)), y).coef_.tolist() == [0]

    @pytest.mark.parametrize("penalty", [0, 0.01])
    def test_lets_a_copy_share(self, simulated, penalty):
        X, y = simulated
        model = WeibullAFT(penalty=penalty).fit(np.column_stack([X, X[:, 0]]), y)
        assert model.coef_[3] == pytest.approx(model.coef_[0])

    @pytest.mark.parametrize("penalty", [0, 0.01])
    def test_bears_a_group_without_events(self, simulated, penalty):
        X, y = simulated
        model = WeibullAFT(penalty=penalty).fit(np.column_stack([X, ~y.event]), y)
        assert model.coef_[3] > 2
        assert np.isfinite(model.coef_).all()

    def test_refuses_more_features_than_events_before_the_call(self):
        rng = np.random.default_rng(0)
        y = Outcome(rng.exponential(size=40), np.arange(40) < 12)
        model = WeibullAFT()
        with pytest.raises(
            InvalidInput, match=r"13 features and y only 12 events.*choose coxph"
        ):
            model.fit(rng.normal(size=(40, 13)), y)
        assert not hasattr(model, "n_features_in_")

    def test_tells_that_there_is_no_solution(self):
        X = np.arange(20.0)[:, None]
        with pytest.raises(ConsurvError, match=r"did not converge.*raise penalty"):
            WeibullAFT().fit(X, Outcome(np.exp(X[:, 0]), np.ones(20)))

    def test_needs_no_lifelines(self, simulated, monkeypatch):
        monkeypatch.setitem(sys.modules, "lifelines", None)
        X, y = simulated
        assert WeibullAFT().fit(X, y).score(X, y) > 0.7

    def test_checks_its_penalty(self, simulated):
        with pytest.raises(InvalidInput, match=r"penalty=-1 is not valid.*>= 0"):
            WeibullAFT(penalty=-1).fit(*simulated)
