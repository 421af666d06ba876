"""What every registered model must do, whatever it is."""

import pickle
import warnings
from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_array

from consurv import ConformalSurvival, Outcome
from consurv.adapters import adapter_for
from consurv.datasets import load_dataset
from consurv.errors import InvalidInput, MissingDependency
from consurv.metrics import concordance_of_risk, d_calibration
from consurv.models import make_model, model_names
from consurv.models.registry import BOOSTERS
from consurv.splits import split

# A model that learns nothing from features cannot rank.
RANKING = [name for name in model_names() if name != "km"]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small networks gain nothing from more, and tests share the machine."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def make(name, seed=0, *, quick=True):
    """Make a model; a few epochs will do where only its manners are at stake."""
    try:
        model = make_model(name, random_state=seed)
    except MissingDependency as missing:
        pytest.skip(str(missing))
    params = model.get_params()
    if quick and "max_epochs" in params:
        model.set_params(max_epochs=3)
    if name in BOOSTERS:
        model.set_params(n_jobs=1)
    if "n_estimators" in params and (quick or name == "random-forest"):
        model.set_params(n_estimators=10 if quick else 40)  # of 100
    return model


def fit(model, X, y, validation=None):
    return adapter_for(model).fit(model, X, y, validation)


def curves_of(model, X):
    return adapter_for(model).curves(model, X)


