"""Calibration by risk: by hand, against a loop, by simulation, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics import d_calibration, get_scorer, risk_calibration
from consurv.outcome import Outcome


def exponential(scale, grid=None, stretch=1.0):
    grid = np.linspace(0.05, 10, 200) if grid is None else grid
    return SurvivalCurves(grid, np.exp(-grid / (stretch * scale[:, None])))


def draw(n, seed, censoring=0.5, spread=0.5):
    """Exponential times of subjects whose scales differ, with their scales."""
    rng = np.random.default_rng(seed)
    scale = np.exp(rng.normal(scale=spread, size=n))
    time = rng.exponential(scale)
    last = rng.exponential(1 / censoring, n) if censoring else np.full(n, np.inf)
    return Outcome(np.minimum(time, last), time <= last), scale


class TestByHand:
    """20 subjects who die at 1 … 20, and 20 of whom 10 are censored at 5."""

    time = np.concatenate([np.arange(1.0, 21), np.arange(1.0, 5), np.full(16, 5.0)])
    event = np.concatenate([np.ones(20), np.ones(4), np.ones(6), np.zeros(10)])
    curves = SurvivalCurves([10.0], np.repeat([[0.0], [0.5]], 20, axis=0))

    @pytest.fixture
    def result(self):
        y = Outcome(self.time, self.event)
        return risk_calibration(y, self.curves, n_groups=2, times=[2.0, 5.0])

    def test_groups_are_in_order_of_risk(self, result):
        assert result.n_groups == 2
        np.testing.assert_array_equal(result.sizes, [20, 20])
        np.testing.assert_array_equal(result.events, [20, 10])

    def test_observed_is_kaplan_meier_and_predicted_the_mean(self, result):
        # Second group: 4 of 20 die until 4, then 6 of the 16 left at 5.
        np.testing.assert_allclose(result.observed, [[0.9, 0.75], [0.9, 0.5]])
        np.testing.assert_allclose(result.predicted, [[0.8, 0.5], [0.9, 0.75]])
        np.testing.assert_allclose(result.gaps, [[-0.1, -0.25], [0, 0.25]], atol=1e-15)

    def test_value_is_the_mean_square_of_the_gaps(self, result):
        assert float(result) == pytest.approx((0.01 + 0.0625 + 0 + 0.0625) / 4)

    def test_variance_is_binomial_without_censoring(self, result):
        binomial = result.observed * (1 - result.observed) / 20
        np.testing.assert_allclose(result.variances, binomial)
        np.testing.assert_allclose(result.subjects, [[20, 18], [20, 18]])
        assert result.noise == pytest.approx(binomial.mean())

    def test_interval_is_log_log(self, result):
        s, v = result.observed, result.variances
        width = norm.ppf(0.975) * np.sqrt(v) / s / np.abs(np.log(s))
        np.testing.assert_allclose(result.lower, s ** np.exp(width))
        np.testing.assert_allclose(result.upper, s ** np.exp(-width))

    def test_statistic_is_that_of_conditional_survival(self, result):
        # Two deaths in 20 where 4 are expected are fewer than 5: the first time joins
        # the second, and 0.75 is compared with 0.5 among 20.
        assert result.statistics[0] == pytest.approx(0.25**2 * 20 / 0.25)
        # In the second group 5 are expected until 5: 0.5 with 0.75 among 20.
        assert result.statistics[1] == pytest.approx(0.25**2 * 20 / (0.75 * 0.25))
        assert result.p_value == result.p_values.min() < 0.05

    def test_worst_is_the_largest_gap(self, result):
        assert result.worst.group == 0
        assert result.worst.time == 5
        assert result.worst.gap == pytest.approx(-0.25)

    def test_d_calibration_is_that_of_each_group(self, result):
        y = Outcome(self.time, self.event)
        for g, rows in enumerate((slice(0, 20), slice(20, 40))):
            alone = d_calibration(y[rows], self.curves[rows])
            assert result.d_cal[g] == float(alone)
            assert result.d_cal_p_values[g] == alone.p_value


class TestAgainstALoop:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("rounded", [False, True])
    def test_agrees(self, seed, rounded):
        y, scale = draw(150, seed)
        time = np.ceil(5 * y.time) / 5 if rounded else y.time
        y, curves = Outcome(time, y.event), exponential(scale)
        result = risk_calibration(y, curves, n_groups=3)
        order = np.argsort(scale)
        for g, rows in enumerate(np.array_split(order, 3)):
            for k, t in enumerate(result.times):
                survival, greenwood = 1.0, 0.0
                for u in sorted(set(time[rows])):
                    if u <= t:
                        at_risk = sum(time[i] >= u for i in rows)
                        died = sum(time[i] == u and y.event[i] for i in rows)
                        survival *= 1 - died / at_risk
                        if died < at_risk:
                            greenwood += died / at_risk / (at_risk - died)
                if survival > 0 and max(time[rows]) < t:
                    survival = np.nan
                said = np.mean([curves[[i]].survival_at([t])[0, 0] for i in rows])
                assert result.observed[g, k] == pytest.approx(
                    survival, rel=1e-12, nan_ok=True
                )
                variance = survival**2 * greenwood
                assert result.variances[g, k] == pytest.approx(
                    variance, rel=1e-10, nan_ok=True
                )
                assert result.predicted[g, k] == pytest.approx(said, rel=1e-12)


class TestGroups:
    def test_do_not_depend_on_the_order_of_rows(self):
        y, scale = draw(200, 1)
        scale = scale.round(1)  # with ties
        curves, rows = exponential(scale), np.random.default_rng(0).permutation(200)
        a, b = risk_calibration(y, curves), risk_calibration(y[rows], curves[rows])
        np.testing.assert_array_equal(a.sizes, b.sizes)
        np.testing.assert_allclose(a.observed, b.observed)
        assert float(a) == pytest.approx(float(b), rel=1e-12)

    @pytest.mark.parametrize("unit", [2.0**20, 365.25, 1e-6])
    def test_do_not_depend_on_the_unit_of_time(self, unit):
        y, scale = draw(200, 1)
        grid = np.linspace(0.05, 10, 200)
        a = risk_calibration(y, exponential(scale, grid))
        b = risk_calibration(
            Outcome(unit * y.time, y.event), exponential(unit * scale, unit * grid)
        )
        np.testing.assert_allclose(b.times, unit * a.times)
        np.testing.assert_allclose(a.observed, b.observed)
        assert float(a) == pytest.approx(float(b), rel=1e-9)
        np.testing.assert_allclose(a.p_values, b.p_values, rtol=1e-6)

    def test_equal_risks_are_never_split(self):
        y, scale = draw(200, 2)
        risk = np.repeat([3.0, 2.0, 1.0], [30, 100, 70])
        result = risk_calibration(y, exponential(scale), risk=risk)
        np.testing.assert_array_equal(result.sizes, [30, 100, 70])

    def test_equal_curves_are_one_group(self):
        y, _ = draw(200, 2)
        assert risk_calibration(y, exponential(np.ones(200))).n_groups == 1

    def test_infinite_medians_are_the_lowest_risk(self):
        y, scale = draw(100, 3)
        survival = np.where(scale[:, None] > 1, 1.0, 0.0)
        result = risk_calibration(y, SurvivalCurves([5.0], survival), n_groups=2)
        np.testing.assert_array_equal(
            result.sizes, [(scale <= 1).sum(), (scale > 1).sum()]
        )
        assert (result.predicted[1] == 1).all()

    def test_come_from_a_given_risk(self):
        y, scale = draw(300, 4)
        same = risk_calibration(y, exponential(scale, stretch=3), risk=-scale)
        own = risk_calibration(y, exponential(scale))
        np.testing.assert_array_equal(same.observed, own.observed)
        assert (same.predicted > own.predicted).all()

    @pytest.mark.parametrize(
        ("n", "n_groups"), [(2, 1), (39, 1), (40, 2), (85, 4), (500, 5)]
    )
    def test_are_fewer_where_subjects_are_few(self, n, n_groups):
        y, scale = draw(n, 5, censoring=0)
        assert risk_calibration(y, exponential(scale)).n_groups == n_groups

    def test_are_fewer_where_events_are_few(self):
        y, scale = draw(300, 6)
        y = Outcome(y.time, np.arange(300) % 10 == 0)  # 30 events
        assert risk_calibration(y, exponential(scale)).n_groups == 3


class TestEdges:
    def test_a_group_that_nobody_saw_to_the_end_is_left_out_with_a_warning(self):
        y, scale = draw(200, 7, censoring=0)
        high = scale < np.median(scale)
        y = Outcome(
            np.where(high, np.minimum(y.time, 0.3), y.time), ~high | (y.time < 0.3)
        )
        with pytest.warns(CalibrationWarning, match=r"in 1 of 2 groups .* \(number 1,"):
            result = risk_calibration(
                y, exponential(scale), n_groups=2, times=[0.2, 0.6, 1.0]
            )
        np.testing.assert_array_equal(
            np.isnan(result.observed), [[False, True, True], [False] * 3]
        )
        assert np.isfinite(float(result))
        assert np.isfinite(result.p_values).all()

    def test_a_group_without_an_event_that_was_followed_survives(self):
        y, scale = draw(200, 8, censoring=0)
        low = scale >= np.median(scale)
        y = Outcome(np.where(low, 9.0, y.time), ~low)
        result = risk_calibration(y, exponential(scale), n_groups=2, times=[0.5, 1.0])
        np.testing.assert_array_equal(result.observed[1], 1)
        np.testing.assert_array_equal(result.upper[1], 1)
        # All of 100 survive: the exact binomial bound.
        np.testing.assert_allclose(result.lower[1], 0.025 ** (1 / 100))
        assert result.p_values[1] < 1e-6

    def test_a_group_that_all_left_before_the_first_time_is_not_tested(self):
        y, scale = draw(200, 8, censoring=0)
        low = scale >= np.median(scale)
        y = Outcome(np.where(low, 1e-3, y.time), ~low)
        with pytest.warns(CalibrationWarning, match="is left out"):
            result = risk_calibration(y, exponential(scale), n_groups=2)
        assert np.isnan(result.observed[1]).all()
        assert np.isnan(result.p_values[1])
        assert np.isfinite(result.p_value)

    def test_where_all_are_gone_survival_is_0_with_an_exact_bound(self):
        time = np.arange(1.0, 41)
        result = risk_calibration(
            (np.ones(40), time), SurvivalCurves([40.0], np.zeros((40, 1))), times=[40.0]
        )
        assert result.observed[0, 0] == result.lower[0, 0] == 0
        assert result.upper[0, 0] == pytest.approx(1 - 0.025 ** (1 / 40))

    def test_what_curves_call_impossible_is_rejected(self):
        y = Outcome(np.arange(1.0, 41), np.ones(40))
        never = SurvivalCurves([1e6], np.full((40, 1), 1.0))
        assert risk_calibration(y, never).p_value == 0
        at_once = SurvivalCurves([1e-3], np.zeros((40, 1)))
        assert risk_calibration(y, at_once).p_value == 0

    def test_one_event(self):
        y = Outcome([1.0, 2.0, 3.0], [0, 1, 0])
        result = risk_calibration(y, SurvivalCurves([4.0], np.zeros((3, 1))))
        np.testing.assert_array_equal(result.times, [2])
        assert result.observed[0, 0] == 0.5
        assert float(result) == 0


class TestRefuses:
    y, curves = Outcome([1.0, 2.0, 3.0], [1, 1, 0]), SurvivalCurves([4.0], [[0.0]] * 3)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_groups": 0}, "n_groups=0"),
            ({"coverage": 1.0}, "coverage"),
            ({"times": [1.0, 3.5]}, r"times must lie in \(0, 3\].* got 1 to 3.5"),
            ({"times": [0.0]}, "times must lie in"),
            ({"times": []}, "got none"),
            ({"risk": [1.0, 2.0]}, "risk has 2"),
            ({"risk": [1.0, np.nan, 2.0]}, "risk has 1 NaN"),
            ({"risk": [1.0, np.inf, 2.0]}, "risk has 1 infinite"),
        ],
    )
    def test_options_that_mean_nothing(self, options, message):
        with pytest.raises(InvalidInput, match=message):
            risk_calibration(self.y, self.curves, **options)


class TestScorer:
    def test_is_known_by_name_and_an_error(self):
        assert not get_scorer("risk-calibration", n_groups=3).greater_is_better


class TestCatches:
    def test_times_that_are_too_long(self):
        y, scale = draw(2000, 9)
        right = risk_calibration(y, exponential(scale))
        long = risk_calibration(y, exponential(scale, stretch=1.5))
        assert right.p_value > 0.05 > 1e-9 > long.p_value
        assert float(right) < 3 * right.noise < float(long)
        assert (long.gaps > 0).all()

    def test_what_is_right_on_average_only(self):
        """Curves that do not know the risk are D-calibrated, but not by risk."""
        y, scale = draw(2000, 10, censoring=0, spread=0.8)
        times = np.quantile(y.time, np.linspace(0.005, 1, 200))
        same = SurvivalCurves(times, np.tile(1 - np.linspace(0.005, 1, 200), (2000, 1)))
        assert d_calibration(y, same).p_value > 0.5
        result = risk_calibration(y, same, risk=-scale)
        assert result.p_value < 1e-6
        assert result.gaps[0].min() > 0 > result.gaps[-1].max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "censoring"), [(60, 0.0), (100, 2.0), (200, 0.5), (400, 5.0), (1000, 0.5)]
)
def test_right_curves_are_rejected_no_more_often_than_the_level_says(n, censoring):
    """At most 0.05 over all groups; 800 samples have a standard error of 0.0077."""
    rejected = 0
    for seed in range(800):
        y, scale = draw(n, seed, censoring=censoring, spread=0.4)
        grid = np.quantile(y.time, np.linspace(0.01, 1, 50))
        rejected += risk_calibration(y, exponential(scale, grid)).p_value < 0.05
    assert 0.005 < rejected / 800 < 0.075
