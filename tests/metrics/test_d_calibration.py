"""D-calibration against a plain loop over the appendix, facts and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics import d_calibration
from consurv.outcome import Outcome

LEVELS = np.arange(1, 10) / 10


def with_probabilities(survival, event=None):
    """Outcomes and curves such that S(t_i) is exactly the given value."""
    survival = np.asarray(survival, dtype=float)
    time = np.arange(1.0, len(survival) + 1)
    event = np.ones(len(survival), bool) if event is None else event
    return Outcome(time, event), SurvivalCurves(time[:, None], survival[:, None])


def histogram_by_the_appendix(survival, event, n_bins):
    """The three cases of the appendix, bins (a, b], one subject and bin at a time."""
    counts = np.zeros(n_bins)
    for s, happened in zip(survival, event, strict=True):
        for k in range(n_bins):
            a, b = k / n_bins, (k + 1) / n_bins
            inside = a < s <= b or (k == 0 and s == 0)
            if happened or s == 0:
                counts[k] += inside
            elif inside:
                counts[k] += (s - a) / s
            elif s > b:
                counts[k] += (b - a) / s
    return counts


class TestKnownAnswers:
    def test_probabilities_spread_evenly_give_zero(self):
        for n in (10, 50, 1000):
            y, curves = with_probabilities((np.arange(n) + 0.5) / n)
            result = d_calibration(y, curves)
            assert float(result) < 1e-30
            assert result.statistic < 1e-20
            assert result.p_value == pytest.approx(1)
            np.testing.assert_allclose(result.cumulative, LEVELS, rtol=1e-14)

    def test_a_clairvoyant_without_censoring_gives_0_3167(self):
        # The mean of 0.9², 0.8², …, 0.1²: every probability is 0.
        result = d_calibration(*with_probabilities(np.zeros(20)))
        assert float(result) == pytest.approx(2.85 / 9, rel=1e-14)
        assert result.histogram.tolist() == [20.0] + [0.0] * 9

    def test_events_that_nobody_expected_give_the_same_from_above(self):
        result = d_calibration(*with_probabilities(np.ones(20)))
        assert float(result) == pytest.approx(2.85 / 9, rel=1e-14)
        assert result.histogram.tolist() == [0.0] * 9 + [20.0]

    def test_hand_worked_split_of_censored_subjects(self):
        # S = 0.5 splits over two bins, 0.8 over four with the last one partly
        # filled: (0.8 − 0.75) / 0.8; the events fall into (0.25, 0.5] and (0.75, 1].
        y, curves = with_probabilities([0.5, 0.8, 0.5, 0.9], [False, False, True, True])
        result = d_calibration(y, curves, n_bins=4)
        np.testing.assert_allclose(
            result.histogram,
            [0.5 + 0.3125, 0.5 + 0.3125 + 1, 0.3125, 0.0625 + 1],
            rtol=1e-14,
        )
        np.testing.assert_allclose(result.levels, [0.25, 0.5, 0.75])
        np.testing.assert_allclose(
            result.cumulative, [0.203125, 0.65625, 0.734375], rtol=1e-14
        )
        assert float(result) == pytest.approx(
            (0.046875**2 + 0.15625**2 + 0.015625**2) / 3, rel=1e-12
        )

    def test_a_subject_censored_where_the_curve_is_zero_is_in_the_lowest_bin(self):
        y, curves = with_probabilities([0.0, 0.95], [False, True])
        assert d_calibration(y, curves).histogram.tolist() == [1.0, *[0.0] * 8, 1.0]

    def test_a_subject_censored_at_probability_one_is_spread_evenly(self):
        y, curves = with_probabilities([1.0, 0.95], [False, True])
        np.testing.assert_allclose(
            d_calibration(y, curves).histogram, [0.1] * 9 + [1.1], rtol=1e-14
        )

    def test_a_tiny_probability_at_censoring_stays_finite(self):
        y, curves = with_probabilities([5e-324, 0.95], [False, True])
        assert d_calibration(y, curves).histogram.tolist() == [1.0, *[0.0] * 8, 1.0]


class TestBinEdges:
    def test_an_event_at_a_level_counts_there_in_spite_of_rounding(self):
        rounded_up = 0.1 * 3
        assert rounded_up > 0.3
        result = d_calibration(*with_probabilities([rounded_up, 0.95]))
        assert result.histogram[2] == 1
        assert result.cumulative[2] == 0.5

    def test_every_level_itself_belongs_to_the_bin_below(self):
        result = d_calibration(*with_probabilities([*LEVELS, 1.0]))
        assert result.histogram.tolist() == [1.0] * 10

    def test_a_probability_just_above_a_level_does_not_count(self):
        result = d_calibration(*with_probabilities([0.3 * (1 + 1e-9), 0.95]))
        assert result.histogram[3] == 1

    def test_curves_in_single_precision_fall_into_the_same_bins(self):
        time = np.arange(1.0, 11)[:, None]
        survival = np.array([*LEVELS, 1.0], dtype=np.float32)[:, None]
        y = Outcome(time[:, 0], np.ones(10))
        result = d_calibration(y, SurvivalCurves(time, survival))
        assert result.histogram.tolist() == [1.0] * 10

    def test_events_at_percentile_times_count_at_their_level(self):
        rng = np.random.default_rng(1)
        q = np.cumsum(rng.exponential(size=(500, 9)), axis=1)
        curves = SurvivalCurves.from_percentile_times(q, LEVELS[::-1])
        column = np.arange(500) % 9
        result = d_calibration(Outcome(q[np.arange(500), column], np.ones(500)), curves)
        np.testing.assert_array_equal(
            result.histogram[:9], np.bincount(8 - column, minlength=9)
        )


class TestAgainstTheAppendix:
    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(
            st.tuples(
                st.one_of(
                    st.sampled_from([0.0, 0.05, 0.33, 0.5, 0.99, 1.0]),
                    st.floats(1e-3, 1),
                ),
                st.booleans(),
            ),
            min_size=1,
            max_size=30,
        ),
        # Powers of two, where the edges of the bins are exact in the loop too.
        st.sampled_from([2, 4, 8, 16]),
    )
    def test_equals_the_loop_over_subjects_and_bins(self, subjects, n_bins):
        survival, event = zip(*subjects, (0.7, True), strict=True)
        y, curves = with_probabilities(survival, np.array(event))
        result = d_calibration(y, curves, n_bins=n_bins)
        expected = histogram_by_the_appendix(survival, event, n_bins)
        np.testing.assert_allclose(result.histogram, expected, rtol=1e-9, atol=1e-12)

    def test_equals_the_loop_on_real_looking_curves(self):
        rng = np.random.default_rng(2)
        times = np.linspace(0.5, 12, 24)
        survival = np.exp(-times / rng.uniform(1, 9, (300, 1)))
        curves = SurvivalCurves(times, survival)
        y = Outcome(rng.exponential(4, 300), rng.random(300) < 0.5)
        result = d_calibration(y, curves)
        at_observed = curves.survival_at_observed(y.time)
        np.testing.assert_allclose(
            result.histogram,
            histogram_by_the_appendix(at_observed, y.event, 10),
            rtol=1e-10,
        )

    def test_the_parts_of_the_result_fit_together(self):
        rng = np.random.default_rng(3)
        y, curves = with_probabilities(rng.random(200), rng.random(200) < 0.6)
        result = d_calibration(y, curves, n_bins=8)
        assert result.histogram.sum() == pytest.approx(200, rel=1e-14)
        np.testing.assert_allclose(
            result.histogram.cumsum()[:-1] / 200, result.cumulative, rtol=1e-12
        )
        assert float(result) == pytest.approx(
            np.mean((result.cumulative - result.levels) ** 2), rel=1e-14
        )
        reference = chisquare(result.histogram)
        assert result.statistic == pytest.approx(reference.statistic, rel=1e-12)
        assert result.p_value == pytest.approx(reference.pvalue, rel=1e-10)


class TestSimulations:
    """The true model: Weibull times whose curves are the ones given."""

    @staticmethod
    def true_probabilities(rng, n, *, censored):
        scale, shape = rng.uniform(1, 10, n), 1.7
        time = scale * rng.weibull(shape, n)
        limit = rng.exponential(8, n) if censored else np.full(n, np.inf)
        event = time <= limit
        observed = np.minimum(time, limit)
        survival = np.exp(-((observed / scale) ** shape))
        curves = SurvivalCurves(observed[:, None], survival[:, None])
        return Outcome(observed, event), curves

    def test_the_true_model_has_the_expectation_of_a_binomial(self):
        rng = np.random.default_rng(4)
        values = np.array(
            [
                float(d_calibration(*self.true_probabilities(rng, 60, censored=False)))
                for _ in range(1500)
            ]
        )
        expected = np.mean(LEVELS * (1 - LEVELS)) / 60
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - expected) < 4 * error
        assert error < 0.03 * expected

    def test_the_test_rejects_the_true_model_at_its_level(self):
        rng = np.random.default_rng(5)
        p_values = np.array(
            [
                d_calibration(
                    *self.true_probabilities(rng, 200, censored=False)
                ).p_value
                for _ in range(1000)
            ]
        )
        assert 0.02 < np.mean(p_values < 0.05) < 0.08

    def test_censored_subjects_leave_the_cumulative_share_unbiased(self):
        rng = np.random.default_rng(6)
        y, curves = self.true_probabilities(rng, 100_000, censored=True)
        assert 0.2 < 1 - y.event.mean() < 0.6
        result = d_calibration(y, curves)
        # A split count varies less than a whole one, so this bound is wide enough.
        error = np.sqrt(LEVELS * (1 - LEVELS) / 100_000)
        assert (np.abs(result.cumulative - LEVELS) < 4 * error).all()

    @pytest.mark.parametrize(("power", "sign"), [(0.6, -1), (1.6, 1)])
    def test_a_biased_model_moves_the_right_way(self, power, sign):
        # S^0.6 is too optimistic: fewer events at low probabilities than it says.
        rng = np.random.default_rng(7)
        y, curves = self.true_probabilities(rng, 2000, censored=True)
        biased = SurvivalCurves(curves.times, curves.survival**power)
        result = d_calibration(y, biased)
        assert (sign * (result.cumulative - LEVELS) > 0).all()
        assert result.p_value < 1e-6
        assert float(result) > 10 * float(d_calibration(y, curves))


class TestInvariance:
    def test_the_order_of_rows_does_not_matter(self):
        rng = np.random.default_rng(8)
        y, curves = with_probabilities(rng.random(500), rng.random(500) < 0.5)
        rows = rng.permutation(500)
        result, other = d_calibration(y, curves), d_calibration(y[rows], curves[rows])
        np.testing.assert_allclose(other.histogram, result.histogram, rtol=1e-12)
        assert float(other) == pytest.approx(float(result), rel=1e-10)

    def test_the_unit_of_time_does_not_matter(self):
        rng = np.random.default_rng(9)
        times = np.linspace(1, 10, 10)
        survival = np.sort(rng.random((80, 10)))[:, ::-1]
        time, event = rng.uniform(0.1, 14, 80), rng.random(80) < 0.5
        results = [
            d_calibration(
                Outcome(time * unit, event), SurvivalCurves(times * unit, survival)
            )
            for unit in (1.0, 2.0**30, 2.0**-30)
        ]
        assert results[0] == results[1] == results[2]

    def test_shared_and_per_subject_grids_give_the_same(self):
        rng = np.random.default_rng(10)
        times = np.linspace(1, 10, 10)
        survival = np.sort(rng.random((80, 10)))[:, ::-1]
        y = Outcome(rng.uniform(0.1, 14, 80), rng.random(80) < 0.5)
        shared = d_calibration(y, SurvivalCurves(times, survival))
        own = d_calibration(y, SurvivalCurves(np.tile(times, (80, 1)), survival))
        np.testing.assert_allclose(own.histogram, shared.histogram, rtol=1e-12)


class TestResult:
    def test_arrays_are_read_only(self):
        result = d_calibration(*with_probabilities([0.2, 0.7]))
        for array in (result.levels, result.cumulative, result.histogram):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


class TestBadInput:
    def test_refuses_a_single_subject(self):
        with pytest.raises(InvalidInput, match=r"y has 1 subject; .* at least 2"):
            d_calibration(*with_probabilities([0.5]))

    def test_refuses_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="no event among its 3 subjects"):
            d_calibration(*with_probabilities([0.5, 0.4, 0.3], [False] * 3))

    @pytest.mark.parametrize("n_bins", [1, 0, 2.5, "10", True, None])
    def test_refuses_what_is_no_number_of_bins(self, n_bins):
        with pytest.raises(InvalidInput, match=r"n_bins=.* a whole number >= 2"):
            d_calibration(*with_probabilities([0.5, 0.4]), n_bins=n_bins)

    def test_refuses_fewer_curves_than_subjects(self):
        y, curves = with_probabilities([0.5, 0.4, 0.3])
        with pytest.raises(InvalidInput, match="y has 3, curves has 2"):
            d_calibration(y, curves[:2])

    def test_refuses_a_matrix_in_place_of_curves(self):
        y, curves = with_probabilities([0.5, 0.4, 0.3])
        with pytest.raises(InvalidInput, match="curves must be SurvivalCurves"):
            d_calibration(y, curves.survival)
