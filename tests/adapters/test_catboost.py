"""CatBoost's losses, against maximum likelihood in closed groups and xgboost's Cox."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from consurv import ConformalSurvival, InvalidInput, Outcome, SurvivalCurves
from consurv.adapters import adapter_for
from consurv.models import FromRisk

catboost = pytest.importorskip("catboost")
LAWS = {"Normal": stats.norm, "Logistic": stats.logistic, "Extreme": stats.gumbel_l}


def regressor(loss=None, **settings):
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    if loss is not None:
        settings["loss_function"] = loss
    return catboost.CatBoostRegressor(**{"iterations": 10, **quiet, **settings})


class TestAft:
    @pytest.mark.parametrize("law", LAWS)
    def test_finds_the_likeliest_location_of_each_group(self, small, law):
        """With one feature of two values trees can do no better than that."""
        group, y, scale = small.X[:, 2:], small.y, 0.6
        model = regressor(
            f"SurvivalAft:dist={law};scale={scale}",
            iterations=1500,
            learning_rate=0.3,
            l2_leaf_reg=0,
            depth=1,
            bootstrap_type="No",
        )
        adapter_for(model).fit(model, group, y)
        curves = adapter_for(model).curves(model, group)
        for value in (0, 1):
            rows = group[:, 0] == value

            def loss(location, rows=rows):
                z = (np.log(y.time[rows]) - location) / scale
                log = LAWS[law].logpdf(z), LAWS[law].logsf(z)
                return -np.where(y.event[rows], *log).sum()

            best = optimize.minimize_scalar(loss, bounds=(-5, 8), method="bounded").x
            expected = SurvivalCurves.from_aft([best], scale, law).median()
            assert_allclose(curves.median()[rows][0], expected[0], rtol=0.02)

    def test_is_read_from_a_file_too(self, small, tmp_path):
        model = regressor("SurvivalAft:dist=Logistic;scale=0.5")
        adapter_for(model).fit(model, small.X, small.y)
        model.save_model(str(tmp_path / "m.cbm"))
        again = catboost.CatBoostRegressor().load_model(str(tmp_path / "m.cbm"))
        expected = adapter_for(model).curves(model, small.X).median()
        found = adapter_for(again).curves(again, small.X).median()
        assert_allclose(found, expected)

    def test_text_is_taken_as_categories(self, small):
        X = pd.DataFrame(small.X, columns=list("abc"))
        X["c"] = np.where(X["c"] > 0, "yes", "no")
        model = regressor("SurvivalAft:dist=Normal;scale=1", cat_features=["c"])
        calibrated = ConformalSurvival(model, adjustment="log-time", random_state=0)
        calibrated.fit(X, small.y)
        assert calibrated.score(X, small.y) > 0.6

    def test_stops_by_the_validation_set(self, small):
        model = regressor(
            "SurvivalAft:dist=Normal;scale=1", iterations=400, early_stopping_rounds=3
        )
        adapter = adapter_for(model)
        assert adapter.takes_validation(model)
        X, y = small.X, small.y
        adapter.fit(model, X[:100], y[:100], (X[100:], y[100:]))
        assert model.tree_count_ < 400


class TestRisk:
    def test_does_not_depend_on_the_order_of_rows_as_its_own_cox_loss_does(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2000, 2))
        time = rng.exponential(np.exp(-X[:, 0]))
        y = Outcome(time, rng.random(2000) < 0.7)
        order = np.argsort(time)
        signed = np.where(y.event, time, -time)
        settings = {"bootstrap_type": "No", "random_strength": 0, "iterations": 60}
        apart = []
        for ours in (True, False):
            scores = []
            for rows in (order, order[::-1]):
                if ours:
                    model = FromRisk(regressor(**settings)).fit(X[rows], y[rows])
                    scores.append(model.predict(X))
                else:
                    model = regressor("Cox", **settings).fit(X[rows], signed[rows])
                    scores.append(model.predict(X))
            apart.append(np.std(scores[0] - scores[1]) / np.std(scores[0]))
        assert apart[0] < 0.05
        assert apart[1] > 0.2  # once this fails CatBoost is mended: use its loss


class TestOthers:
    def test_cox_alone_is_refused_with_the_way_out(self, small):
        model = regressor("Cox")
        with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
            ConformalSurvival(model).fit(small.X, small.y)
        trained = model.fit(small.X, np.where(small.y.event, 1, -1) * small.y.time)
        with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
            adapter_for(trained).curves(trained, small.X)

    def test_another_loss_is_refused_with_its_name(self, small):
        with pytest.raises(InvalidInput, match="loss_function='RMSE', which knows no"):
            ConformalSurvival(regressor("RMSE")).fit(small.X, small.y)
        model = regressor("RMSE").fit(small.X, small.y.time)
        with pytest.raises(InvalidInput, match="'RMSE', which says nothing about surv"):
            adapter_for(model).curves(model, small.X)
