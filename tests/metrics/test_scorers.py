"""Scorers inside scikit-learn's own tools."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import (
    antolini_concordance_index,
    concordance_index,
    get_scorer,
    integrated_brier_score,
    mae_po,
    make_scorer,
)
from consurv.metrics.scorers import SCORERS
from consurv.outcome import Outcome

GRID = np.linspace(0.5, 30, 60)


class Stretched(BaseEstimator):
    """The true curves of the simulation, stretched in time."""

    def __init__(self, stretch=1.0, own_type=True):
        self.stretch = stretch
        self.own_type = own_type

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_survival_function(self, X):
        survival = np.exp(-GRID / (self.stretch * np.exp(X)))
        return SurvivalCurves(GRID, survival) if self.own_type else survival


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(1.5, 0.5, (400, 1))
    time, censoring = rng.exponential(np.exp(X[:, 0])), rng.uniform(0, 20, 400)
    return X, Outcome(np.minimum(time, censoring), time <= censoring)


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


class TestSampleWeight:
    WEIGHT = np.random.default_rng(1).integers(0, 4, 400)

    @pytest.mark.parametrize("name", SCORERS)
    def test_counts_rows_as_if_they_were_repeated(self, data, name):
        X, y = data
        rows = np.repeat(np.arange(400), self.WEIGHT)
        model, scorer = Stretched(2.0).fit(X, y), get_scorer(name)
        found = scorer(model, X, y, sample_weight=self.WEIGHT)
        assert found == pytest.approx(scorer(model, X[rows], y[rows]), rel=1e-9)
        assert found == scorer(model, X, y.weighted(self.WEIGHT))
        assert found != scorer(model, X, y)

    @pytest.mark.usefixtures("routing")
    def test_is_routed_to_scorers_that_ask_for_it(self, data):
        X, y = data
        asking = get_scorer("ibs").set_score_request(sample_weight=True)
        other = get_scorer("ibs").set_score_request(sample_weight="w")
        found = cross_validate(
            Stretched(2.0),
            X,
            y,
            cv=KFold(4),
            scoring={"ibs": asking, "named": other},
            params={"sample_weight": self.WEIGHT, "w": np.ones(400)},
        )
        weighted = cross_val_score(
            Stretched(2.0),
            X,
            y.weighted(self.WEIGHT),
            cv=KFold(4),
            scoring=get_scorer("ibs"),
        )
        plain = cross_val_score(
            Stretched(2.0), X, y, cv=KFold(4), scoring=get_scorer("ibs")
        )
        np.testing.assert_array_equal(found["test_ibs"], weighted)
        np.testing.assert_array_equal(found["test_named"], plain)

    @pytest.mark.usefixtures("routing")
    def test_is_never_lost_in_silence(self, data):
        X, y = data
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(
                Stretched(),
                X,
                y,
                scoring=get_scorer("ibs"),
                params={"sample_weight": self.WEIGHT},
            )
        unwanted = get_scorer("ibs").set_score_request(sample_weight=False)
        with pytest.raises(TypeError, match="sample_weight"):
            cross_validate(
                Stretched(), X, y, scoring=unwanted, params={"sample_weight": [1] * 400}
            )

    def test_is_refused_by_metrics_that_cannot_weigh(self, data):
        X, y = data
        scorer = make_scorer(antolini_concordance_index, greater_is_better=True)
        with pytest.raises(InvalidInput, match="takes no sample_weight"):
            scorer(Stretched().fit(X, y), X, y, sample_weight=self.WEIGHT)
        with pytest.raises(InvalidInput, match="takes no sample_weight"):
            scorer.set_score_request(sample_weight=True)
        assert scorer.get_metadata_routing().score.requests == {}


class TestScorers:
    @pytest.mark.parametrize("name", SCORERS)
    def test_give_the_metric_or_minus_it(self, data, name):
        X, y = data
        model = Stretched().fit(X, y)
        scorer = get_scorer(name)
        value = float(scorer.metric(y, model.predict_survival_function(X)))
        assert scorer(model, X, y) == (value if name == "c-index" else -value)

    @pytest.mark.parametrize("name", SCORERS)
    @pytest.mark.parametrize("form", [lambda y: y, Outcome.to_structured])
    def test_work_in_a_cross_validation(self, data, name, form):
        X, y = data
        scores = cross_val_score(
            Stretched(), X, form(y), cv=KFold(4), scoring=SCORERS[name]
        )
        assert scores.shape == (4,)
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize(
        "name", ["d-calibration", "km-calibration", "ibs", "mae-po"]
    )
    def test_a_search_finds_the_model_that_is_right(self, data, name):
        X, y = data
        search = GridSearchCV(
            Stretched(), {"stretch": [0.3, 1.0, 3.0]}, scoring=SCORERS[name], cv=3
        ).fit(X, y.to_structured())
        assert search.best_params_ == {"stretch": 1.0}

    def test_several_at_once(self, data):
        X, y = data
        done = cross_validate(Stretched(), X, y, scoring=dict(SCORERS), cv=3)
        assert {f"test_{name}" for name in SCORERS} <= set(done)

    def test_options_reach_the_metric(self, data):
        X, y = data
        model = Stretched().fit(X, y)
        curves = model.predict_survival_function(X)
        scorer = get_scorer("MAE-PO", y_train=y[:200], point="mean")
        assert scorer(model, X, y) == -float(
            mae_po(y, curves, y_train=y[:200], point="mean")
        )
        named = make_scorer(integrated_brier_score, times=9)
        assert named(model, X, y) == -float(integrated_brier_score(y, curves, times=9))

    def test_curves_of_other_estimators_come_through_a_function(self, data):
        X, y = data
        model = Stretched(own_type=False).fit(X, y)
        scorer = get_scorer(
            "c-index",
            curves=lambda e, X: SurvivalCurves(GRID, e.predict_survival_function(X)),
        )
        assert scorer(model, X, y) == get_scorer("c-index")(Stretched(), X, y)

    def test_survive_a_pickle(self, data):
        X, y = data
        copy = pickle.loads(pickle.dumps(get_scorer("ibs", times=9)))
        assert copy(Stretched(), X, y) == get_scorer("ibs", times=9)(Stretched(), X, y)


class TestRefusals:
    def test_an_unknown_name_is_answered_with_the_names(self):
        with pytest.raises(InvalidInput, match=r"unknown scorer 'brier'.*c-index"):
            get_scorer("brier")

    def test_an_unknown_option_is_answered_with_the_options(self):
        with pytest.raises(
            InvalidInput, match=r"no option 'y_train'.*risk, tied_risks"
        ):
            get_scorer("c-index", y_train=([1], [1.0]))
        with pytest.raises(InvalidInput, match="no option 'bins'"):
            make_scorer(concordance_index, bins=3)

    def test_the_direction_of_another_metric_must_be_said(self):
        def own(y, curves):
            return 0.0

        with pytest.raises(InvalidInput, match=r"own is no metric of .*is_better="):
            make_scorer(own)
        assert make_scorer(own, greater_is_better=True).greater_is_better

    def test_says_how_to_get_curves_from_another_type(self, data):
        X, y = data
        with pytest.raises(
            InvalidInput, match=r"of Stretched gives ndarray.*pass curves="
        ):
            get_scorer("ibs")(Stretched(own_type=False), X, y)

    def test_says_so_where_there_are_no_curves(self, data):
        X, y = data
        with pytest.raises(InvalidInput, match="of BaseEstimator is missing"):
            get_scorer("ibs")(BaseEstimator(), X, y)
