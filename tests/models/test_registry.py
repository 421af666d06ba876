import sys

import numpy as np
import pytest

from consurv.adapters import adapter_for
from consurv.errors import InvalidInput, MissingDependency
from consurv.models import make_model, model_name, model_names
from consurv.outcome import Outcome


class TestEveryModel:
    @pytest.mark.parametrize("name", model_names())
    def test_can_be_trained_and_gives_curves(self, name: str) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 2))
        y = Outcome(rng.exponential(np.exp(X[:, 0])), rng.random(80) < 0.7)
        model = make_model(name, random_state=0)
        adapter = adapter_for(model)
        assert not adapter.is_fitted(model)
        curves = adapter.curves(adapter.fit(model, X, y), X)
        assert np.isfinite(curves.median()).all()

    @pytest.mark.parametrize("name", ["gradient-boosting", "random-forest"])
    def test_that_draws_takes_the_seed(self, name: str) -> None:
        assert make_model(name, random_state=7).random_state == 7

    @pytest.mark.parametrize(
        ("name", "library"),
        [
            ("weibull-aft", "lifelines"),
            ("coxph", "lifelines"),
            ("gradient-boosting", "scikit-survival"),
            ("random-forest", "scikit-survival"),
        ],
    )
    def test_needs_its_library(
        self, name: str, library: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = {"scikit-survival": "sksurv.ensemble"}.get(library, library)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingDependency, match=rf"{library}.*consurv\[models\]"):
            make_model(name)


class TestNames:
    @pytest.mark.parametrize(
        ("short", "full"),
        [
            ("AFT", "weibull-aft"),
            ("CoxPH", "coxph"),
            ("cox", "coxph"),
            ("GB", "gradient-boosting"),
            ("rsf", "random-forest"),
            ("Weibull-AFT", "weibull-aft"),
        ],
    )
    def test_may_be_short_and_in_any_case(self, short: str, full: str) -> None:
        assert model_name(short) == full
        assert type(make_model(short)) is type(make_model(full))

    def test_that_are_unknown_get_the_list(self) -> None:
        with pytest.raises(
            InvalidInput, match=r"unknown model 'coxhp', did you mean 'coxph'\?.*forest"
        ):
            make_model("coxhp")
