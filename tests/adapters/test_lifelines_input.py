"""What lifelines' regressions cannot take is named, and what they can is taken."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from consurv import ConformalSurvival, Outcome
from consurv.adapters import adapter_for
from consurv.errors import CalibrationWarning, InvalidInput

lifelines = pytest.importorskip("lifelines")

RNG = np.random.default_rng(0)
N = 200
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"]).assign(
    g=RNG.choice(["u", "v", "w"], N)
)
Y = Outcome(time=RNG.exponential(np.exp(X["a"])), event=RNG.random(N) < 0.8)
TABLE = X.assign(T=Y.time, E=Y.event)
FITTERS = ["CoxPHFitter", "WeibullAFTFitter", "LogNormalAFTFitter"]


def fitted(name="CoxPHFitter", table=TABLE, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of lifelines' own making
        return getattr(lifelines, name)().fit(table, "T", "E", **options)


class TestCategoricalStrata:
    def test_give_the_curves_of_strata_of_text(self):
        table = TABLE.astype({"g": "category"})
        text = ConformalSurvival(fitted(strata=["g"])).conformalize(X, Y)
        model = ConformalSurvival(fitted(table=table, strata=["g"]))
        rows = X.astype({"g": "category"})
        model.conformalize(rows, Y)
        np.testing.assert_array_equal(model.predict(rows), text.predict(X))
        for part in (slice(0, 1), slice(5, 9)):  # most categories are empty
            found = model.predict(rows.iloc[part])
            np.testing.assert_array_equal(found, text.predict(X.iloc[part]))

    def test_may_be_settings_of_the_fitter(self):
        rows = X.astype({"g": "category"})
        model = ConformalSurvival(lifelines.CoxPHFitter(strata=["g"]))
        assert model.fit(rows, Y).predict(rows.head(3)).shape == (3,)

    def test_that_training_did_not_have_are_refused(self):
        model = ConformalSurvival(fitted(strata=["g"])).conformalize(X, Y)
        with pytest.raises(InvalidInput, match="The stratum z was not found"):
            model.predict(X.head(3).assign(g="z"))


class TestCells:
    @pytest.mark.parametrize("name", FITTERS)
    @pytest.mark.parametrize(
        ("value", "words"),
        [
            (np.nan, "column 'a' of X has 1 missing values in 200 rows, the first at"),
            (np.inf, "column 'a' of X has 1 infinite values, the first at row 3"),
            ("x", "column 'a' of X holds 'x', which .* cannot take for a number"),
        ],
    )
    def test_that_are_no_numbers_are_named(self, name, value, words):
        table = TABLE.drop(columns="g")
        bad = X[["a", "b"]].astype(object)
        bad.iloc[3, 0] = value
        model = ConformalSurvival(fitted(name, table))
        with pytest.raises(InvalidInput, match=words):
            model.conformalize(bad, Y)
        with pytest.raises(InvalidInput, match=words):
            model.conformalize(X[["a", "b"]], Y).predict(bad)
        with pytest.raises(InvalidInput, match=words):
            ConformalSurvival(getattr(lifelines, name)()).fit(bad, Y)

    @pytest.mark.parametrize("name", FITTERS)
    @pytest.mark.parametrize("formula", ["a + C(g)", "a * g"])
    def test_of_a_category_that_training_did_not_have(self, name, formula):
        model = ConformalSurvival(fitted(name, formula=formula)).conformalize(X, Y)
        with pytest.raises(InvalidInput, match=r"categories that .* had not: \{'z'\}"):
            model.predict(X.head(3).assign(g=["z", "u", "v"]))
        with pytest.raises(InvalidInput, match="column 'g' of X has 1 missing values"):
            model.predict(X.head(3).assign(g=["u", "u", None]))
        assert model.predict(X.head(1)).shape == (1,)

    def test_of_columns_that_are_not_read_may_be_missing(self):
        model = ConformalSurvival(fitted(formula="a")).conformalize(X, Y)
        found = model.predict(X.assign(b=np.nan, g=None))
        np.testing.assert_array_equal(found, model.predict(X))


class TestFits:
    TABLE = TABLE.drop(columns="g").assign(w=RNG.integers(1, 4, N), t0=0.1 * TABLE["T"])

    @pytest.mark.parametrize("name", ["CoxPHFitter", "WeibullAFTFitter"])
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"entry_col": "t0"}, r"delayed entry \(entry_col='t0'\), which"),
            ({"weights_col": "w", "robust": True}, r"weights \(weights_col='w'\)"),
        ],
    )
    def test_beyond_right_censoring_get_a_warning(self, name, options, words):
        other = "w" if "entry_col" in options else "t0"
        model = fitted(name, self.TABLE.drop(columns=other), **options)
        steps = make_pipeline(FunctionTransformer(), model)
        for form in (model, FrozenEstimator(model), steps):
            with pytest.warns(CalibrationWarning, match=words):
                ConformalSurvival(form).conformalize(X[["a", "b"]], Y)

    def test_to_intervals_get_a_warning(self):
        table = TABLE[["a", "T"]].assign(t0=0.1 * TABLE["T"], E=False)
        model = lifelines.WeibullAFTFitter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit_interval_censoring(table, "t0", "T", "E")
        with pytest.warns(CalibrationWarning, match="fitted with interval censoring"):
            adapter_for(model).warn_of_fit(model)

    def test_of_the_usual_kind_get_none(self):
        model = fitted(table=TABLE.drop(columns="g"))
        ConformalSurvival(model).conformalize(X, Y)


def test_messages_speak_of_all_rows_given():
    def model(rows):
        return np.full(len(rows), 0.5)

    with pytest.raises(
        InvalidInput, match=r"answered with a ndarray of shape \(200,\)"
    ):
        ConformalSurvival(model).conformalize(X, Y)


def test_a_model_that_fails_on_few_rows_is_asked_for_all():
    def model(rows):
        if len(rows) < 100:
            raise RuntimeError("too few")
        return [1.0, 2.0], [[0.6, 0.3]] * len(rows)

    assert len(ConformalSurvival(model).conformalize(X, Y).predict(X)) == N
