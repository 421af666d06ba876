"""1-calibration: groups, the Hosmer–Lemeshow statistic and its edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics.one_calibration import one_calibration
from consurv.outcome import Outcome


def with_predictions(survival, time=1.0):
    """Curves with the given S(time)."""
    return SurvivalCurves([time], np.asarray(survival, float)[:, None])


def simulate(rng, n, *, bias=0.0, censored=True):
    """Outcomes whose S(1) is uniform on (0.2, 0.8), predicted with a bias."""
    truth = rng.uniform(0.2, 0.8, n)
    event_time = rng.exponential(1, n) / -np.log(truth)
    censoring = rng.uniform(0, 4, n) if censored else np.full(n, np.inf)
    time = np.minimum(event_time, censoring)
    return Outcome(time, event_time <= censoring), with_predictions(truth + bias)


class TestKnownAnswers:
    def test_hand_worked_with_censoring(self):
        # Low group: events at 1 and 3, one censored at 2: KM(4) = 2/3 · 0 = 0.
        # High group: event at 2, censored at 2 and 6: KM(4) = 2/3.
        y = Outcome(time=[1, 2, 3, 2, 2, 6], event=[1, 0, 1, 1, 0, 0])
        curves = with_predictions([0.1, 0.3, 0.2, 0.9, 0.7, 0.8], time=4.0)
        result = one_calibration(y, curves, 4.0, n_groups=2)
        np.testing.assert_allclose(result.expected, [0.2, 0.8])
        np.testing.assert_allclose(result.observed, [0.0, 2 / 3])
        assert result.sizes.tolist() == [3, 3]
        statistic = 3 * 0.2**2 / 0.16 + 3 * (2 / 3 - 0.8) ** 2 / 0.16
        assert float(result) == result.statistic == pytest.approx(statistic)
        assert result.p_value == pytest.approx(chi2.sf(statistic, 1))
        assert result.time == 4.0

    def test_an_event_at_the_time_itself_counts(self):
        y = Outcome(time=[4, 5], event=[1, 1])
        curves = with_predictions([0.5, 0.5], 4.0)
        with pytest.warns(CalibrationWarning, match="all subjects are in one group"):
            result = one_calibration(y, curves, 4.0, n_groups=1)
        assert result.observed.tolist() == [0.5]

    def test_sizes_differ_by_at_most_one(self):
        y = Outcome(np.arange(1.0, 24), np.ones(23, bool))
        curves = with_predictions(np.linspace(0.1, 0.9, 23), 12.0)
        result = one_calibration(y, curves, 12.0, n_groups=5)
        assert result.sizes.tolist() == [5, 5, 5, 4, 4]
        assert (np.diff(result.expected) > 0).all()

    def test_one_group_has_no_p_value(self):
        y = Outcome(time=[1, 3], event=[1, 1])
        curves = with_predictions([0.4, 0.8], 2.0)
        with pytest.warns(CalibrationWarning, match="one group.* the p-value is NaN"):
            result = one_calibration(y, curves, 2.0, n_groups=1)
        assert float(result) == pytest.approx(2 * 0.1**2 / 0.24)
        assert np.isnan(result.p_value)


class TestEqualPredictions:
    def test_a_run_goes_where_its_middle_lies(self):
        # Wanted cuts at 2 and 4; the run of three fills positions 1 to 3, its middle
        # is 2.5, so it belongs to the second group.
        predicted = [0.1, 0.5, 0.5, 0.5, 0.6, 0.7]
        y = Outcome(time=np.arange(1.0, 7), event=np.ones(6, bool))
        result = one_calibration(y, with_predictions(predicted, 3.0), 3.0, n_groups=3)
        assert result.sizes.tolist() == [1, 3, 2]
        np.testing.assert_allclose(result.expected, [0.1, 0.5, 0.65])

    def test_groups_that_stay_empty_are_left_out_with_a_warning(self):
        y = Outcome(time=[1, 2, 3, 4, 5], event=[1, 1, 1, 1, 0])
        curves = with_predictions([0.4, 0.4, 0.4, 0.4, 0.9], 3.0)
        with pytest.warns(CalibrationWarning, match="leave 2 of n_groups=4 groups"):
            result = one_calibration(y, curves, 3.0, n_groups=4)
        assert result.sizes.tolist() == [4, 1]
        assert result.p_value == pytest.approx(chi2.sf(float(result), 1))

    def test_one_prediction_for_all_makes_one_group(self):
        y = Outcome(time=[1, 2, 3, 4], event=[1, 1, 1, 1])
        with (
            pytest.warns(CalibrationWarning, match="leave 1 of n_groups=2"),
            pytest.warns(CalibrationWarning, match="the p-value is NaN"),
        ):
            result = one_calibration(y, with_predictions([0.5] * 4), 1.0, n_groups=2)
        assert result.sizes.tolist() == [4]
        assert np.isnan(result.p_value)

    def test_the_order_of_rows_does_not_matter(self):
        rng = np.random.default_rng(0)
        y = Outcome(rng.integers(1, 20, 200), rng.random(200) < 0.6)
        curves = with_predictions(rng.integers(1, 30, 200) / 30, 8.0)
        first = one_calibration(y, curves, 8.0)
        for _ in range(5):
            order = rng.permutation(200)
            again = one_calibration(y[order], curves[order], 8.0)
            assert again.sizes.tolist() == first.sizes.tolist()
            np.testing.assert_array_equal(again.observed, first.observed)
            assert float(again) == pytest.approx(float(first), rel=1e-12)


class TestEdges:
    def test_certain_predictions_that_come_true_add_nothing(self):
        y = Outcome(time=[1, 2, 6, 7], event=[1, 1, 0, 1])
        result = one_calibration(
            y, with_predictions([0, 0, 1, 1], 4.0), 4.0, n_groups=2
        )
        assert float(result) == 0.0
        assert result.p_value == 1.0

    @pytest.mark.parametrize("predicted", [[0, 0, 0.5, 0.6], [0.5, 0.6, 1, 1]])
    def test_what_was_called_impossible_makes_the_statistic_infinite(self, predicted):
        y = Outcome(time=[2, 6, 2, 6], event=[1, 1, 1, 1])
        result = one_calibration(y, with_predictions(predicted, 4.0), 4.0, n_groups=2)
        assert float(result) == np.inf
        assert result.p_value == 0.0

    def test_a_group_without_events_has_observed_one(self):
        y = Outcome(time=[1, 5, 6, 7], event=[1, 1, 0, 0])
        result = one_calibration(
            y, with_predictions([0.3, 0.4, 0.8, 0.9], 4.0), 4.0, n_groups=2
        )
        assert result.observed.tolist() == [0.5, 1.0]

    def test_past_the_last_observation_the_last_value_is_kept_with_a_warning(self):
        y = Outcome(time=[1, 3, 2, 9], event=[1, 0, 1, 0])
        curves = with_predictions([0.3, 0.4, 0.8, 0.9], 4.0)
        with pytest.warns(CalibrationWarning, match="in 1 of 2 groups nobody"):
            result = one_calibration(y, curves, 4.0, n_groups=2)
        assert result.observed.tolist() == [0.5, 0.5]

    def test_no_warning_if_all_of_a_group_had_the_event(self):
        y = Outcome(time=[1, 3, 2, 9], event=[1, 1, 1, 0])
        curves = with_predictions([0.3, 0.4, 0.8, 0.9], 4.0)
        result = one_calibration(y, curves, 4.0, n_groups=2)
        assert result.observed.tolist() == [0.0, 0.5]

    def test_as_many_groups_as_subjects(self):
        y = Outcome(time=[1, 3, 2, 9], event=[1, 1, 1, 1])
        curves = with_predictions([0.3, 0.4, 0.8, 0.9], 2.5)
        result = one_calibration(y, curves, 2.5, n_groups=4)
        assert result.observed.tolist() == [0.0, 1.0, 0.0, 1.0]


class TestGreenwood:
    def test_hand_worked(self):
        # At risk 4, 3 and 1 with one event each at 1, 2 and 5; censored at 3.
        y = Outcome(time=[1, 2, 3, 5], event=[1, 1, 0, 1])
        curves = with_predictions([0.6] * 4, 4.0)
        result = one_calibration(y, curves, 4.0, n_groups=1, variance="greenwood")
        greenwood = 0.5**2 * (1 / (4 * 3) + 1 / (3 * 2))
        assert result.observed.tolist() == [0.5]
        assert result.variances == pytest.approx([greenwood])
        assert float(result) == pytest.approx(0.1**2 / greenwood)
        assert result.p_value == pytest.approx(chi2.sf(float(result), 1))

    def test_the_statistic_of_a_right_model_is_chi_squared_with_censoring(self):
        rng = np.random.default_rng(3)
        data = [simulate(rng, 1000, censored=True) for _ in range(300)]
        statistics = [
            float(one_calibration(*some, 1.0, n_groups=5, variance="greenwood"))
            for some in data
        ]
        assert np.mean(statistics) == pytest.approx(5, abs=0.6)
        assert kstest(statistics, chi2(5).cdf).pvalue > 0.001

    @pytest.mark.parametrize("time", [0.5, 6.0])
    def test_a_group_that_all_or_none_survive_is_refused(self, time):
        y = Outcome(time=[1, 2, 3, 5], event=[1, 1, 1, 1])
        curves = with_predictions([0.6] * 4, time)
        with pytest.raises(InvalidInput, match=r"in group 0.*use fewer groups"):
            one_calibration(y, curves, time, n_groups=1, variance="greenwood")

    def test_unknown_variance(self):
        with pytest.raises(InvalidInput, match=r"variance='robust'.*'greenwood'"):
            one_calibration(
                ([1], [1.0]), with_predictions([0.5]), 1.0, variance="robust"
            )


class TestFacts:
    def test_the_statistic_of_a_right_model_is_chi_squared(self):
        # Fresh outcomes, nothing fitted: one degree of freedom per group. The K − 1
        # of the definition come from the paper.
        rng = np.random.default_rng(1)
        statistics = [
            float(one_calibration(*simulate(rng, 1000, censored=False), 1.0))
            for _ in range(400)
        ]
        # Predictions differ within a group, so its variance is a little smaller.
        assert np.mean(statistics) == pytest.approx(10, abs=0.8)
        assert kstest(statistics, chi2(10).cdf).pvalue > 0.001

    def test_a_biased_model_is_rejected_and_lies_on_the_right_side(self):
        rng = np.random.default_rng(2)
        right = one_calibration(*simulate(rng, 4000), 1.0)
        optimist = one_calibration(*simulate(rng, 4000, bias=0.15), 1.0)
        pessimist = one_calibration(*simulate(rng, 4000, bias=-0.15), 1.0)
        assert right.p_value > 0.01
        assert max(optimist.p_value, pessimist.p_value) < 1e-10
        assert (optimist.observed < optimist.expected).all()
        assert (pessimist.observed > pessimist.expected).all()


class TestBadInput:
    y = ([1, 1], [1.0, 2.0])
    curves = with_predictions([0.5, 0.2])

    @pytest.mark.parametrize("time", [0, -1.0, np.inf, np.nan, "1", True, [1.0]])
    def test_a_time_that_is_none(self, time):
        with pytest.raises(InvalidInput, match=r"time=.*strictly between 0 and inf"):
            one_calibration(self.y, self.curves, time, n_groups=1)

    @pytest.mark.parametrize("n_groups", [0, 1.5, True])
    def test_a_number_of_groups_that_is_none(self, n_groups):
        with pytest.raises(InvalidInput, match=r"n_groups=.*whole number >= 1"):
            one_calibration(self.y, self.curves, 1.0, n_groups=n_groups)

    def test_more_groups_than_subjects(self):
        with pytest.raises(InvalidInput, match="n_groups=10 is more than the 2"):
            one_calibration(self.y, self.curves, 1.0)

    def test_no_event(self):
        with pytest.raises(InvalidInput, match="no event"):
            one_calibration(([0, 0], [1.0, 2.0]), self.curves, 1.0, n_groups=1)
