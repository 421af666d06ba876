"""Hazard ratios by cell and stratum: what is noise, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.censoring.hazard_ratios import hazard_ratios
from consurv.errors import CalibrationWarning

SCORE = np.array([-1.5, -0.5, 0.5, 1.5])


def counts(ratio, expected, seed):
    """Return Poisson counts of four strata and six cells."""
    mean = np.broadcast_to(ratio, (4, 6)) * expected
    return np.random.default_rng(seed).poisson(mean).astype(float), np.full(
        (4, 6), float(expected)
    )


class TestHazardRatios:
    def test_of_a_right_model_are_left_alone(self):
        found = [hazard_ratios(*counts(1.0, 10, seed), SCORE) for seed in range(40)]
        assert np.mean([(ratio == 1).all() for ratio in found]) > 0.4
        assert max(np.abs(np.log(ratio)).max() for ratio in found) < 0.4

    def test_follow_a_factor_common_to_all(self):
        ratio = hazard_ratios(*counts(2.0, 100, 0), SCORE)
        assert_allclose(ratio, 2, rtol=0.06)

    def test_follow_the_cells(self):
        wanted = np.array([0.3, 0.5, 1.0, 1.0, 2.0, 3.0])
        ratio = hazard_ratios(*counts(wanted, 200, 1), SCORE)
        assert_allclose(ratio, np.tile(wanted, (4, 1)), rtol=0.2)

    def test_follow_a_trend_in_the_risk(self):
        wanted = np.exp(0.7 * SCORE)[:, None]
        ratio = hazard_ratios(*counts(wanted, 30, 2), SCORE)
        assert_allclose(ratio, np.tile(wanted, 6), rtol=0.15)

    def test_follow_strata_without_a_trend(self):
        wanted = np.array([3.0, 0.5, 0.5, 3.0])[:, None]
        ratio = hazard_ratios(*counts(wanted, 100, 3), SCORE)
        assert_allclose(ratio, np.tile(wanted, 6), rtol=0.15)

    def test_follow_cells_that_differ_from_stratum_to_stratum(self):
        wanted = np.ones((4, 6))
        wanted[:2, :3] = wanted[2:, 3:] = 4
        ratio = hazard_ratios(*counts(wanted, 300, 4), SCORE)
        assert_allclose(ratio, wanted, rtol=0.2)

    def test_cells_that_nobody_reached_go_on_as_the_one_before(self):
        events, expected = counts(3.0, 100, 5)
        events[:, 4:] = expected[:, 4:] = 0
        ratio = hazard_ratios(events, expected, SCORE)
        assert_allclose(ratio[:, 4:], ratio[:, 3:4] * np.ones((1, 2)), rtol=0.02)

    def test_a_stratum_that_left_early_borrows_from_the_others(self):
        wanted = np.array([1.0, 1.0, 1.0, 4.0, 4.0, 4.0])
        events, expected = counts(wanted, 200, 6)
        events[0, 3:] = expected[0, 3:] = 0
        ratio = hazard_ratios(events, expected, SCORE)
        assert_allclose(ratio[0, 3:], 4, rtol=0.3)

    def test_says_when_it_has_not_arrived(self, monkeypatch):
        monkeypatch.setattr("consurv.conformal.censoring.hazard_ratios._ROUNDS", 2)
        events, expected = counts(np.linspace(1, 9, 24).reshape(4, 6), 50, 1)
        with pytest.warns(CalibrationWarning, match="still change by .* 2 rounds"):
            hazard_ratios(events, expected, SCORE)

    def test_arrives_whatever_the_start(self, monkeypatch):
        # Two kinds of strata that fit the raw model badly in opposite ways.
        wanted = np.array([[9.0] * 3 + [0.1] * 3, [0.1] * 3 + [9.0] * 3] * 2)
        events, expected = counts(wanted, 500, 2)
        found = hazard_ratios(events, expected, SCORE)
        monkeypatch.setattr(
            "consurv.conformal.censoring.hazard_ratios._PRECISION", 1e-14
        )
        assert_allclose(hazard_ratios(events, expected, SCORE), found, rtol=1e-8)

    def test_without_events_nothing_is_known(self):
        found = hazard_ratios(np.zeros((4, 6)), np.ones((4, 6)), SCORE)
        assert_array_equal(found, np.ones((4, 6)))

    def test_one_event(self):
        events = np.zeros((1, 6))
        events[0, 2] = 1
        ratio = hazard_ratios(events, np.full((1, 6), 0.2), np.zeros(1))
        assert np.isfinite(ratio).all()
        assert_allclose(ratio, 1, rtol=0.3)

    def test_one_stratum_and_one_cell(self):
        # log(1/2), with variance 1/50, times 1 − 4/50/log²(1/2).
        ratio = hazard_ratios(np.array([[50.0]]), np.array([[100.0]]), np.zeros(1))
        log = np.log(0.5)
        assert_allclose(ratio, np.exp(log - 4 / 50 / log))