def simulate(n, n_features=4, *, seed=0, censoring=12.0):
    """A Weibull law with proportional hazards; the third result is the true risk."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    risk = X[:, :3] @ np.array([1.0, -0.7, 0.5])[:n_features]
    time = 5 * rng.weibull(1.5, n) * np.exp(-risk / 1.5)
    censored = rng.exponential(censoring, n)
    return X, Outcome(np.minimum(time, censored), time <= censored), risk


def check_curves(curves, n):
    """Curves must start at 1, never rise, stay in [0, 1] and come to an end."""
    assert len(curves) == n
    survival = np.asarray(curves.survival, dtype=float)
    assert np.isfinite(survival).all()
    assert (survival[:, 0] == 1).all()
    assert (np.diff(survival, axis=1) <= 1e-6).all()
    assert survival.min() >= 0
    assert (np.diff(curves.times, axis=-1) >= 0).all()
    assert (curves.times[..., 0] == 0).all()
    levels = np.array([0.9, 0.5, 0.1])
    q = curves.percentile_times(levels)
    assert (q >= 0).all()
    assert not np.isnan(q).any()
    assert (np.diff(q, axis=1) >= 0).all()


@pytest.fixture(scope="module")
def small():
    X, y, _ = simulate(120)
    return X, y


@pytest.mark.parametrize("name", model_names())
class TestManners:
    def test_curves_are_curves(self, name, small):
        X, y = small
        model = fit(make(name), X, y)
        check_curves(curves_of(model, X[:50]), 50)
        np.testing.assert_allclose(
            model.predict(X[:1]), model.predict(X[:5])[:1], rtol=1e-4
        )

    def test_the_same_seed_gives_the_same_answer(self, name, small):
        X, y = small
        first, second = (
            curves_of(fit(make(name, seed=7), X, y), X).median() for _ in range(2)
        )
        np.testing.assert_array_equal(first, second)

    def test_the_global_random_state_is_left_alone(self, name, small):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        fit(make(name), *small)
        np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002

    def test_training_changes_neither_data_nor_settings(self, name, small):
        X, y = small
        kept_X, kept_y = X.copy(), y[:]
        model = make(name)
        before = model.get_params()
        fit(model, X, y)
        assert model.get_params() == before
        np.testing.assert_array_equal(X, kept_X)
        assert y == kept_y

    def test_clone_and_pickle_predict_the_same(self, name, small):
        X, y = small
        model = fit(make(name), X, y)
        expected = curves_of(model, X).median()
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(curves_of(copy, X).median(), expected)
        again = fit(clone(model), X, y)
        np.testing.assert_array_equal(curves_of(again, X).median(), expected)

    def test_predict_is_a_risk_and_score_its_concordance(self, name, small):
        X, y = small
        model = fit(make(name), X, y)
        risk = model.predict(X)
        assert risk.shape == (120,)
        expected = float(concordance_of_risk(y, risk))
        assert model.score(X, y.to_structured()) == pytest.approx(expected, abs=1e-3)

    @pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
    def test_works_inside_conformal_survival_and_a_pipeline(self, name, small):
        X, y = small
        inside = ConformalSurvival(
            make_pipeline(StandardScaler(), make(name)), random_state=0
        ).fit(X, y)
        around = make_pipeline(
            StandardScaler(), ConformalSurvival(make(name), random_state=0)
        ).fit(X, y)
        for model in (inside, around):
            check_curves(curves_of(model, X[:20]), 20)
            assert model.predict(X[:20]).shape == (20,)

    def test_a_validation_set_is_taken_where_it_is_of_use(self, name, small):
        X, y = small
        model = make(name)
        stops = {"max_epochs", "early_stopping_rounds"} & set(model.get_params())
        assert adapter_for(model).takes_validation(model) == bool(stops)
        fit(model, X[:80], y[:80], validation=(X[80:], y[80:]))
        check_curves(curves_of(model, X), 120)


@pytest.mark.parametrize("name", [n for n in model_names() if n != "random-forest"])
def test_our_models_are_all_trained_by_the_same_call(name, small):
    X, y = small
    model = make(name)
    parameters = signature(model.fit).parameters
    assert list(parameters) == ["X", "y", "X_val", "y_val"]
    assert parameters["X_val"].default is parameters["y_val"].default is None
    assert model.fit(X[:80], y[:80], X[80:], y[80:]) is model
    # As a step of a Pipeline too, where the step's own adapter is asked.
    pipeline = make_pipeline(StandardScaler(), make(name))
    takes = adapter_for(pipeline).takes_validation(pipeline)
    assert takes == model.uses_validation
    given = {
        f"{pipeline.steps[-1][0]}__{k}": v
        for k, v in [("X_val", X[80:]), ("y_val", y[80:])]
    }
    check_curves(curves_of(pipeline.fit(X, y, **given), X[:9]), 9)


@pytest.mark.parametrize("name", model_names())
class TestData:
    def test_float32_will_do(self, name, small):
        X, y = small
        double = curves_of(fit(make(name), X, y), X).median()
        single = X.astype(np.float32)
        np.testing.assert_allclose(
            curves_of(fit(make(name), single, y), single).median(), double, rtol=0.02
        )

    def test_one_feature_will_do(self, name):
        X, y, _ = simulate(100, 1)
        check_curves(curves_of(fit(make(name), X, y), X), 100)

    def test_more_features_than_subjects_will_do(self, name):
        X, y, _ = simulate(300, 500)
        model = make(name)
        if name == "weibull-aft":
            with pytest.raises(InvalidInput, match="500 features"):
                fit(model, X, y)
            return
        check_curves(curves_of(fit(model, X, y), X), 300)

    @pytest.mark.parametrize("unit", [1.0, 5.0])
    def test_tied_times_will_do(self, name, unit):
        X, y, _ = simulate(120)
        tied = Outcome(np.ceil(y.time / unit) * unit, y.event)
        check_curves(curves_of(fit(make(name), X, tied), X), 120)

    def test_many_censored_will_do(self, name):
        X, y, _ = simulate(400, censoring=0.65)
        assert 0.88 < 1 - y.n_events / 400 < 0.95
        check_curves(curves_of(fit(make(name), X, y), X), 400)

    @pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")
    def test_few_events_will_do(self, name):
        X, y, _ = simulate(60, 1)
        few = Outcome(y.time, np.isin(np.arange(60), np.argsort(y.time)[[3, 20, 40]]))
        check_curves(curves_of(fit(make(name), X, few), X), 60)

    @pytest.mark.parametrize("power", [-20, 20])
    def test_any_unit_of_time_will_do(self, name, power):
        X, y, _ = simulate(120)
        scaled = Outcome(y.time * 2.0**power, y.event)
        expected = curves_of(fit(make(name), X, y), X).median()
        found = curves_of(fit(make(name), X, scaled), X).median()
        np.testing.assert_allclose(found, expected * 2.0**power, rtol=0.02)


def with_numeric_target(name):
    """Let a model take the one kind of y that scikit-learn's checks know."""
    kind = type(make(name))

    class NumericTarget(kind):
        def fit(self, X, y, X_val=None, y_val=None):
            return super().fit(X, to_outcome(y))

        def score(self, X, y):
            return super().score(X, to_outcome(y))

    # A class must be found by its name to be pickled.
    NumericTarget.__name__ = NumericTarget.__qualname__ = f"Numeric{kind.__name__}"
    globals()[NumericTarget.__name__] = NumericTarget
    return NumericTarget(**make(name).get_params())


