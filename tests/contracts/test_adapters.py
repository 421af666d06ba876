"""What every way of bringing a model must do, whatever the library."""

import pickle
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from consurv import ConformalSurvival, InvalidInput, NotConformalizedError, Outcome
from consurv.adapters import adapter_for
from consurv.adapters.registry import LIBRARIES
from consurv.errors import MissingDependency
from consurv.models import FromRisk

N = 160
COLUMNS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).astype(np.float32)
    time = 10 * np.exp(0.8 * X[:, 0] - 0.4 * X[:, 1]) * rng.weibull(1.5, N)
    limit = rng.exponential(20, N)
    return X, Outcome(np.minimum(time, limit), time <= limit)


# -- what is brought ----------------------------------------------------------


def own(name, **params):
    import consurv.models

    try:
        kind = getattr(consurv.models, name)
    except MissingDependency as missing:
        pytest.skip(str(missing))
    return kind(**params)


def boosted(name):
    return own(name, n_estimators=15, early_stopping_rounds=5, n_jobs=1, random_state=0)


def xgb_regressor():
    xgboost = pytest.importorskip("xgboost")
    return FromRisk(xgboost.XGBRegressor(n_estimators=9, max_depth=2, n_jobs=1))


def lgbm():
    lightgbm = pytest.importorskip("lightgbm")
    return FromRisk(
        lightgbm.LGBMRegressor(n_estimators=9, n_jobs=1, verbose=-1, random_state=0)
    )


def catboost_settings():
    return {
        "iterations": 15,
        "verbose": False,
        "allow_writing_files": False,
        "thread_count": 1,
        "random_seed": 0,
    }


def catboost_aft():
    catboost = pytest.importorskip("catboost")
    return catboost.CatBoostRegressor(
        loss_function="SurvivalAft:dist=Extreme;scale=0.8", **catboost_settings()
    )


def catboost_cox():
    catboost = pytest.importorskip("catboost")
    return FromRisk(catboost.CatBoostRegressor(**catboost_settings()))


def sksurv_svm():
    svm = pytest.importorskip("sksurv.svm")
    return FromRisk(svm.FastSurvivalSVM(random_state=0))


def skpro_aft():
    aft = pytest.importorskip("skpro.survival.aft")
    return aft.AFTWeibull()


def sksurv_cox():
    linear = pytest.importorskip("sksurv.linear_model")
    return linear.CoxPHSurvivalAnalysis(alpha=0.1)


def lifelines_aft():
    return pytest.importorskip("lifelines").WeibullAFTFitter(penalizer=0.01)


# Models that are trained by fit.
TRAINED = {
    "XGBSurvivalAFT": lambda: boosted("XGBSurvivalAFT"),
    "XGBSurvivalCox": lambda: boosted("XGBSurvivalCox"),
    "CatBoostSurvivalAFT": lambda: boosted("CatBoostSurvivalAFT"),
    "CatBoostSurvivalCox": lambda: boosted("CatBoostSurvivalCox"),
    "CatBoostRegressor": catboost_aft,
    "FromRisk(XGBRegressor)": xgb_regressor,
    "FromRisk(CatBoostRegressor)": catboost_cox,
    "FromRisk(LGBMRegressor)": lgbm,
    "FromRisk(FastSurvivalSVM)": sksurv_svm,
    "skpro": skpro_aft,
    "scikit-survival": sksurv_cox,
    "lifelines": lifelines_aft,
}


def xgb_booster(X, y):
    xgboost = pytest.importorskip("xgboost")
    rows = xgboost.DMatrix(X, feature_names=COLUMNS)
    rows.set_float_info("label_lower_bound", y.time)
    rows.set_float_info("label_upper_bound", np.where(y.event, y.time, np.inf))
    settings = {"objective": "survival:aft", "nthread": 1, "max_depth": 2}
    return xgboost.train(settings, rows, 9)


def xgb_cox_booster(X, y):
    xgboost = pytest.importorskip("xgboost")
    label = np.where(y.event, y.time, -y.time)
    rows = xgboost.DMatrix(X, label=label, feature_names=COLUMNS)
    booster = xgboost.train({"objective": "survival:cox", "nthread": 1}, rows, 5)
    return FromRisk(booster).fit(pd.DataFrame(X, columns=COLUMNS), y)


