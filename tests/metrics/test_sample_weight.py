"""Metrics with weights: rows repeated so often."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv.curves.average import mean_survival
from consurv.errors import InvalidInput
from consurv.metrics import (
    antolini_concordance_index,
    brier_score,
    concordance_index,
    concordance_of_risk,
    d_calibration,
    evaluate,
    integrated_brier_score,
    integrated_calibration_index,
    km_calibration,
    mae_hinge,
    mae_margin,
    mae_po,
    one_calibration,
    risk_calibration,
    uno_concordance_index,
)
from consurv.metrics.ipcw import CensoringCurve
from tests.test_weights import BAD

pytestmark = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")


def subjects(seed, n=250, whole=False):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=n), 1)  # some risks are tied
    event_time, limit = rng.exponential(10 * np.exp(x)), rng.exponential(14, n)
    if whole:
        event_time, limit = np.ceil(event_time), np.ceil(limit)
    y = Outcome(np.minimum(event_time, limit), event_time <= limit)
    times = np.geomspace(0.01, 400, 60)
    survival = np.exp(-times / (15 * np.exp(0.6 * x[:, None])))
    weight = rng.integers(0, 4, n).astype(float)
    return y, SurvivalCurves(times, survival), weight


TRAINING, _, _ = subjects(99)
METRICS = {
    "c": concordance_index,
    "d": d_calibration,
    "km": km_calibration,
    "km by events": partial(km_calibration, grid="event", divergence="kl"),
    "brier": partial(brier_score, times=[2.0, 5.0, 9.0]),
    "ibs": integrated_brier_score,
    "ibs of training": partial(integrated_brier_score, y_train=TRAINING),
    "po": mae_po,
    "po of training": partial(mae_po, y_train=TRAINING),
    "margin": mae_margin,
    "hinge": mae_hinge,
    "risk": risk_calibration,
}
REFUSED = {
    "uno": uno_concordance_index,
    "antolini": antolini_concordance_index,
    "one": partial(one_calibration, time=5.0),
    "ici": partial(integrated_calibration_index, time=5.0),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
class TestMetrics:
    @pytest.mark.parametrize("seed", range(3))
    def test_whole_weights_are_repeated_rows(self, metric, seed):
        y, curves, weight = subjects(seed, whole=seed == 1)
        rows = np.repeat(np.arange(len(y)), weight.astype(int))
        found = metric(y, curves, sample_weight=weight)
        assert_allclose(float(found), float(metric(y[rows], curves[rows])), rtol=1e-10)
        assert float(found) != float(metric(y, curves))

    def test_the_outcomes_may_carry_them(self, metric):
        y, curves, weight = subjects(3)
        found = metric(y.weighted(weight), curves)
        assert float(found) == float(metric(y, curves, sample_weight=weight))

    def test_ones_change_no_bit(self, metric):
        y, curves, _ = subjects(4)
        found = metric(y, curves, sample_weight=np.ones(len(y)))
        assert float(found) == float(metric(y, curves))

    def test_zero_leaves_a_subject_out(self, metric):
        y, curves, weight = subjects(5)
        some = weight > 0
        found = metric(y, curves, sample_weight=some * 1.0)
        assert float(found) == float(metric(y[some], curves[some]))

    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_bad_weights_are_refused(self, metric, weight, message):
        y, curves, _ = subjects(6)
        some = np.r_[np.flatnonzero(y.event)[:2], np.flatnonzero(~y.event)[:1]]
        with pytest.raises(InvalidInput, match=message):
            metric(y[some], curves[some], sample_weight=weight)

    def test_no_event_that_weighs_anything_is_refused(self, metric):
        y, curves, _ = subjects(6)
        with pytest.raises(InvalidInput, match="no event"):
            metric(y, curves, sample_weight=~y.event * 2.0)


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"po", "risk"}))
def test_a_factor_of_all_weights_changes_nothing(name):
    y, curves, weight = subjects(7)
    found, wanted = (
        float(METRICS[name](y, curves, sample_weight=k * weight)) for k in (0.3, 1)
    )
    assert found == pytest.approx(wanted, rel=1e-9)


def test_all_that_risk_calibration_tells_is_that_of_repeated_rows():
    y, curves, weight = subjects(8)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    found = risk_calibration(y, curves, sample_weight=weight)
    wanted = risk_calibration(y[rows], curves[rows])
    for name in vars(wanted):
        assert_allclose(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert found.n_groups > 2


def test_all_that_d_calibration_tells_is_that_of_repeated_rows():
    y, curves, weight = subjects(8)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    found = d_calibration(y, curves, sample_weight=weight)
    wanted = d_calibration(y[rows], curves[rows])
    for name in vars(wanted):
        assert_allclose(getattr(found, name), getattr(wanted, name), err_msg=name)


class TestConcordance:
    def test_pairs_count_the_product_of_weights(self):
        y = Outcome([1, 2, 3], [1, 1, 0], weight=[2, 0.5, 3])
        found = concordance_of_risk(y, [5.0, 1.0, 1.0])
        assert found.n_concordant == 2 * 0.5 + 2 * 3
        assert found.n_tied_risk == 0.5 * 3
        assert found.n_pairs == 8.5

    @pytest.mark.parametrize("n", [1, 2, 3, 64, 65])
    def test_sums_are_those_of_all_pairs(self, n):
        rng = np.random.default_rng(n)
        time, event = rng.integers(1, 9, n + 1), rng.random(n + 1) < 0.7
        time[0], event[0], time[1] = 1, True, 9
        risk, weight = rng.integers(0, 5, n + 1), rng.random(n + 1)
        found = concordance_of_risk((event, time), risk, sample_weight=weight)
        first = event[:, None] & (
            (time[:, None] < time) | ((time[:, None] == time) & ~event)
        )
        pairs = np.outer(weight, weight) * first
        wins = risk[:, None] > risk
        assert found.n_concordant == pytest.approx(pairs[wins].sum())
        assert found.n_pairs == pytest.approx(pairs.sum())

    def test_half_of_tied_times_is_refused(self):
        y, curves, weight = subjects(1)
        with pytest.raises(InvalidInput, match="would be tied with itself"):
            concordance_index(y, curves, tied_times="half", sample_weight=weight)

    def test_risks_of_weight_zero_do_not_count(self):
        y, _, weight = subjects(2)
        risk, some = np.arange(len(y)), weight > 0
        found = concordance_of_risk(y, risk, sample_weight=some * 1.0)
        assert float(found) == float(concordance_of_risk(y[some], risk[some]))


class TestEvaluate:
    def test_is_that_of_repeated_rows(self):
        y, curves, weight = subjects(9)
        rows = np.repeat(np.arange(len(y)), weight.astype(int))
        risk = np.random.default_rng(0).random(len(y))
        found = evaluate(y, curves, risk=risk, sample_weight=weight)
        wanted = evaluate(y[rows], curves[rows], risk=risk[rows])
        assert_allclose(found.to_series(), wanted.to_series(), rtol=1e-10)

    def test_ones_change_no_bit(self):
        y, curves, _ = subjects(9)
        found = evaluate(y, curves, sample_weight=np.ones(len(y)))
        assert_array_equal(found.to_series(), evaluate(y, curves).to_series())

    def test_weights_that_are_not_whole_need_training_outcomes(self):
        y, curves, weight = subjects(9)
        with pytest.raises(InvalidInput, match="give y_train"):
            evaluate(y, curves, sample_weight=weight * 0.3)
        found = evaluate(y, curves, y_train=TRAINING, sample_weight=weight * 0.3)
        assert np.isfinite(found.to_series()).all()


@pytest.mark.parametrize("metric", REFUSED.values(), ids=REFUSED)
def test_metrics_without_a_plain_meaning_refuse(metric):
    y, curves, weight = subjects(1)
    with pytest.raises(InvalidInput, match="this metric takes no weights"):
        metric(y.weighted(weight), curves)


def test_the_censoring_curve_does_not_fall_by_rounding():
    y, _, weight = subjects(2)
    found, wanted = (
        CensoringCurve(KaplanMeier(y.weighted(k * weight))) for k in (0.1, 1)
    )
    assert_array_equal(found.times, wanted.times)
    assert_allclose(found.survival, wanted.survival, rtol=1e-12, atol=1e-12)


def test_the_mean_curve_is_a_weighted_mean():
    _, curves, weight = subjects(2)
    found = mean_survival(curves, [1.0, 7.0], weight=weight)
    survival = curves.survival_at([1.0, 7.0])
    assert_allclose(found, np.average(survival, axis=0, weights=weight), rtol=1e-12)
