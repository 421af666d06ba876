import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

from consurv import ConformalSurvival, Outcome
from consurv.conformal.reading.columns import OutcomeColumns
from consurv.errors import InvalidInput
from consurv.models import CoxPH


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2))
    time = rng.exponential(10 * np.exp(X[:, 0]))
    frame = pd.DataFrame(X, columns=["age", "dose"])
    frame.insert(1, "months", np.minimum(time, 20))
    frame["died"] = (time <= 20).astype(int)
    return frame


@pytest.fixture(scope="module")
def apart(table):
    y = Outcome(time=table["months"], event=table["died"])
    return table[["age", "dose"]], y


def model(**settings):
    return ConformalSurvival(CoxPH(), adjustment="time", random_state=0, **settings)


NAMES = {"time": "months", "event": "died"}


def as_polars(table):
    return pytest.importorskip("polars").from_pandas(table)


def as_arrow(table):
    return pytest.importorskip("pyarrow").Table.from_pandas(table)


class TestFit:
    @pytest.mark.parametrize("form", [pd.DataFrame, as_polars, as_arrow])
    def test_is_that_of_features_and_outcomes_apart(self, table, apart, form):
        one = model().fit(form(table), **NAMES)
        two = model().fit(*apart)
        assert list(one.feature_names_in_) == ["age", "dose"]
        np.testing.assert_array_equal(one.shifts_, two.shifts_)
        np.testing.assert_array_equal(one.predict(apart[0]), two.predict(apart[0]))

    def test_reads_the_validation_set_by_the_same_names(self, table, apart):
        settings = {"conformal_set": "validation"}
        train, held = table[:180], table[180:]
        one = model(**settings).fit(train, X_val=held, **NAMES)
        X, y = apart
        two = model(**settings).fit(X[:180], y[:180], X[180:], y[180:])
        assert one.n_conformal_ == 60
        np.testing.assert_array_equal(one.shifts_, two.shifts_)

    def test_of_a_frozen_model_conformalizes(self, table, apart):
        cox = CoxPH().fit(*apart)
        post = ConformalSurvival(FrozenEstimator(cox), adjustment="time")
        post.fit(table.assign(note="x"), **NAMES)
        assert list(post.feature_names_in_) == ["age", "dose"]


class TestConformalize:
    def test_takes_the_columns_that_the_model_was_trained_on(self, table, apart):
        cox = CoxPH().fit(*apart)
        more = table.assign(site="north")[["died", "site", "dose", "months", "age"]]
        one = ConformalSurvival(cox, adjustment="time").conformalize(more, **NAMES)
        two = ConformalSurvival(cox, adjustment="time").conformalize(*apart)
        np.testing.assert_array_equal(one.shifts_, two.shifts_)

    def test_anew_takes_those_of_the_first_time(self, table, apart):
        post = model().fit(*apart)
        post.conformalize(table.assign(site="north"), **NAMES)
        assert list(post.feature_names_in_) == ["age", "dose"]

    def test_takes_all_others_where_the_model_does_not_say(self, table):
        def exponential(X):
            return [5.0, 10.0], [[0.6, 0.3]] * len(X)

        post = ConformalSurvival(exponential, adjustment="time")
        assert post.conformalize(table, **NAMES).n_features_in_ == 2


