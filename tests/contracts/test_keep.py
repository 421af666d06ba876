"""Every model that is known can be saved, and predicts the same bits once loaded."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from consurv import ConformalSurvival, InvalidInput, load
from consurv.datasets import TableEncoder
from consurv.keep import read_manifest
from consurv.models import CoxPH, FromRisk, make_model, model_names
from tests.contracts import test_adapters as known

pytest.importorskip("skops")
pytest.importorskip("safetensors")
pytestmark = [
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:X has feature names, but"),
    pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning"),
    pytest.mark.filterwarnings("ignore:Approximating using"),
]

data = known.data
QUICK = {
    "random-forest": {"n_estimators": 5},
    **{
        name: {"max_epochs": 2, "hidden": (4,)}
        for name in ("deepsurv", "n-mtlr", "deephit", "coxtime", "cqrnn", "lognormal")
    },
}


def own(name, X, y):
    model = make_model(name, random_state=0, **QUICK.get(name, {}))
    return known.adapter_for(model).fit(model, X, y)


def lifelines_model(name, **settings):
    def make(X, y):
        fitter = getattr(pytest.importorskip("lifelines"), name)(**settings)
        return known.adapter_for(fitter).fit(fitter, X, y)

    return make


def lifelines_strata(X, y):
    fitter = pytest.importorskip("lifelines").CoxPHFitter(strata=["c"])
    coarse = X.assign(c=(X["c"] > 0).astype(float))
    return known.adapter_for(fitter).fit(fitter, coarse, y)


def pipeline(X, y):
    steps = SimpleImputer(), StandardScaler(), FunctionTransformer(np.tanh), CoxPH()
    return make_pipeline(*steps).fit(X, y.to_structured())


def columns(X, y):
    scaled = make_column_transformer(
        (make_union(StandardScaler(), SimpleImputer()), ["a", "b"]),
        remainder="passthrough",
    )
    return make_pipeline(scaled, CoxPH()).fit(X, y.to_structured())


def encoded(X, y):
    return make_pipeline(TableEncoder(), CoxPH()).fit(X, y.to_structured())


def search(X, y):
    grid = GridSearchCV(CoxPH(), {"penalty": [0.1, 1.0]}, cv=2)
    return grid.fit(X, y.to_structured())


def frozen(X, y):
    return FrozenEstimator(CoxPH().fit(X, y))


def of_scores(X, y):
    svm = pytest.importorskip("sksurv.svm").FastSurvivalSVM(random_state=0)
    return FromRisk(make_pipeline(StandardScaler(), svm)).fit(X, y)


def pycox_time(X, y):
    pycox = pytest.importorskip("pycox.models")
    preparation = pytest.importorskip("pycox.models.cox_time")
    target = y.time.astype("f4"), y.event.astype("f4")
    net = preparation.MLPVanillaCoxTime(3, [4], batch_norm=True, dropout=0.1)
    model = pycox.CoxTime(net)
    with warnings.catch_warnings():  # of torch, about pycox
        warnings.simplefilter("ignore")
        model.fit(X.to_numpy(), target, batch_size=80, epochs=1, verbose=False)
        model.compute_baseline_hazards()
    return model


def generator(X, y):
    model = make_model("gradient-boosting")
    return model.set_params(random_state=np.random.default_rng(3)).fit(X, y)


MORE = {
    "lifelines Cox": lifelines_model("CoxPHFitter"),
    "lifelines Cox of splines": lifelines_model(
        "CoxPHFitter", baseline_estimation_method="spline", n_baseline_knots=2
    ),
    "lifelines strata": lifelines_strata,
    "lifelines log-normal": lifelines_model("LogNormalAFTFitter"),
    "lifelines piecewise": lifelines_model(
        "PiecewiseExponentialRegressionFitter", breakpoints=[2.0]
    ),
    "Pipeline": pipeline,
    "ColumnTransformer": columns,
    "TableEncoder": encoded,
    "GridSearchCV": search,
    "FrozenEstimator": frozen,
    "FromRisk(Pipeline)": of_scores,
    "pycox.CoxTime": pycox_time,
    "random generator": generator,
}
ALL = [*model_names(), *known.ALL, *MORE]


def trained(name, X, y):
    if name in MORE:
        return MORE[name](X, y)
    if name in known.ALL:
        return known.fitted(name, X.to_numpy(), y)
    return own(name, X, y)


def calibrated(name, data):
    X, y = known.frame_of(data[0]), data[1]
    model = ConformalSurvival(trained(name, X, y), percentiles=5)
    return model.conformalize(_like(name, X), y), _like(name, X)


def _like(name, X):
    coarse = (X["c"] > 0).astype(float)
    return X.assign(c=coarse) if name == "lifelines strata" else X


@pytest.mark.parametrize("name", ALL)
def test_predictions_are_the_same_bits(name, data, tmp_path):
    model, X = calibrated(name, data)
    path = tmp_path / "m.consurv"
    model.save(path)
    again = load(path)
    for rows in (X, X[:1]):
        raw, adjusted = model.predict_both(rows)
        raw_again, adjusted_again = again.predict_both(rows)
        assert_array_equal(adjusted_again.times, adjusted.times)
        assert_array_equal(adjusted_again.survival, adjusted.survival)
        levels = [0.9, 0.5, 0.2]
        assert_array_equal(
            raw_again.percentile_times(levels), raw.percentile_times(levels)
        )
    assert read_manifest(path)["pickled"] == []
    assert list(again.feature_names_in_) == list(X.columns)
    assert again.n_conformal_ == model.n_conformal_
    assert again.conformal_set_ == model.conformal_set_
    again.save(path)  # what was loaded can be saved
    assert_array_equal(load(path).predict(X), model.predict(X))


FRESH = """
import sys
import numpy as np
import pandas as pd
from consurv import load

