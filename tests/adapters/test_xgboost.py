"""XGBoost's objectives, against its own likelihood and scikit-survival's Breslow."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.frozen import FrozenEstimator

from consurv import ConformalSurvival, InvalidInput
from consurv.adapters import adapter_for
from consurv.models import FromRisk

xgboost = pytest.importorskip("xgboost")


def rows_of(small):
    rows = xgboost.DMatrix(small.X)
    rows.set_float_info("label_lower_bound", small.y.time)
    upper = np.where(small.y.event, small.y.time, np.inf)
    rows.set_float_info("label_upper_bound", upper)
    return rows


def train(small, objective="survival:aft", rounds=8, **settings):
    result = {}
    rows = rows_of(small)
    if objective != "survival:aft":
        rows.set_label(np.where(small.y.event, small.y.time, -small.y.time))
    booster = xgboost.train(
        {"objective": objective, "nthread": 1, **settings},
        rows,
        rounds,
        evals=[(rows, "train")],
        evals_result=result,
        verbose_eval=False,
    )
    return booster, result["train"]


def density(curves, time):
    """Minus the slope of the survival curves at observed times."""
    step = 1e-5 * time
    fall = curves.survival_at_observed(time - step) - curves.survival_at_observed(
        time + step
    )
    return fall / (2 * step)


class TestAft:
    @pytest.mark.parametrize("law", ["normal", "logistic", "extreme"])
    @pytest.mark.parametrize("scale", [0.4, 1.7])
    def test_the_likelihood_of_our_curves_is_xgboosts(self, small, law, scale):
        booster, result = train(
            small,
            eval_metric="aft-nloglik",
            aft_loss_distribution=law,
            aft_loss_distribution_scale=scale,
            base_score=8.0,  # far from it XGBoost cuts off tiny densities
        )
        curves = adapter_for(booster).curves(booster, small.X)
        time, event = small.y.time, small.y.event
        likelihood = np.where(
            event, density(curves, time), curves.survival_at_observed(time)
        )
        assert_allclose(
            -np.log(likelihood).mean(), result["aft-nloglik"][-1], rtol=1e-5
        )

    def test_the_median_of_a_normal_law_is_the_prediction(self, small):
        booster, _ = train(small)
        curves = adapter_for(booster).curves(booster, small.X)
        expected = booster.predict(xgboost.DMatrix(small.X))
        assert_allclose(curves.median(), expected, rtol=1e-5)

    def test_trees_past_the_best_round_do_not_count(self, small):
        booster, _ = train(small)
        whole = adapter_for(booster).curves(booster, small.X).median()
        booster.best_iteration = 2
        cut = adapter_for(booster).curves(booster, small.X).median()
        first = booster[:3]
        expected = adapter_for(first).curves(first, small.X).median()
        assert_allclose(cut, expected)
        assert not np.allclose(cut, whole)

    def test_the_scikit_learn_class_predicts_but_cannot_be_trained(self, small):
        booster, _ = train(small)
        model = xgboost.XGBRegressor()
        model._Booster = booster  # as load_model leaves it
        expected = adapter_for(booster).curves(booster, small.X).median()
        found = adapter_for(model).curves(model, small.X).median()
        assert_allclose(found, expected)
        new = xgboost.XGBRegressor(objective="survival:aft")
        with pytest.raises(InvalidInput, match="use XGBSurvivalAFT or XGBSurvivalCox"):
            ConformalSurvival(new).fit(small.X, small.y)


class TestCox:
    def test_alone_is_refused_with_the_way_out(self, small):
        booster, _ = train(small, "survival:cox")
        with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
            adapter_for(booster).curves(booster, small.X)
        model = xgboost.XGBRegressor(objective="survival:cox")
        with pytest.raises(InvalidInput, match=r"gives risk scores.*FromRisk\(model\)"):
            ConformalSurvival(model).fit(small.X, small.y)

    def test_from_risk_agrees_with_a_breslow_of_scikit_survival(self, small):
        coxph = pytest.importorskip("sksurv.linear_model.coxph")
        booster, _ = train(small, "survival:cox")
        model = FromRisk(booster).fit(small.X, small.y)
        assert model.slope_ == 1
        margin = booster.predict(xgboost.DMatrix(small.X), output_margin=True)
        margin = margin.astype(float)
        theirs = coxph.BreslowEstimator().fit(margin, small.y.event, small.y.time)
        functions = theirs.get_survival_function(margin[:20])
        times = np.unique(small.y.time)
        expected = [f(times) for f in functions]
        curves = model.predict_survival_function(small.X[:20])
        assert_allclose(curves.survival_at(times), expected, atol=1e-9)

    def test_training_by_from_risk_is_xgboosts_own(self, small):
        settings = {"n_estimators": 8, "n_jobs": 1}
        label = np.where(small.y.event, small.y.time, -small.y.time)
        own = xgboost.XGBRegressor(objective="survival:cox", **settings)
        own.fit(small.X, label)
        ours = FromRisk(xgboost.XGBRegressor(**settings)).fit(small.X, small.y)
        expected = own.predict(small.X, output_margin=True)
        assert_allclose(ours.predict(small.X), expected, rtol=1e-6)
        frozen = FromRisk(FrozenEstimator(own)).fit(small.X, small.y)
        assert_allclose(frozen.predict(small.X), expected, rtol=1e-6)

    def test_early_stopping_asks_for_a_validation_set(self, small):
        model = FromRisk(xgboost.XGBRegressor(early_stopping_rounds=2, n_jobs=1))
        assert model.uses_validation
        X, y = small.X, small.y
        model.fit(X[:100], y[:100], X[100:], y[100:])
        assert model.model_.best_iteration < 99


class TestOthers:
    def test_an_untrained_booster_is_not_fitted(self):
        assert not adapter_for(xgboost.Booster()).is_fitted(xgboost.Booster())

    def test_another_objective_is_refused_with_its_name(self, small):
        booster, _ = train(small, "reg:squarederror")
        with pytest.raises(InvalidInput, match="'reg:squarederror', which says noth"):
            adapter_for(booster).curves(booster, small.X)

    def test_several_outputs_are_refused(self, small):
        rows = xgboost.DMatrix(small.X, label=np.c_[small.y.time, small.y.time])
        booster = xgboost.train({"nthread": 1}, rows, 2)
        with pytest.raises(InvalidInput, match=r"margins of shape \(160, 2\)"):
            FromRisk(booster).fit(small.X, small.y)

    def test_categories_are_taken(self, small):
        X = pd.DataFrame(small.X, columns=list("abc"))
        X["c"] = X["c"].astype(int).astype("category")
        model = xgboost.XGBRegressor(n_estimators=3, n_jobs=1, enable_categorical=True)
        model = FromRisk(model).fit(X, small.y)
        assert len(model.predict_survival_function(X)) == len(X)
