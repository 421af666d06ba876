import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from consurv.adapters import adapter_for
from consurv.adapters.lifelines import ADAPTER
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

lifelines = pytest.importorskip("lifelines")

LEVELS = np.arange(1, 20) / 20

AFT = {
    "weibull": lifelines.WeibullAFTFitter(),
    "weibull, two parts": lifelines.WeibullAFTFitter(model_ancillary=True),
    "log-normal": lifelines.LogNormalAFTFitter(penalizer=0.01),
    "log-logistic": lifelines.LogLogisticAFTFitter(alpha=0.1),
}
COX = {
    "cox": lifelines.CoxPHFitter(penalizer=0.01),
    "stratified cox": lifelines.CoxPHFitter(strata=["x2"]),
}
OTHERS = {
    "spline cox": lifelines.CoxPHFitter(
        baseline_estimation_method="spline", n_baseline_knots=2
    ),
    "spline cox with knots": lifelines.CoxPHFitter(
        baseline_estimation_method="spline", knots=[1.0, 5.0, 30.0]
    ),
    "piecewise cox": lifelines.CoxPHFitter(
        baseline_estimation_method="piecewise", breakpoints=[3.0, 9.0]
    ),
    "piecewise": lifelines.PiecewiseExponentialRegressionFitter(
        [3.0, 9.0], penalizer=0.1
    ),
    "generalized gamma": lifelines.GeneralizedGammaRegressionFitter(penalizer=0.5),
}
MODELS = AFT | COX | OTHERS


def fit(name, X, y):
    return train(ADAPTER.clone(MODELS[name]), X, y)


def train(model, X, y):
    with warnings.catch_warnings():
        # While it trains, lifelines warns that its own summary approximates the median
        # or the Hessian, and numpy of steps that scipy's optimizer tried too far.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        return ADAPTER.fit(model, X, y)


@pytest.fixture(scope="module")
def fitted(small):
    return {name: fit(name, small.X, small.y) for name in MODELS}


@pytest.fixture
def frame(small):
    return pd.DataFrame(small.X, columns=["x0", "x1", "x2"])


class TestAcceleratedFailureTimes:
    @pytest.mark.parametrize("name", AFT)
    def test_percentile_times_are_those_of_the_model(self, name, fitted, small, frame):
        found = ADAPTER.curves(fitted[name], small.X).percentile_times(LEVELS)
        expected = [fitted[name].predict_percentile(frame, p=p) for p in LEVELS]
        np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-10)

    @pytest.mark.parametrize("name", AFT)
    def test_survival_is_the_model_s_far_past_the_last_time(
        self, name, fitted, small, frame
    ):
        times = np.geomspace(0.01, 20 * small.y.time.max(), 500)
        found = ADAPTER.curves(fitted[name], small.X).survival_at(times)
        expected = fitted[name].predict_survival_function(frame, times=times)
        assert np.abs(found - expected.to_numpy().T).max() < 3e-4

    @pytest.mark.parametrize("name", AFT)
    def test_means_are_close_where_the_mean_is_short_tailed(
        self, name, fitted, small, frame
    ):
        found = ADAPTER.curves(fitted[name], small.X).mean()
        expected = fitted[name].predict_expectation(frame)
        # The log-logistic mean is ruled by its tail, which ends at level 1e-6 here.
        tolerance = 0.02 if name == "log-logistic" else 1e-3
        np.testing.assert_allclose(found, expected, rtol=tolerance)

    def test_a_predictor_that_overflows_is_a_curve_that_never_drops(self, fitted):
        X = np.array([[0.0, 0.0, 0.0], [1e6, 0.0, 0.0], [-1e6, 0.0, 0.0]])
        median = ADAPTER.curves(fitted["log-normal"], X).median()
        assert np.isfinite(median[0])
        assert median[1:].tolist() == [np.inf, 0.0]

    @pytest.mark.parametrize("name", AFT)
    @pytest.mark.parametrize("factor", [2.0**-30, 1e9])
    def test_the_unit_of_time_does_not_matter(self, name, factor, fitted, small):
        # The same parameters in another unit, not another run of the optimizer.
        model, scaled = fitted[name], ADAPTER.clone(fitted[name])
        scaled.__dict__.update(model.__dict__)
        scaled.params_ = model.params_.copy()
        place = (scaled._primary_parameter_name, "Intercept")
        scaled.params_[place] += np.log(factor)
        np.testing.assert_allclose(
            ADAPTER.curves(scaled, small.X).percentile_times(LEVELS),
            ADAPTER.curves(model, small.X).percentile_times(LEVELS) * factor,
            rtol=1e-12,
        )