def to_outcome(y):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, Outcome):
        return y
    y = check_array(y, ensure_2d=False, dtype=None)
    if y.ndim == 2:
        warnings.warn("y is a column", DataConversionWarning, stacklevel=2)
        y = y[:, 0]
    if y.dtype.kind not in "fiu":
        y = np.unique(y, return_inverse=True)[1]
    return Outcome(time=np.abs(y) + 1, event=np.arange(len(y)) % 3 > 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [name for name in model_names() if name != "random-forest"]
)
def test_scikit_learns_own_checks_pass(name):
    check_estimator(with_numeric_target(name), on_skip=None)


@pytest.fixture(scope="module")
def large():
    """2,000 subjects to train on, 5,000 to test on, and the best C-index there is."""
    X, y, _ = simulate(2000, seed=1)
    X_test, y_test, risk = simulate(5000, seed=2)
    return (X, y), (X_test, y_test), float(concordance_of_risk(y_test, risk))


@pytest.mark.slow
@pytest.mark.parametrize("name", model_names())
def test_learns_a_simulated_effect_and_is_calibrated_by_csd(name, large):
    (X, y), (X_test, y_test), oracle = large
    model = ConformalSurvival(make(name, quick=False), random_state=0).fit(X, y)
    curves = model.predict_survival_function(X_test)
    assert float(d_calibration(y_test, curves)) <= 2e-3
    if name in RANKING:
        assert model.score(X_test, y_test) >= oracle - 0.02


@pytest.fixture(scope="module")
def gbsg():
    pytest.importorskip("survival")
    from consurv.datasets import TableEncoder, load_dataset
    from consurv.splits import split

    data = load_dataset("GBSG")
    y = data.outcome
    # A test set like the training set: chance alone moves the C-index by 0.03.
    train, test = split(y, 0.2, random_state=0, stratify="event+time")
    encoder = TableEncoder().fit(data.X.iloc[train])
    X, X_test = (encoder.transform(data.X.iloc[rows]) for rows in (train, test))
    return (X, y[train]), (X_test, y[test])


@pytest.mark.slow
@pytest.mark.parametrize("name", RANKING)
def test_ranks_gbsg(name, gbsg):
    (X, y), (X_test, y_test) = gbsg
    model = fit(make(name, quick=False), X, y)
    risk = -curves_of(model, X_test).median()
    assert float(concordance_of_risk(y_test, risk)) >= 0.65


@pytest.mark.slow
@pytest.mark.parametrize("name", model_names())
def test_dlbcl_with_its_7399_features_does_not_break_it(name):
    pytest.importorskip("SurvSet", reason="DLBCL comes with the package SurvSet")
    data = load_dataset("DLBCL")
    X, y = StandardScaler().fit_transform(data.X), Outcome.of(data.y)
    train, test = split(y, 0.2, random_state=0)
    model = make(name)
    if name == "weibull-aft":
        with pytest.raises(InvalidInput, match="7399 features"):
            fit(model, X[train], y[train])
        return
    fit(model, X[train], y[train])
    median = curves_of(model, X[test]).median()
    assert median.shape == (len(test),)
    assert not np.isnan(median).any()
