import sys

import numpy as np
import pytest

from consurv.adapters import adapter_for
from consurv.errors import InvalidInput, MissingDependency
from consurv.models import GradientBoosting

ensemble = pytest.importorskip("sksurv.ensemble")


class TestGradientBoosting:
    def test_gives_the_curves_of_scikit_survival(self, simulated):
        X, y = simulated
        theirs = ensemble.ComponentwiseGradientBoostingSurvivalAnalysis()
        theirs.fit(X, y.to_structured())
        expected = adapter_for(theirs).curves(theirs, X)
        curves = GradientBoosting().fit(X, y).predict_survival_function(X)
        np.testing.assert_allclose(
            curves.survival_at(y.time), expected.survival_at(y.time), atol=1e-12
        )

    def test_passes_its_settings_on(self, simulated):
        model = GradientBoosting(
            n_estimators=7, learning_rate=0.3, subsample=0.5, random_state=3
        ).fit(*simulated)
        settings = model.booster_.get_params()
        assert {name: settings[name] for name in model.get_params()} == (
            model.get_params()
        )

    def test_draws_by_its_seed(self, simulated):
        X, y = simulated
        a, b, c = (
            GradientBoosting(subsample=0.5, random_state=seed).fit(X, y).predict(X)
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(a, b)
        assert (a != c).any()

    def test_needs_scikit_survival(self, simulated, monkeypatch):
        monkeypatch.setitem(sys.modules, "sksurv.ensemble", None)
        with pytest.raises(MissingDependency, match=r"scikit-survival.*\[models\]"):
            GradientBoosting().fit(*simulated)

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"n_estimators": 0}, "n_estimators=0 is not valid"),
            ({"learning_rate": 0}, "learning_rate=0 is not valid"),
            ({"subsample": 1.5}, "subsample=1.5 is not valid"),
            ({"random_state": "a"}, "random_state='a' is not valid"),
        ],
    )
    def test_checks_its_settings(self, simulated, params, message):
        with pytest.raises(InvalidInput, match=message):
            GradientBoosting(**params).fit(*simulated)
