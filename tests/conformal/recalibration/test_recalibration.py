"""Times far beyond all that was observed are drawn in, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import CalibrationWarning, ConformalSurvival, Outcome, SurvivalCurves
from consurv.conformal.recalibration.order import OrderGuard
from consurv.conformal.recalibration.ratios import HazardRatios
from consurv.conformal.recalibration.recalibration import Recalibration
from consurv.conformal.recalibration.risk import RiskScale
from consurv.conformal.recalibration.shapes import FINE_LEVELS, read_curves
from consurv.conformal.recalibration.time_map import TimeMap

LEVELS = np.arange(19, 0, -1) / 20


@pytest.fixture
def curves():
    """Return Weibull curves of five risks, medians from 1 to 16."""
    return SurvivalCurves.from_aft(np.log(2.0 ** np.arange(5)), 0.5)


@pytest.fixture
def wide():
    """Return what makes curves 20 times as wide, with a follow-up of 8."""
    risk = RiskScale(np.array([0.0, 3.0]), np.array([-1.0, 1.0]))
    time_map = TimeMap(np.array([0, 0, np.log(20), 0, 0]), np.zeros(2))
    return Recalibration(
        FINE_LEVELS,
        time_map,
        HazardRatios.none(risk),
        OrderGuard.none(),
        scale=8.0,
        follow_up=8.0,
    )


class TestFarTimes:
    def test_are_drawn_in_and_nearer_ones_left(self, curves, wide):
        times = wide.times(read_curves(curves), LEVELS)
        free = replace(wide, follow_up=0.0).times(read_curves(curves), LEVELS)
        near = free <= 80
        assert near.any(axis=0).any()
        assert_array_equal(times[near], free[near])
        assert free.max() > 1e6
        assert_allclose(times[~near], 80 * (1 + np.log(free[~near] / 80)))

    def test_rows_and_subjects_stay_in_order(self, curves, wide):
        times = wide.times(read_curves(curves), LEVELS)
        assert (np.diff(times, axis=1) > 0).all()
        assert (np.diff(times, axis=0) > 0).all()

    def test_a_unit_of_time_changes_nothing(self, curves, wide):
        times = wide.times(read_curves(curves), LEVELS)
        days = SurvivalCurves.from_aft(np.log(30.4 * 2.0 ** np.arange(5)), 0.5)
        # As a fit on days would have it.
        moved = np.array([np.log(30.4 * 8 / 256), 0.0])
        own = replace(
            wide,
            time_map=replace(wide.time_map, centre=moved),
            scale=256.0,
            follow_up=30.4 * 8,
        )
        assert_allclose(own.times(read_curves(days), LEVELS), 30.4 * times, rtol=1e-9)

    def test_the_raw_curve_may_go_as_far_as_it_likes(self, wide):
        far = SurvivalCurves.from_aft(np.log([1000.0]), 0.5)
        same = replace(wide, time_map=TimeMap(np.zeros(5), np.zeros(2)))
        assert_allclose(
            same.times(read_curves(far), LEVELS),
            far.percentile_times(LEVELS),
            rtol=1e-6,
        )
        drawn = wide.times(read_curves(far), LEVELS)
        raw = far.percentile_times(LEVELS)[:, 10:]
        assert (drawn[:, 10:] >= raw * (1 - 1e-9)).all()


def test_medians_of_a_hopeless_model_stay_in_sight():
    """Most are censored early, and the curves have nothing to do with them."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(200, 1))
    time, limit = 40 * rng.weibull(0.35, 200), rng.uniform(0, 1, 200)
    y = Outcome(np.minimum(time, limit), time <= limit)

    def model(X):
        return SurvivalCurves.from_aft(np.log(0.3) + X[:, 0], 0.02)

    with pytest.warns(CalibrationWarning, match="too few events"):
        fitted = ConformalSurvival(model).conformalize(x, y)
    free = replace(fitted.recalibration_, follow_up=0.0)
    levels = np.array([0.5])
    assert free.times(read_curves(model(x)), levels).max() > 50 * y.time.max()
    assert fitted.predict_quantile(x, levels).max() < 35 * y.time.max()
