import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

from consurv.adapters import adapter_for, lookup, register_adapter
from consurv.adapters.function import FunctionAdapter
from consurv.adapters.registry import LIBRARIES
from consurv.errors import InvalidInput


class Own(BaseEstimator):
    def predict_survival_function(self, X):
        return [1.0], np.full((len(X), 1), 0.5)


class CallableEstimator(Own):
    def __call__(self, X):
        raise AssertionError("an estimator's method comes before a call")


class MyPipeline(Pipeline):
    pass


def name_of(estimator):
    return type(adapter_for(estimator)).__name__


class TestAdapterFor:
    def test_an_estimator_with_curves_is_native(self):
        assert name_of(Own()) == "NativeAdapter"
        assert name_of(CallableEstimator()) == "NativeAdapter"

    def test_functions_and_callables_without_curves_are_functions(self):
        assert name_of(lambda X: X) == "FunctionAdapter"
        assert name_of(np.sin) == "FunctionAdapter"

    def test_libraries_are_known_by_the_module_of_the_class(self):
        lifelines = pytest.importorskip("lifelines")
        linear_model = pytest.importorskip("sksurv.linear_model")
        assert name_of(lifelines.CoxPHFitter()) == "LifelinesAdapter"
        assert name_of(linear_model.CoxPHSurvivalAnalysis()) == "SksurvAdapter"

    def test_wrappers_of_scikit_learn_have_their_own(self):
        assert name_of(make_pipeline(Own())) == "PipelineAdapter"
        assert name_of(FrozenEstimator(Own())) == "FrozenAdapter"
        assert name_of(GridSearchCV(Own(), {})) == "SearchAdapter"

    def test_a_subclass_is_served_like_its_parent(self):
        lifelines = pytest.importorskip("lifelines")

        class Mine(lifelines.WeibullAFTFitter):
            pass

        assert name_of(Mine()) == "LifelinesAdapter"
        assert name_of(MyPipeline([("model", Own())])) == "PipelineAdapter"

    @pytest.mark.parametrize("estimator", [LinearRegression(), "coxph", None, 3])
    def test_what_gives_no_curves_is_refused_with_the_choices(self, estimator):
        with pytest.raises(InvalidInput, match="gives no survival curves; give") as e:
            adapter_for(estimator)
        assert type(estimator).__name__ in str(e.value)
        assert "a function X -> (times, survival)" in str(e.value)
        for method in ("survival_function", "survival", "surv_df", "quantiles"):
            assert f"predict_{method}" in str(e.value)
        for library in LIBRARIES:
            assert library.name in str(e.value)
        assert "FromRisk(model)" in str(e.value)
        assert "ConformalSurvival(lambda X: (times, survival of X))" in str(e.value)

    def test_a_torch_module_is_refused_with_its_wrapper(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(InvalidInput, match=r"FromTorch\(module, output=...\)"):
            adapter_for(torch.nn.Linear(2, 1))

    def test_a_class_is_refused_with_the_call(self):
        with pytest.raises(
            InvalidInput, match=r"the class Own, not an instance; give Own\(...\)"
        ):
            adapter_for(Own)


class TestRegisterAdapter:
    def test_serves_a_module_and_its_parts(self, monkeypatch):
        monkeypatch.setattr(lookup, "_ADAPTERS", dict(lookup._ADAPTERS))
        adapter = FunctionAdapter()
        kind = type("Theirs", (), {"__module__": "theirs.survival.cox"})
        register_adapter("theirs.survival", adapter)
        assert adapter_for(kind()) is adapter

    def test_the_longest_name_wins(self, monkeypatch):
        monkeypatch.setattr(lookup, "_ADAPTERS", dict(lookup._ADAPTERS))
        adapter = FunctionAdapter()
        kind = type("Theirs", (), {"__module__": "theirs.survival.cox"})
        register_adapter("theirs.survival.cox", adapter)
        register_adapter("theirs", "consurv.adapters.native")
        assert adapter_for(kind()) is adapter

    def test_a_module_is_imported_when_first_used(self, monkeypatch):
        monkeypatch.setattr(lookup, "_ADAPTERS", dict(lookup._ADAPTERS))
        register_adapter("theirs", "consurv.adapters.function")
        kind = type("Theirs", (), {"__module__": "theirs"})
        assert name_of(kind()) == "FunctionAdapter"


class TestImports:
    def test_importing_consurv_imports_no_foreign_survival_library(self):
        code = (
            "import sys, consurv, consurv.adapters\n"
            "consurv.adapters.adapter_for(len)\n"
            "from consurv.adapters.registry import LIBRARIES\n"
            "names = {m for x in LIBRARIES for m in x.modules}\n"
            "foreign = {m for m in names if 'sklearn' not in m}\n"
            "foreign = sorted((foreign | {'torch'}) & set(sys.modules))\n"
            "sys.exit(str(foreign) if foreign else 0)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
