"""Our boosters: what they train is what the library trains, and they stop in time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from consurv import InvalidInput, Outcome
from consurv.adapters import adapter_for
from consurv.models.boosters.scale import log_likelihood, marginal_scale

xgboost = pytest.importorskip("xgboost")
pytest.importorskip("catboost")
from consurv.models import (  # noqa: E402
    CatBoostSurvivalAFT,
    CatBoostSurvivalCox,
    XGBSurvivalAFT,
    XGBSurvivalCox,
)

AFTS = [XGBSurvivalAFT, CatBoostSurvivalAFT]
ALL = [*AFTS, XGBSurvivalCox, CatBoostSurvivalCox]


@pytest.fixture(scope="module")
def sample():
    """600 subjects of a log-normal law with scale 0.5, a third censored."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    time = np.exp(3 + X[:, 0] + 0.5 * rng.normal(size=600))
    limit = rng.exponential(80, 600)
    return X, Outcome(np.minimum(time, limit), time <= limit)


def make(kind, **params):
    return kind(**{"n_estimators": 150, "n_jobs": 1, "random_state": 0, **params})


@pytest.mark.parametrize("kind", ALL)
class TestAll:
    def test_learn(self, kind, sample):
        model = make(kind).fit(*sample)
        assert model.score(*sample) > 0.8

    def test_missing_features_are_taken(self, kind, sample):
        X, y = sample
        X = X.copy()
        X[::7, 1] = np.nan
        model = make(kind).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        with pytest.raises(ValueError, match="infinity"):
            model.predict(np.where(np.isnan(X), np.inf, X))

    def test_stop_by_the_given_validation_set(self, kind, sample):
        X, y = sample
        model = make(kind, n_estimators=600, learning_rate=0.3, max_depth=6)
        assert adapter_for(model).takes_validation(model)
        model.fit(X[:300], y[:300], X[300:], y[300:])
        booster = model.booster_
        trees = getattr(booster, "tree_count_", None) or booster.num_boosted_rounds()
        assert 1 < trees < 400

    def test_without_early_stopping_all_trees_and_rows_are_used(self, kind, sample):
        model = make(kind, early_stopping_rounds=None, n_estimators=30)
        assert not adapter_for(model).takes_validation(model)
        booster = model.fit(*sample).booster_
        trees = getattr(booster, "tree_count_", None) or booster.num_boosted_rounds()
        assert trees == 30

    @pytest.mark.parametrize("power", [-20, 20])
    def test_any_unit_of_time_will_do(self, kind, sample, power):
        X, y = sample
        scaled = Outcome(y.time * 2.0**power, y.event)
        expected = make(kind).fit(X, y).predict_survival_function(X).median()
        found = make(kind).fit(X, scaled).predict_survival_function(X).median()
        assert_allclose(found, expected * 2.0**power, rtol=0.02)

    def test_settings_of_the_library_overrule(self, kind, sample):
        name = "max_depth" if kind.__name__.startswith("XGB") else "depth"
        shallow = make(kind, params={name: 1}).fit(*sample)
        plain = make(kind, max_depth=1).fit(*sample)
        assert_allclose(shallow.predict(sample[0]), plain.predict(sample[0]))


@pytest.mark.parametrize("kind", AFTS)
class TestAft:
    def test_a_law_that_is_right_is_found(self, kind, sample):
        X, y = sample
        model = make(kind, scale=0.5, n_estimators=400).fit(X, y)
        truth = np.exp(3 + X[:, 0])
        error = np.log(model.predict_survival_function(X).median() / truth)
        assert abs(error.mean()) < 0.05
        assert error.std() < 0.25

    def test_curves_are_those_of_the_booster_alone(self, kind, sample):
        X, y = sample
        model = make(kind, distribution="extreme", scale=0.7).fit(X, y)
        booster = model.booster_
        expected = adapter_for(booster).curves(booster, X)
        found = model.predict_survival_function(X)
        levels = [0.9, 0.5, 0.1]
        q, expected = found.percentile_times(levels), expected.percentile_times(levels)
        assert_allclose(q, expected, rtol=1e-5)
        assert (found.last_time <= y.time.max()).all()

    @pytest.mark.parametrize("scale", [0, -1.0, np.nan, "wide"])
    def test_a_scale_that_is_none_is_refused(self, kind, sample, scale):
        with pytest.raises(InvalidInput, match=r"scale=.* is not valid"):
            make(kind, scale=scale).fit(*sample)


class TestScale:
    @pytest.mark.parametrize("law", ["normal", "logistic", "extreme"])
    def test_is_found_under_censoring(self, law):
        rng = np.random.default_rng(0)
        w = {"normal": stats.norm, "logistic": stats.logistic}.get(law, stats.gumbel_l)
        time = np.exp(2 + 0.7 * w.rvs(size=40_000, random_state=rng))
        limit = rng.exponential(10, time.size)
        y = Outcome(np.minimum(time, limit), time <= limit)
        assert_allclose(marginal_scale(y, law), (2, 0.7), atol=0.03)

    def test_of_equal_times_is_finite(self):
        y = Outcome(np.full(9, 3.0), np.ones(9))
        assert marginal_scale(y, "normal")[1] == 0.05

    def test_likelihood_is_that_of_the_law(self):
        y = Outcome([2.0, 5.0], [1, 0])
        law = stats.lognorm(s=0.8, scale=np.exp(1.0))
        # Densities of log T are t times those of T.
        expected = (law.logpdf(2.0) + np.log(2.0) + law.logsf(5.0)) / 2
        assert_allclose(log_likelihood(y, 1.0, 0.8, "normal"), expected)