class TestCox:
    @pytest.mark.parametrize("name", COX)
    def test_curves_are_steps_at_the_training_times(self, name, fitted, small, frame):
        curves = ADAPTER.curves(fitted[name], small.X)
        times = np.unique(small.y.time)
        expected = fitted[name].predict_survival_function(frame, times=times)
        assert curves.interpolation == "step"
        np.testing.assert_allclose(
            curves.survival_at(times),
            expected[range(len(frame))].to_numpy().T,
            rtol=1e-12,
            atol=1e-15,
        )

    def test_strata_do_not_reorder_the_subjects(self, fitted, small):
        curves = ADAPTER.curves(fitted["stratified cox"], small.X)
        for row in range(8):
            alone = ADAPTER.curves(fitted["stratified cox"], small.X[[row]])
            np.testing.assert_allclose(curves[row].survival, alone.survival, rtol=1e-12)

    def test_a_timeline_given_to_fit_does_not_thin_the_steps(self, small, frame):
        data = frame.assign(T=small.y.time, E=small.y.event)
        model = lifelines.CoxPHFitter().fit(data, "T", "E", timeline=[1.0, 20.0])
        plain = lifelines.CoxPHFitter().fit(data, "T", "E")
        times = np.unique(small.y.time)
        np.testing.assert_allclose(
            ADAPTER.curves(model, frame).survival_at(times),
            ADAPTER.curves(plain, frame).survival_at(times),
        )


class TestOtherParametricModels:
    @pytest.mark.parametrize("name", OTHERS)
    def test_survival_and_percentile_times_are_close(self, name, fitted, small, frame):
        curves = ADAPTER.curves(fitted[name], small.X)
        times = np.geomspace(0.01, 20 * small.y.time.max(), 700)
        expected = fitted[name].predict_survival_function(frame, times=times)
        error = np.abs(curves.survival_at(times) - expected.to_numpy().T)
        assert error.max() < 1e-3

        found = curves.percentile_times(LEVELS)
        for row in range(0, len(frame), 40):
            back = fitted[name].predict_survival_function(
                frame.iloc[[row]], times=found[row]
            )
            np.testing.assert_allclose(back.to_numpy()[:, 0], LEVELS, atol=1e-3)


class TestRowsAndColumns:
    @pytest.mark.parametrize("name", MODELS)
    def test_some_rows_give_those_rows_of_all(self, name, fitted, small):
        whole = ADAPTER.curves(fitted[name], small.X)
        for part in (slice(30, 70), slice(5, 6)):
            np.testing.assert_allclose(
                ADAPTER.curves(fitted[name], small.X[part]).percentile_times(LEVELS),
                whole[part].percentile_times(LEVELS),
                rtol=1e-12,
            )

    @pytest.mark.parametrize("name", ["weibull", "cox", "stratified cox"])
    def test_the_index_is_not_looked_at(self, name, fitted, small, frame):
        expected = ADAPTER.curves(fitted[name], small.X).percentile_times(LEVELS)
        shuffled = np.random.default_rng(1).permutation(len(frame))
        for index in (shuffled, np.zeros(len(frame), int), frame.index.astype(str)):
            odd = frame.set_axis(index, axis=0)
            model = fit(name, odd, small.y)
            np.testing.assert_allclose(
                ADAPTER.curves(model, odd).percentile_times(LEVELS),
                expected,
                rtol=1e-9,
            )

    def test_columns_may_come_in_another_order(self, fitted, small, frame):
        expected = ADAPTER.curves(fitted["weibull"], small.X).median()
        found = ADAPTER.curves(fitted["weibull"], frame[["x2", "x0", "x1"]]).median()
        np.testing.assert_allclose(found, expected)

    def test_names_such_as_time_event_and_numbers_are_the_user_s_own(self, small):
        expected = ADAPTER.curves(fit("cox", small.X, small.y), small.X).median()
        for names in (["time", "event", "time_"], [0, 1, 2], ["a b", "1 + x", "`"]):
            odd = pd.DataFrame(small.X, columns=names)
            found = ADAPTER.curves(fit("cox", odd, small.y), odd).median()
            np.testing.assert_allclose(found, expected)
            assert list(odd.columns) == names

    def test_polars_and_lists_are_taken(self, fitted, small, frame):
        expected = ADAPTER.curves(fitted["cox"], small.X).median()
        for X in (pl.from_dict(frame.to_dict("list")), small.X.tolist()):
            found = ADAPTER.curves(fit("cox", X, small.y), X).median()
            np.testing.assert_allclose(found, expected)

    @pytest.mark.parametrize("name", ["weibull", "cox", "stratified cox", "piecewise"])
    def test_missing_columns_are_named(self, name, fitted, frame):
        with pytest.raises(
            InvalidInput, match=r"lacks columns that the \w+ was fitted on: .*x2"
        ):
            ADAPTER.curves(fitted[name], frame[["x0", "x1"]])

    def test_an_array_for_a_fitter_that_knows_names_is_refused(self, small, frame):
        data = frame.rename(columns={"x0": "age"})
        model = fit("cox", data, small.y)
        with pytest.raises(InvalidInput, match=r"age.*X has \['x0', 'x1', 'x2'\]"):
            ADAPTER.curves(model, small.X)

    def test_two_columns_of_one_name_are_refused(self, small, frame):
        with pytest.raises(InvalidInput, match="two columns called 'x0'"):
            fit("cox", frame.set_axis(["x0", "x1", "x0"], axis=1), small.y)