def net(outputs, seed=0):
    torch = pytest.importorskip("torch")
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 8),
        torch.nn.BatchNorm1d(8),
        torch.nn.Dropout(0.5),
        torch.nn.Linear(8, outputs),
    )


def torch_weibull(X, y):
    return own("FromTorch", module=net(2), output="weibull")


def torch_pmf(X, y):
    return own("FromTorch", module=net(5), output="pmf-logits", times=[2.0, 5, 9, 20])


def torch_hazards(X, y):
    times = [2.0, 5, 9, 20]
    return own("FromTorch", module=net(4), output="hazard-logits", times=times)


def torch_cox(X, y):
    return own("FromTorch", module=net(1), output="log-hazard").fit(X, y)


def pycox_cox(X, y):
    models = pytest.importorskip("pycox.models")
    model = models.CoxPH(net(1))
    target = y.time.astype(np.float32), y.event.astype(np.float32)
    with warnings.catch_warnings():  # of torch, about pycox
        warnings.simplefilter("ignore")
        model.fit(X, target, batch_size=80, epochs=1, verbose=False)
    model.compute_baseline_hazards()
    return model


def pycox_discrete(X, y):
    models = pytest.importorskip("pycox.models")
    return models.LogisticHazard(net(5), duration_index=np.array([0.0, 2, 5, 9, 20]))


# Models that come trained and are taken as they are.
FROZEN = {
    "xgboost.Booster": xgb_booster,
    "FromRisk(Booster)": xgb_cox_booster,
    "FromTorch weibull": torch_weibull,
    "FromTorch pmf-logits": torch_pmf,
    "FromTorch hazard-logits": torch_hazards,
    "FromTorch log-hazard": torch_cox,
    "pycox.CoxPH": pycox_cox,
    "pycox.LogisticHazard": pycox_discrete,
}


def fitted(name, X, y):
    if name in FROZEN:
        return FROZEN[name](X, y)
    model = TRAINED[name]()
    frame = pd.DataFrame(X, columns=COLUMNS)
    return adapter_for(model).fit(model, frame, y)


@pytest.fixture(scope="module")
def ready(data):
    """Each model, trained once."""
    kept = {}

    def get(name):
        if name not in kept:
            kept[name] = fitted(name, *data)
        return kept[name]

    return get


def curves_of(model, X):
    return adapter_for(model).curves(model, X)


def times_of(model, X):
    return curves_of(model, X).percentile_times([0.9, 0.5, 0.2])


def frame_of(X):
    return pd.DataFrame(X, columns=COLUMNS)


# lifelines knows columns by their names alone, skpro and scikit-learn too.
BY_NAME_ONLY = {"lifelines", "skpro"}
# pycox and torch modules know columns by their places alone.
BY_PLACE_ONLY = {name for name in FROZEN if "pycox" in name or "Torch" in name}
ALL = [*TRAINED, *FROZEN]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:X has feature names, but")
@pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
@pytest.mark.parametrize("name", ALL)
class TestCurves:
    def test_are_one_for_each_row(self, name, ready, data):
        q = times_of(ready(name), frame_of(data[0]))
        assert q.shape == (N, 3)
        assert (np.diff(q, axis=1) >= 0).all()
        assert np.isfinite(q[:, 1]).all()
        assert len(np.unique(q[:, 1])) > 1  # not the same for everybody

    def test_of_an_array_are_those_of_a_table(self, name, ready, data):
        model, X = ready(name), data[0]
        if name in BY_NAME_ONLY:
            with pytest.raises(ValueError, match="column"):
                times_of(model, X)
            return
        assert_allclose(times_of(model, X), times_of(model, frame_of(X)), rtol=1e-5)

    def test_do_not_depend_on_the_order_of_columns(self, name, ready, data):
        model, X = ready(name), frame_of(data[0])
        mixed = X[["c", "a", "b"]]
        if name in BY_PLACE_ONLY:  # it never saw a name, and is told none
            same = times_of(model, mixed.to_numpy())
            assert_allclose(times_of(model, mixed), same, rtol=1e-6)
            return
        assert_allclose(times_of(model, mixed), times_of(model, X), rtol=1e-6)

    def test_of_a_part_are_a_part_of_all(self, name, ready, data):
        model, X = ready(name), frame_of(data[0])
        whole = times_of(model, X)
        for rows in (slice(0, 1), slice(5, 50)):
            assert_allclose(times_of(model, X.iloc[rows]), whole[rows], rtol=1e-4)

    def test_are_the_same_in_double_precision(self, name, ready, data):
        model, X = ready(name), frame_of(data[0])
        double = X.astype(np.float64)
        assert_allclose(times_of(model, double), times_of(model, X), rtol=1e-4)

    def test_of_nobody_are_refused(self, name, ready, data):
        with pytest.raises(ValueError, match=r"0 sample|no rows"):
            curves_of(ready(name), frame_of(data[0])[:0])

    def test_survive_pickle(self, name, ready, data):
        model, X = ready(name), frame_of(data[0])
        copy = pickle.loads(pickle.dumps(model))
        assert_array_equal(times_of(copy, X), times_of(model, X))

    def test_are_calibrated_as_they_are(self, name, ready, data):
        X, y = frame_of(data[0]), data[1]
        model = ConformalSurvival(ready(name), adjustment="log-time", percentiles=3)
        model.conformalize(X, y)
        assert model.predict_survival_function(X).median().shape == (N,)
        frozen = ConformalSurvival(
            FrozenEstimator(ready(name)), adjustment="log-time", percentiles=3
        ).fit(X, y)
        assert_allclose(frozen.predict(X[:9]), model.predict(X[:9]))


@pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
@pytest.mark.filterwarnings("ignore:Optimization did not converge")
@pytest.mark.parametrize("name", TRAINED)
class TestTraining:
    def test_is_told_from_none(self, name, data):
        model = TRAINED[name]()
        with pytest.raises(NotFittedError):
            curves_of(model, data[0])
        with pytest.raises(NotConformalizedError, match="is not fitted"):
            ConformalSurvival(model).conformalize(*data)

    def test_leaves_a_copy_untrained_and_settings_alone(self, name, ready):
        model = ready(name)
        copy = adapter_for(model).clone(model)
        assert not adapter_for(copy).is_fitted(copy)
        if hasattr(model, "get_params"):
            assert str(copy.get_params()) == str(model.get_params())

    def test_by_conformal_survival_ranks(self, name, data):
        X, y = frame_of(data[0]), data[1]
        model = ConformalSurvival(
            TRAINED[name](), adjustment="log-time", n_folds=2, random_state=0
        )
        assert clone(model).fit(X, y).score(X, y) > 0.65


@pytest.mark.parametrize("name", [n for n in FROZEN if n[:4] not in ("From",)])
def test_what_came_trained_is_not_trained_here(name, ready, data):
    with pytest.raises(InvalidInput, match="use conformalize"):
        ConformalSurvival(ready(name)).fit(*data)


def test_every_library_is_here():
    said = " ".join(ALL).lower().replace("lgbm", "lightgbm").replace("xgb", "xgboost")
    for library in LIBRARIES:
        for word in library.name.lower().split(", ")[:1]:
            assert word in said, library.name


# -- models that are wrong ----------------------------------------------------


@dataclass
class Wrong:
    """A model whose answer is what it is told."""

    answer: Any

    def predict_surv_df(self, X):
        return self.answer


class TestWrongModels:
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            (np.full((2, 5), 0.5), "gave 5 survival curves for 3 rows"),
            (np.full((2, 3), np.nan), "NaN"),
            (np.array([[0.9] * 3, [0.5] * 3, [0.7] * 3]), "must not rise"),
            (np.array([[90.0] * 3, [50.0] * 3]), "divide by 100"),
        ],
    )
    def test_are_refused(self, values, message):
        frame = pd.DataFrame(values, index=np.arange(1.0, len(values) + 1))
        with pytest.raises(InvalidInput, match=message):
            curves_of(Wrong(frame), np.zeros((3, 1)))

    def test_without_a_frame_are_refused(self):
        with pytest.raises(InvalidInput, match="predict_surv_df gave a list"):
            curves_of(Wrong([1, 2]), np.zeros((3, 1)))

    def test_a_scale_of_0_is_refused(self):
        model = own("FromTorch", module=constant([0.0, -800.0]), output="log-normal")
        with pytest.raises(InvalidInput, match="scale must be > 0"):
            curves_of(model, np.zeros((3, 1)))


def constant(values):
    torch = pytest.importorskip("torch")

    class Same(torch.nn.Module):
        def forward(self, x):
            return torch.tensor([values]).repeat(len(x), 1)

    return Same()
