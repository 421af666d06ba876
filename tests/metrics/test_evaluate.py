"""The paper's five metrics and calibration by risk at once, and what all refuse."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import (
    antolini_concordance_index,
    brier_score,
    concordance_index,
    d_calibration,
    evaluate,
    integrated_brier_score,
    km_calibration,
    mae_hinge,
    mae_margin,
    mae_po,
    risk_calibration,
    uno_concordance_index,
)
from consurv.outcome import Outcome

ALL = {
    "c-index": concordance_index,
    "d-calibration": d_calibration,
    "km-calibration": km_calibration,
    "uno": uno_concordance_index,
    "antolini": antolini_concordance_index,
    "brier": lambda y, curves, **options: brier_score(y, curves, 1.0, **options),
    "ibs": integrated_brier_score,
    "mae-po": mae_po,
    "mae-margin": mae_margin,
    "mae-hinge": mae_hinge,
    "risk-calibration": risk_calibration,
    "evaluate": evaluate,
}
WITH_TRAINING = ["uno", "brier", "ibs", "mae-po", "mae-margin", "evaluate"]
NAMES = [
    "c_index",
    "d_calibration",
    "km_calibration",
    "integrated_brier_score",
    "mae_po",
    "risk_calibration",
]


def make(n=100, seed=0):
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(1.5, 0.6, n))
    time, censoring = rng.exponential(scale), rng.uniform(0, 30, n)
    grid = np.linspace(0.2, 12, 40)
    curves = SurvivalCurves(grid, np.exp(-grid / scale[:, None]))
    return Outcome(np.minimum(time, censoring), time <= censoring), curves


@pytest.fixture(scope="module")
def data():
    y, curves = make()
    train = Outcome.concatenate([make(300, seed=1)[0], Outcome([99.0], [1])])
    return y, curves, train


class TestEvaluate:
    def test_gives_each_metric_with_its_defaults(self, data):
        y, curves, train = data
        result = evaluate(y, curves, y_train=train)
        assert result.c_index == concordance_index(y, curves)
        assert result.d_calibration == d_calibration(y, curves)
        assert result.km_calibration == km_calibration(y, curves)
        assert result.integrated_brier_score == integrated_brier_score(
            y, curves, y_train=train
        )
        assert result.mae_po == mae_po(y, curves, y_train=train)
        assert result.risk_calibration == risk_calibration(y, curves)

    def test_groups_by_a_given_risk(self, data):
        y, curves, train = data
        risk = np.random.default_rng(3).normal(size=len(y))
        result = evaluate(y, curves, y_train=train, risk=risk)
        assert result.risk_calibration == risk_calibration(y, curves, risk=risk)
        assert result.c_index == concordance_index(y, curves)

    def test_without_training_outcomes_takes_those_it_is_given(self, data):
        y, curves, _ = data
        result = evaluate(y, curves)
        assert result.mae_po == mae_po(y, curves)
        assert result.integrated_brier_score == integrated_brier_score(y, curves)

    def test_takes_a_kaplan_meier_of_the_training_outcomes(self, data):
        y, curves, train = data
        assert evaluate(y, curves, y_train=KaplanMeier(train)) == evaluate(
            y, curves, y_train=train
        )

    def test_as_a_dictionary_and_a_series_of_numbers(self, data):
        y, curves, train = data
        result = evaluate(y, curves, y_train=train)
        numbers = result.as_dict()
        assert list(numbers) == NAMES
        assert all(type(value) is float for value in numbers.values())
        pd.testing.assert_series_equal(
            result.to_series(), pd.Series(numbers, name="value")
        )
        assert "mae_po" in str(result)

    def test_cannot_be_changed_and_survives_a_pickle(self, data):
        y, curves, train = data
        result = evaluate(y, curves, y_train=train)
        with pytest.raises(FrozenInstanceError):
            result.c_index = None
        assert pickle.loads(pickle.dumps(result)) == result

    def test_a_clairvoyant_without_censoring(self):
        time = np.arange(1.0, 21)
        curves = SurvivalCurves(time[:, None], np.zeros((20, 1)), "step")
        numbers = evaluate(Outcome(time, np.ones(20)), curves).as_dict()
        assert numbers["c_index"] == 1
        assert numbers["integrated_brier_score"] == 0
        assert numbers["mae_po"] == 0
        assert numbers["km_calibration"] == pytest.approx(0, abs=1e-28)
        assert numbers["d_calibration"] == pytest.approx(2.85 / 9, rel=1e-14)

    def test_tau_bounds_infinite_medians(self):
        y = Outcome([1.0, 2.0, 3.0], [1, 0, 1])
        curves = SurvivalCurves([5.0], [[0.2], [0.6], [1.0]])
        with pytest.raises(InvalidInput, match="median is infinite for 1 of 3"):
            evaluate(y, curves)
        result = evaluate(y, curves, tau=4.0)
        assert np.isfinite(list(result.as_dict().values())).all()
        assert float(result.c_index) == 1.0


class TestAllMetrics:
    @pytest.mark.parametrize("name", ALL)
    def test_do_not_change_their_input(self, data, name):
        y, curves, _ = data
        survival, times = curves.survival.copy(), curves.times.copy()
        outcome = Outcome(y.time, y.event)
        ALL[name](y, curves)
        np.testing.assert_array_equal(curves.survival, survival)
        np.testing.assert_array_equal(curves.times, times)
        assert y == outcome

    @pytest.mark.parametrize("name", ALL)
    def test_take_every_form_of_outcomes(self, data, name):
        y, curves, _ = data
        metric = ALL[name]
        wanted = metric(y, curves)
        assert metric(y.to_structured(), curves) == wanted
        assert metric((y.event, y.time), curves) == wanted
        frame = pd.DataFrame({"time": y.time, "event": y.event})
        assert metric(frame, curves) == wanted

    @pytest.mark.parametrize("name", WITH_TRAINING)
    def test_take_every_form_of_training_outcomes(self, data, name):
        y, curves, train = data
        wanted = ALL[name](y, curves, y_train=train)
        assert ALL[name](y, curves, y_train=train.to_structured()) == wanted
        assert ALL[name](y, curves, y_train=KaplanMeier(train)) == wanted

    @pytest.mark.parametrize("name", ALL)
    @pytest.mark.parametrize(
        ("event", "time", "said"),
        [
            ([0, 0, 0], [1.0, 2.0, 3.0], "no event"),
            ([1, 2, 2], [1.0, 2.0, 3.0], "event == 2"),
            ([1, 0], [1.0, 2.0], "lengths differ: y has 2, curves has 3"),
            ([3.5, 2.0, 7.0], [1, 0, 1], "swapped"),
            ([1, 0, 1], [1.0, 0.0, 3.0], "<= 0"),
            ([1, 0, 1], [1.0, np.nan, 3.0], "NaN"),
            ([1, 0, 1], np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), "masked"),
            ([1, 0, 1], np.array([1, 2, 3], "datetime64[D]"), "dates"),
            ([1, 0, 1], ["1", "2", "3"], "text"),
            ([1, 0, 1], [[1.0, 2.0]] * 3, "1-dimensional"),
        ],
    )
    def test_refuse_outcomes_that_are_none(self, name, event, time, said):
        curves = SurvivalCurves([2.0, 4.0], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
        with pytest.raises(InvalidInput, match=said):
            ALL[name]((event, time), curves)

    @pytest.mark.parametrize("name", ALL)
    def test_refuse_curves_that_are_none(self, name):
        with pytest.raises(InvalidInput, match="curves must be SurvivalCurves"):
            ALL[name](([1, 1], [1.0, 2.0]), np.array([[0.5], [0.4]]))

    @pytest.mark.parametrize("name", WITH_TRAINING)
    @pytest.mark.parametrize(
        ("train", "said"),
        [
            (([0, 0], [1.0, 2.0]), "y_train has no event among its 2"),
            (([1, 2], [1.0, 2.0]), "y_train: event must be bool"),
            (([], []), "y_train has no event among its 0"),
            (np.ones((3, 2)), "y_train: y is a ndarray"),
            (([1.5, 7.0], [1, 0]), "y_train: .*swapped"),
        ],
    )
    def test_refuse_training_outcomes_that_are_none(self, data, name, train, said):
        y, curves, _ = data
        with pytest.raises(InvalidInput, match=said):
            ALL[name](y, curves, y_train=train)

    def test_curves_in_percent_never_come_to_a_metric(self):
        with pytest.raises(InvalidInput, match="divide by 100"):
            SurvivalCurves([2.0], [[90.0], [80.0]])
