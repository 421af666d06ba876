"""The integrated calibration index against truth known by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics.ici import integrated_calibration_index
from consurv.metrics.one_calibration import one_calibration
from consurv.outcome import Outcome


def with_predictions(survival, time=1.0):
    return SurvivalCurves([time], np.asarray(survival, float)[:, None])


def simulate(n, *, seed=0, wrong=lambda s: s, informative=False):
    """Outcomes whose S(1) is uniform on (0.2, 0.8), and wrong(S(1)) as prediction.

    With *informative*, the subjects at high risk are censored earlier.
    """
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.2, 0.8, n)
    event_time = rng.exponential(1, n) / -np.log(truth)
    censoring = rng.exponential(1, n) * (4 * truth if informative else 2)
    y = Outcome(np.minimum(event_time, censoring), event_time <= censoring)
    return y, with_predictions(wrong(truth)), truth


class TestTruth:
    @pytest.mark.parametrize("informative", [False, True])
    def test_a_right_model_has_almost_none(self, informative):
        y, curves, _ = simulate(20_000, informative=informative)
        result = integrated_calibration_index(y, curves, 1.0)
        assert float(result) < 0.015
        assert result.e_max < 0.05

    @pytest.mark.parametrize("bias", [-0.15, -0.05, 0.1])
    def test_a_constant_bias_is_found(self, bias):
        y, curves, _ = simulate(20_000, wrong=lambda s: s + bias)
        result = integrated_calibration_index(y, curves, 1.0)
        assert float(result) == pytest.approx(abs(bias), abs=0.01)
        assert result.e50 == pytest.approx(abs(bias), abs=0.01)
        gap = result.predicted - result.observed
        assert np.mean(gap) == pytest.approx(bias, abs=0.01)

    def test_predictions_that_are_too_extreme(self):
        # S is shown as 0.5 + 1.5 (S − 0.5): the mean error is half the mean distance
        # of S from 0.5, which is 0.15; the largest is 0.15, the 90th percentile 0.135.
        y, curves, _ = simulate(50_000, wrong=lambda s: 0.5 + 1.5 * (s - 0.5))
        result = integrated_calibration_index(y, curves, 1.0)
        assert float(result) == pytest.approx(0.075, abs=0.008)
        assert result.e90 == pytest.approx(0.135, abs=0.02)
        assert result.e_max == pytest.approx(0.15, abs=0.03)

    def test_noise_falls_as_n_grows_about_as_documented(self):
        for n in (500, 5000):
            values, size = [], 0
            for seed in range(20):
                y, curves, _ = simulate(n, seed=seed)
                result = integrated_calibration_index(y, curves, 1.0)
                values.append(float(result))
                size = result.n_neighbors
            said = 0.8 * np.sqrt(0.25 / size)
            # Censoring before the time adds noise, the spread of S takes some off.
            assert 0.6 * said < np.mean(values) < 1.6 * said


class TestKnownAnswers:
    def test_one_window_over_all_is_one_calibration_with_one_group(self):
        y, curves, _ = simulate(200)
        one = one_calibration(y, curves, 1.0, n_groups=1, variance="greenwood")
        result = integrated_calibration_index(y, curves, 1.0, n_neighbors=200)
        assert result.predicted == pytest.approx(one.expected)
        assert result.observed == pytest.approx(one.observed)
        gap = abs(one.expected[0] - one.observed[0])
        for value in (float(result), result.e50, result.e90, result.e_max):
            assert value == pytest.approx(gap)

    def test_one_prediction_for_all_makes_one_window(self):
        y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 0, 1])
        curves = with_predictions([0.4] * 4, 2.5)
        result = integrated_calibration_index(y, curves, 2.5, n_neighbors=1)
        assert result.predicted == pytest.approx([0.4])
        assert result.observed == pytest.approx([0.5])
        assert float(result) == pytest.approx(0.1)

    def test_windows_hold_whole_runs_of_equal_predictions(self):
        y = Outcome(time=[1, 6, 2, 7, 8], event=[1, 1, 1, 1, 1])
        curves = with_predictions([0.2, 0.6, 0.6, 0.6, 0.9], 4.0)
        result = integrated_calibration_index(y, curves, 4.0, n_neighbors=2)
        np.testing.assert_allclose(result.predicted, [0.5, 0.6, 0.675])
        np.testing.assert_allclose(result.observed, [0.5, 2 / 3, 0.75])

    def test_the_order_of_rows_does_not_matter(self):
        rng = np.random.default_rng(0)
        y = Outcome(rng.integers(1, 20, 400), rng.random(400) < 0.6)
        curves = with_predictions(rng.integers(1, 60, 400) / 60, 8.0)
        first = integrated_calibration_index(y, curves, 8.0)
        order = rng.permutation(400)
        again = integrated_calibration_index(y[order], curves[order], 8.0)
        assert float(again) == pytest.approx(float(first), rel=1e-12)
        np.testing.assert_array_equal(again.observed, first.observed)

    def test_summaries_are_in_order(self):
        y, curves, _ = simulate(300)
        result = integrated_calibration_index(y, curves, 1.0)
        assert 0 <= result.e50 <= result.e90 <= result.e_max
        assert result.n_neighbors == 96  # 300^0.8 = 95.9
        assert len(result.predicted) == 200

    def test_unobserved_times_are_flagged(self):
        y = Outcome(time=[1, 2, 3, 4], event=[1, 0, 0, 0])
        curves = with_predictions([0.2, 0.4, 0.6, 0.8], 3.5)
        with pytest.warns(CalibrationWarning, match="in 2 of 3 groups nobody"):
            integrated_calibration_index(y, curves, 3.5, n_neighbors=2)


class TestBadInput:
    y = ([1, 1], [1.0, 2.0])
    curves = with_predictions([0.5, 0.2])

    def test_a_time_that_is_none(self):
        with pytest.raises(InvalidInput, match="time=-1"):
            integrated_calibration_index(self.y, self.curves, -1)

    def test_no_neighbours(self):
        with pytest.raises(InvalidInput, match=r"n_neighbors=0.*>= 1 or one of None"):
            integrated_calibration_index(self.y, self.curves, 1.0, n_neighbors=0)

    def test_more_neighbours_than_subjects(self):
        with pytest.raises(InvalidInput, match="n_neighbors=3 is more than the 2"):
            integrated_calibration_index(self.y, self.curves, 1.0, n_neighbors=3)

    def test_no_event(self):
        with pytest.raises(InvalidInput, match="no event"):
            integrated_calibration_index(([0, 0], [1.0, 2.0]), self.curves, 1.0)