class TestModelsThatKnowTheirColumns:
    def check(self, fitted, table, expected=("age", "dose")):
        post = ConformalSurvival(fitted, adjustment="time")
        post.conformalize(table.assign(site="north"), **NAMES)
        assert sorted(post.feature_names_in_) == sorted(expected)

    def test_lifelines(self, table):
        lifelines = pytest.importorskip("lifelines")
        for fitter in (lifelines.WeibullAFTFitter(), lifelines.CoxPHFitter()):
            fitter.fit(table, duration_col="months", event_col="died")
            self.check(fitter, table)
        fitter = lifelines.WeibullAFTFitter()
        fitter.fit(table, "months", "died", formula="age")
        self.check(fitter, table, ["age"])

    def test_a_booster_of_xgboost(self, table):
        xgboost = pytest.importorskip("xgboost")
        rows = xgboost.DMatrix(table[["age", "dose"]])
        rows.set_float_info("label_lower_bound", table["months"])
        rows.set_float_info("label_upper_bound", table["months"])
        booster = xgboost.train({"objective": "survival:aft", "nthread": 1}, rows, 3)
        self.check(booster, table)

    def test_catboost(self, table):
        catboost = pytest.importorskip("catboost")
        booster = catboost.CatBoostRegressor(
            loss_function="SurvivalAft:dist=Normal;scale=1",
            iterations=3,
            verbose=False,
            allow_writing_files=False,
            thread_count=1,
        )
        labels = np.column_stack([table["months"], table["months"]])
        booster.fit(table[["age", "dose"]], labels)
        self.check(booster, table)
        booster.fit(table[["age", "dose"]].to_numpy(), labels)  # names of its own
        post = ConformalSurvival(booster, adjustment="time")
        post.conformalize(table.rename(columns={"dose": "site"}), **NAMES)
        assert list(post.feature_names_in_) == ["age", "site"]


class TestScore:
    def test_reads_the_columns(self, table, apart):
        post = model().fit(*apart)
        assert post.score(table.assign(site="north"), **NAMES) == post.score(*apart)


class TestRefusals:
    @pytest.mark.parametrize(
        ("names", "match"),
        [
            ({"time": "months"}, "time='months' names a column and event none"),
            ({"event": "died"}, "event='died' names a column and time none"),
            ({"time": "died", "event": "died"}, "both 'died'; they are two columns"),
            (
                {"time": "weeks", "event": "died"},
                r"lacks the columns 'weeks'; it has 'age', 'months', 'dose', 'died'$",
            ),
            (
                {"time": "months", "event": "dose"},
                r"columns 'months' \(time\) and 'dose' \(event\): event must be bool",
            ),
            ({"time": "died", "event": "months"}, "time and event look swapped"),
        ],
    )
    def test_of_names(self, table, names, match):
        with pytest.raises(InvalidInput, match=match):
            model().fit(table, **names)

    def test_of_outcomes_given_twice(self, table, apart):
        with pytest.raises(InvalidInput, match="give the outcomes once"):
            model().fit(table, apart[1], **NAMES)
        with pytest.raises(InvalidInput, match="give the outcomes once"):
            model().fit(table, X_val=table, y_val=apart[1], **NAMES)

    def test_of_a_column_that_is_there_twice(self, table):
        twice = pd.concat([table, table[["months"]]], axis=1)
        with pytest.raises(InvalidInput, match="more than one column called 'months'"):
            model().fit(twice, **NAMES)

    def test_of_arrays(self, table):
        with pytest.raises(InvalidInput, match="ndarray whose columns have no names"):
            model().fit(table.to_numpy(), **NAMES)

    def test_of_a_table_without_features(self, table):
        with pytest.raises(InvalidInput, match="nothing to predict from"):
            model().fit(table[["months", "died"]], **NAMES)

    def test_of_features_that_lack(self, table, apart):
        cox = CoxPH().fit(*apart)
        with pytest.raises(InvalidInput, match="trained on 'dose'; it has 'age'"):
            ConformalSurvival(cox).conformalize(table.drop(columns="dose"), **NAMES)

    def test_names_twelve_columns_at_most(self):
        wide = pd.DataFrame(np.ones((3, 40))).rename(columns="c{}".format)
        with pytest.raises(InvalidInput, match=r"'c11' and 28 more$"):
            OutcomeColumns("months", "died").read(wide)

    def test_without_outcomes_at_all(self, table):
        with pytest.raises(InvalidInput, match="y is None"):
            model().fit(table)
