import subprocess
import sys

import numpy as np
import pytest

import consurv.models
from consurv.adapters import adapter_for
from consurv.errors import InvalidInput, MissingDependency
from consurv.models import make_model, model_name, model_names
from consurv.models.registry import BOOSTERS, OWN_CLASSES


def make_or_skip(name, *args, **params):
    try:
        return make_model(name, *args, **params)
    except MissingDependency as missing:
        pytest.skip(str(missing))


class TestEveryModel:
    @pytest.mark.parametrize("name", model_names())
    def test_can_be_trained_and_gives_curves(self, name, simulated):
        X, y = simulated
        model = make_or_skip(name, random_state=0)
        if hasattr(model, "max_epochs"):
            model.set_params(max_epochs=2)
        if name in BOOSTERS:
            model.set_params(n_estimators=20, n_jobs=1)
        adapter = adapter_for(model)
        assert not adapter.is_fitted(model)
        curves = adapter.curves(adapter.fit(model, X, y), X)
        assert adapter.is_fitted(model)
        assert np.isfinite(curves.median()).all()

    @pytest.mark.parametrize("name", ["gradient-boosting", "random-forest", "deepsurv"])
    def test_that_draws_takes_the_seed(self, name):
        assert make_or_skip(name, random_state=7).random_state == 7

    @pytest.mark.parametrize(
        ("name", "validates"), [("km", False), ("coxph", False), ("n-mtlr", True)]
    )
    def test_tells_whether_it_trains_with_a_validation_set(self, name, validates):
        model = make_or_skip(name)
        assert adapter_for(model).takes_validation(model) == validates


class TestSettings:
    def test_reach_the_model(self):
        assert make_model("coxph", penalty=0.5).penalty == 0.5
        assert make_or_skip("deepsurv", 3, hidden=(8,)).hidden == (8,)

    def test_of_ours_may_be_overruled(self):
        assert make_model("rsf").min_samples_leaf == 15
        assert make_model("rsf", min_samples_leaf=4).min_samples_leaf == 4

    def test_that_are_unknown_get_the_list(self):
        with pytest.raises(
            InvalidInput,
            match="gradient-boosting has no setting 'stages'; choose among n_est",
        ):
            make_model("GB", stages=3)


class TestLibraries:
    def test_of_a_forest_is_named_when_it_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sksurv.ensemble", None)
        with pytest.raises(MissingDependency, match=r"scikit-survival.*\[models\]"):
            make_model("random-forest")

    def test_of_deep_models_is_named_when_it_is_missing(self):
        code = (
            "import sys\n"
            "class NoTorch:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'torch':\n            raise ImportError(name)\n"
            "sys.meta_path.insert(0, NoTorch())\n"
            "from consurv.errors import MissingDependency\n"
            "from consurv.models import KaplanMeierModel, make_model\n"
            "try:\n    make_model('deepsurv')\n"
            "except MissingDependency as error:\n    print(error)\n"
            "try:\n    from consurv.models import DeepSurv\n"
            "except MissingDependency as error:\n    print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        lines = done.stdout.splitlines()
        assert len(lines) == 2
        assert all("torch" in line and "consurv[deep]" in line for line in lines)

    def test_are_not_imported_with_the_models(self):
        code = (
            "import sys, consurv.models\n"
            "print([m for m in ('torch', 'lifelines', 'sksurv') if m in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"


class TestClasses:
    @pytest.mark.parametrize("label", list(OWN_CLASSES))
    def test_are_offered_by_their_names(self, label):
        try:
            kind = getattr(consurv.models, label)
        except MissingDependency as missing:
            pytest.skip(str(missing))
        assert kind.__name__ == label
        assert label in dir(consurv.models)

    def test_are_all_listed(self):
        assert set(OWN_CLASSES) < set(consurv.models.__all__)

    def test_that_do_not_exist_are_an_attribute_error(self):
        with pytest.raises(AttributeError, match="no attribute 'DeepFree'"):
            consurv.models.DeepFree  # noqa: B018


class TestNames:
    def test_are_those_of_the_paper_a_forest_and_boosters(self):
        assert set(model_names()) == {
            "km",
            "weibull-aft",
            "gradient-boosting",
            "coxph",
            "deepsurv",
            "n-mtlr",
            "deephit",
            "coxtime",
            "cqrnn",
            "lognormal",
            "random-forest",
            "xgboost-aft",
            "xgboost-cox",
            "catboost-aft",
            "catboost-cox",
        }

    @pytest.mark.parametrize(
        ("short", "full"),
        [
            ("KM", "km"),
            ("Kaplan-Meier", "km"),
            ("AFT", "weibull-aft"),
            ("CoxPH", "coxph"),
            ("cox", "coxph"),
            ("GB", "gradient-boosting"),
            ("rsf", "random-forest"),
            ("Weibull-AFT", "weibull-aft"),
            ("MTLR", "n-mtlr"),
            ("N-MTLR", "n-mtlr"),
            ("nmtlr", "n-mtlr"),
            ("DeepSurv", "deepsurv"),
            ("DeepHit", "deephit"),
            ("CoxTime", "coxtime"),
            ("CQRNN", "cqrnn"),
            ("LogNormalNN", "lognormal"),
            ("XGBoost", "xgboost-aft"),
            ("CatBoost", "catboost-aft"),
            ("XGBoost-Cox", "xgboost-cox"),
        ],
    )
    def test_may_be_short_and_in_any_case(self, short, full):
        assert model_name(short) == full

    def test_that_are_unknown_get_the_list(self):
        with pytest.raises(
            InvalidInput, match=r"unknown model 'coxhp', did you mean 'coxph'\?.*forest"
        ):
            make_model("coxhp")
