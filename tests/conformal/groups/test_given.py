"""Groups as a column or as an array, with training, validation and new rows."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate

from consurv import ConformalSurvival, InvalidInput, Outcome
from consurv.models import CoxPH


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(240, 2)), columns=["age", "dose"])
    frame["site"] = rng.integers(0, 2, 240)
    scale = np.where(frame["site"] == 1, 30.0, 5.0)
    frame["months"] = scale * rng.exponential(np.exp(frame["age"]))
    return frame.assign(died=True)


X = ["age", "dose", "site"]


def post(**settings):
    settings = {"adjustment": "time", "n_folds": 2, **settings}
    return ConformalSurvival(CoxPH(), group_pooling="none", random_state=0, **settings)


def outcome(table):
    return Outcome(table["months"], table["died"])


class TestColumns:
    def test_a_column_is_a_feature_and_the_same_as_an_array_of_its_labels(self, table):
        y = outcome(table)
        named = post().fit(table[X], y, groups="site")
        apart = post().fit(table[X], y, groups=table["site"])
        assert list(named.feature_names_in_) == X
        assert named.groups_.labels == (0, 1)
        expected = apart.predict(table[X], groups=table["site"])
        np.testing.assert_array_equal(named.predict(table[X]), expected)
        np.testing.assert_array_equal(named.predict(table[X], groups="site"), expected)

    def test_a_series_is_found_by_its_name_though_it_is_no_feature(self, table):
        y, features = outcome(table), ["age", "dose"]
        model = post().fit(table[features], y, groups=table["site"])
        assert list(model.feature_names_in_) == features
        wanted = model.predict(table[features], groups=table["site"].to_numpy())
        np.testing.assert_array_equal(model.predict(table[X]), wanted)
        with pytest.raises(InvalidInput, match="give groups="):
            model.predict(table[features])

    def test_weights_may_be_a_column_with_a_number_for_a_name(self, table):
        weight = np.arange(240) % 3
        numbered = table[["age", "dose", "months", "died"]].assign(weight=weight)
        numbered.columns = range(5)
        site = table["site"].to_numpy()
        named = post().fit(numbered, time=2, event=3, sample_weight=4, groups=site)
        given = post().fit(
            numbered[[0, 1]], outcome(table), sample_weight=weight, groups=site
        )
        expected = given.predict(numbered[[0, 1]], groups=site)
        found = named.predict(numbered[[0, 1]], groups=site)
        np.testing.assert_array_equal(found, expected)
        held = post(conformal_set="validation").fit(
            numbered[:120],
            X_val=numbered[120:],
            time=2,
            event=3,
            sample_weight=4,
            groups=site[:120],
            groups_val=site[120:],
        )
        assert held.n_conformal_ == 80

    def test_outcomes_may_be_columns_too(self, table):
        named = post().fit(table, time="months", event="died", groups="site")
        given = post().fit(table[X], outcome(table), groups="site")
        np.testing.assert_array_equal(named.predict(table[X]), given.predict(table[X]))
        assert named.score(table, time="months", event="died") == given.score(
            table[X], outcome(table)
        )

    def test_a_column_that_a_fitted_model_does_not_know_is_no_feature(self, table):
        y, features = outcome(table), ["age", "dose"]
        inner = CoxPH().fit(table[features], y)
        model = ConformalSurvival(inner, adjustment="time", group_pooling="none")
        rows = table[[*features, "site"]]
        model.conformalize(rows, y, groups="site")
        assert list(model.feature_names_in_) == features
        found = model.predict(rows)
        labels = table["site"].to_numpy()
        np.testing.assert_array_equal(
            found, model.predict(table[features], groups=labels)
        )
        assert model.score(rows, y) == model.score(table[features], y, groups=labels)

    @pytest.mark.parametrize(
        ("groups", "match"),
        [
            ("sex", "X lacks the columns of groups 'sex'; it has 'age', 'dose'"),
            (["a"] * 3, "lengths differ: X has 240, groups has 3"),
            ([None] * 240, "groups has 240 missing labels, the first at row 0"),
        ],
    )
    def test_what_cannot_be_is_refused(self, table, groups, match):
        with pytest.raises(InvalidInput, match=match):
            post().fit(table[X], outcome(table), groups=groups)

    def test_a_name_needs_columns_with_names(self, table):
        with pytest.raises(InvalidInput, match="names a column, and X is a ndarray"):
            post().fit(table[X].to_numpy(), outcome(table), groups="site")

    def test_rows_elsewhere_have_no_score(self, table, tmp_path):
        path = tmp_path / "rows.parquet"
        table.to_parquet(path)
        model = post().fit(table[X], outcome(table), groups="site")
        with pytest.raises(InvalidInput, match="groups are for subjects in memory"):
            model.score(path, time="months", event="died", groups="site")


class TestFilesOfNewRows:
    def test_are_predicted_by_the_column_of_the_model(self, table, tmp_path):
        path = tmp_path / "rows.parquet"
        table[X].to_parquet(path)
        model = post().fit(table[X], outcome(table), groups="site")
        found = model.predict(path).read_all()["risk"].to_numpy()
        np.testing.assert_array_equal(found, model.predict(table[X]))
        with pytest.raises(InvalidInput, match="leave groups away"):
            model.predict(path, groups=table["site"])


class TestValidationRows:
    def test_count_for_their_groups(self, table):
        y, model = outcome(table), post(conformal_set="validation")
        rest = table[X][:100], y[:100], table[X][100:], y[100:]
        named = model.fit(*rest, groups="site").groups_
        site = table["site"].to_numpy()
        sizes = tuple(np.bincount(site[100:]).tolist())
        assert named.sizes == sizes
        apart = model.fit(*rest, groups=site[:100], groups_val=site[100:]).groups_
        assert apart.sizes == sizes

    def test_need_labels(self, table):
        y, site = outcome(table), table["site"].to_numpy()
        rows = table[X][:100], y[:100], table[X][100:], y[100:]
        with pytest.raises(InvalidInput, match="X_val has no groups; give groups_val"):
            post().fit(*rows, groups=site[:100])
        with pytest.raises(InvalidInput, match="lengths differ: X has 140, groups_val"):
            post().fit(*rows, groups=site[:100], groups_val=site)
        with pytest.raises(InvalidInput, match="groups_val goes with X_val"):
            post().fit(table[X], y, groups_val=site)


class TestRouting:
    @pytest.fixture(autouse=True)
    def _routing(self):
        with sklearn.config_context(enable_metadata_routing=True):
            yield

    def asks(self):
        return post().set_fit_request(groups=True).set_score_request(groups=True)

    def test_labels_reach_every_fold_of_a_search(self, table):
        y, site = outcome(table), table["site"].to_numpy()
        features, grid = table[["age", "dose"]], {"estimator__penalty": [0.01, 1.0]}
        search = GridSearchCV(self.asks(), grid, cv=2).fit(features, y, groups=site)
        assert search.best_estimator_.groups_.labels == (0, 1)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    def test_labels_reach_cross_validation(self, table):
        found = cross_validate(
            self.asks(),
            table[["age", "dose"]],
            outcome(table),
            cv=2,
            params={"groups": table["site"].to_numpy()},
        )
        assert (found["test_score"] > 0.6).all()