X = pd.read_pickle(sys.argv[2])
curves = load(sys.argv[1]).predict_survival_function(X)
np.savez(sys.argv[3], times=curves.times, survival=curves.survival)
"""


@pytest.mark.parametrize(
    "name", ["coxph", "deephit", "lifelines", "XGBSurvivalAFT", "Pipeline"]
)
def test_they_are_in_a_fresh_process(name, data, tmp_path):
    model, X = calibrated(name, data)
    path, table, out = (tmp_path / n for n in ("m.consurv", "X.pkl", "out.npz"))
    model.save(path)
    pd.to_pickle(X, table)
    subprocess.run(
        [sys.executable, "-c", FRESH, str(path), str(table), str(out)], check=True
    )
    curves, found = model.predict_survival_function(X), np.load(out)
    assert_array_equal(found["times"], curves.times)
    assert_array_equal(found["survival"], curves.survival)


@pytest.mark.parametrize(
    "adjustment", ["time", "log-time", "level", "recalibrated", "auto"]
)
def test_every_adjustment_is_kept(adjustment, data, tmp_path):
    X, y = known.frame_of(data[0]), data[1]
    model = ConformalSurvival(CoxPH(), adjustment=adjustment, random_state=0)
    model.fit(X, y).save(tmp_path / "m.consurv")
    again = load(tmp_path / "m.consurv")
    assert again.get_params()["adjustment"] == adjustment
    assert again.fit_seconds_ == model.fit_seconds_
    assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    assert_array_equal(again.fit(X, y).predict(X), model.predict(X))  # trains anew


def halves(X):
    return [1.0, 2.0, 9.0], [[0.8, 0.5, 0.1]] * len(X)


class TestPickle:
    def test_is_refused_without_trust_on_both_sides(self, data, tmp_path):
        path = tmp_path / "m.consurv"
        model = ConformalSurvival(halves).conformalize(*data)
        with pytest.raises(
            InvalidInput, match=r"halves can only be kept by pickle.*tr"
        ):
            model.save(path)
        assert not path.exists()
        model.save(path, trust=True)
        with pytest.raises(InvalidInput, match=r"holds a pickle of halves.*trust=True"):
            load(path)
        assert_array_equal(
            load(path, trust=True).predict(data[0]), model.predict(data[0])
        )

    def test_cannot_hold_a_lambda(self, data, tmp_path):
        model = ConformalSurvival(lambda X: halves(X)).conformalize(*data)
        with pytest.raises(InvalidInput, match="<lambda> cannot be kept, not even"):
            model.save(tmp_path / "m", trust=True)

    def test_is_needed_for_a_formula_of_lifelines(self, data, tmp_path):
        lifelines = pytest.importorskip("lifelines")
        X, y = known.frame_of(data[0]), data[1]
        frame = X.assign(time=y.time, event=y.event)
        cox = lifelines.CoxPHFitter().fit(frame, "time", "event", formula="a + b*c")
        model = ConformalSurvival(cox).conformalize(X, y)
        with pytest.raises(
            InvalidInput, match=r"pickle \(it was fitted by the formula"
        ):
            model.save(tmp_path / "m")

    def test_is_needed_for_a_module_of_ones_own(self, data, tmp_path):
        module = known.constant([1.0, 0.0])
        wrapped = known.own("FromTorch", module=module, output="weibull")
        model = ConformalSurvival(wrapped).conformalize(*data)
        with pytest.raises(InvalidInput, match="Same can only be kept by pickle"):
            model.save(tmp_path / "m")