class TestLifeOfAFitter:
    @pytest.mark.parametrize("name", MODELS)
    def test_a_clone_has_the_settings_and_no_training(self, name, fitted, small):
        assert adapter_for(fitted[name]) is ADAPTER
        assert ADAPTER.is_fitted(fitted[name])
        assert not ADAPTER.takes_validation(fitted[name])
        copy = ADAPTER.clone(fitted[name])
        assert not ADAPTER.is_fitted(copy)
        assert not hasattr(copy, "durations")
        for attribute, value in vars(MODELS[name]).items():
            np.testing.assert_array_equal(vars(copy)[attribute], value)

    @pytest.mark.parametrize("name", ["weibull", "cox", "spline cox with knots"])
    def test_a_clone_learns_the_same(self, name, fitted, small):
        again = train(ADAPTER.clone(fitted[name]), small.X, small.y)
        np.testing.assert_allclose(again.params_, fitted[name].params_)

    def test_curves_before_fit_say_that_fit_is_missing(self, small):
        with pytest.raises(NotFittedError, match=r"CoxPHFitter is not fitted.*fit it"):
            ADAPTER.curves(lifelines.CoxPHFitter(), small.X)

    def test_settings_of_parents_are_kept(self):
        model = lifelines.CRCSplineFitter(n_baseline_knots=3, penalizer=0.7)
        copy = ADAPTER.clone(model)
        assert (copy.n_baseline_knots, copy.penalizer) == (3, 0.7)

    def test_a_fitter_fitted_with_a_formula_gives_curves(self, small, frame):
        data = frame.assign(T=small.y.time, E=small.y.event)
        model = lifelines.WeibullAFTFitter()
        model.fit(data, "T", "E", formula="x0 * x2", ancillary="x1")
        assert ADAPTER.is_fitted(model)
        np.testing.assert_allclose(
            ADAPTER.curves(model, frame).median(), model.predict_median(frame)
        )

    def test_the_outcomes_reach_lifelines(self):
        X = np.array([[0.0], [1.0], [0.0], [1.0], [2.0]])
        y = Outcome(time=[4, 1, 3, 2, 6], event=[1, 1, 0, 1, 0])
        model = ADAPTER.fit(lifelines.CoxPHFitter(penalizer=1.0), X, y)
        assert sorted(model.durations) == [1, 2, 3, 4, 6]
        assert model.event_observed.sum() == 3


class TestRefusedFitters:
    @pytest.mark.parametrize(
        ("model", "reason"),
        [
            (lifelines.KaplanMeierFitter(), "it knows no features"),
            (lifelines.WeibullFitter(), "it knows no features"),
            (lifelines.CoxTimeVaryingFitter(), "predicts no survival curves"),
            (lifelines.AalenAdditiveFitter(), "can rise and leave"),
        ],
    )
    def test_say_why_whatever_is_asked_of_them(self, model, reason, small):
        message = f"{type(model).__name__} cannot be used: .*{reason}"
        for ask in (
            lambda: ADAPTER.clone(model),
            lambda: ADAPTER.is_fitted(model),
            lambda: ADAPTER.fit(model, small.X, small.y),
            lambda: ADAPTER.curves(model, small.X),
        ):
            with pytest.raises(InvalidInput, match=message):
                ask()


def test_a_column_called_intercept_is_refused():
    frame = pd.DataFrame({"Intercept": [0.0, 1.0, 0.0, 1.0]})
    y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 0, 1])
    with pytest.raises(InvalidInput, match="'Intercept', a name that WeibullAFTFitter"):
        ADAPTER.fit(lifelines.WeibullAFTFitter(), frame, y)


@pytest.mark.parametrize(
    "name", ["WeibullAFTFitter", "LogNormalAFTFitter", "LogLogisticAFTFitter"]
)
@pytest.mark.parametrize("ancillary", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_aft_curves_are_those_of_lifelines(name, ancillary, intercept):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"]).assign(one=1.0)
    X = X.drop(columns="one") if intercept else X
    y = Outcome(time=rng.weibull(1.5, 200) * np.exp(X["a"]), event=np.ones(200))
    settings = {"fit_intercept": intercept, "penalizer": 0.01}
    fitter = getattr(lifelines, name)(model_ancillary=ancillary, **settings)
    adapter_for(fitter).fit(fitter, X, y)
    new = X[["b", "a", *X.columns[2:]]][:9]  # by name, in any order
    curves = adapter_for(fitter).curves(fitter, new)
    times = [0.2, 1.0, 3.0]
    own = fitter.predict_survival_function(X[:9], times=times)
    np.testing.assert_allclose(curves.survival_at(times), own.T, rtol=1e-9)
