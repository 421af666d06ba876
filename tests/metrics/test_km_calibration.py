"""KM-calibration: hand-worked numbers, facts and the Kullback–Leibler variant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics.km_calibration import km_calibration
from consurv.metrics.one_calibration import one_calibration
from consurv.outcome import Outcome


def by_the_formula(y, curves, divergence):
    """Every curve at every time, and one trapezoid after the other."""
    times = np.concatenate([[0.0], np.unique(y.time)])
    km = KaplanMeier(y).survival_at(times)
    mean = curves.survival_at(times).mean(axis=0)
    area = 0.0
    for k in range(len(times) - 1):
        ends = [divergence(km[i], mean[i]) for i in (k, k + 1)]
        area += (times[k + 1] - times[k]) * sum(ends) / 2
    return area / times[-1]


def squared(a, b):
    return (a - b) ** 2


def exponential_data(n, *, rate=0.1, seed=0, bias=1.0, whole=False):
    """Exponential outcomes with censoring, and curves with bias times the hazard."""
    rng = np.random.default_rng(seed)
    hazard = rate * np.exp(rng.normal(0, 0.5, n))
    event_time, censored = rng.exponential(1 / hazard), rng.exponential(12, n)
    time = np.minimum(event_time, censored)
    y = Outcome(np.ceil(time) if whole else time, event_time <= censored)
    times = np.linspace(0, 60, 120)
    return y, SurvivalCurves(times, np.exp(-bias * hazard[:, None] * times))


class TestKnownAnswers:
    def test_hand_worked_with_ties_and_censoring(self):
        # KM: 3/4 at 2 (a censoring there too), 3/8 at 4, still at 8; the line is
        # 1 − t/16: 7/8, 3/4, 1/2. Squares: 0, 1/64, 9/64, 1/64.
        y = Outcome(time=[2, 2, 4, 8], event=[1, 0, 1, 0])
        result = km_calibration(y, SurvivalCurves([16.0], [[0.0]] * 4))
        np.testing.assert_allclose(result.times, [0, 2, 4, 8])
        np.testing.assert_allclose(result.km, [1, 3 / 4, 3 / 8, 3 / 8])
        np.testing.assert_allclose(result.mean_curve, [1, 7 / 8, 3 / 4, 1 / 2])
        area = 2 * (1 / 64) / 2 + 2 * (10 / 64) / 2 + 4 * (10 / 64) / 2
        assert float(result) == pytest.approx(area / 8, rel=1e-14)

    def test_event_grid_stops_at_the_last_event(self):
        y = Outcome(time=[2, 2, 4, 8], event=[1, 0, 1, 0])
        curves = SurvivalCurves([16.0], [[0.0]] * 4)
        result = km_calibration(y, curves, grid="event")
        assert result.times.tolist() == [0, 2, 4]
        area = 2 * (1 / 64) / 2 + 2 * (10 / 64) / 2
        assert float(result) == pytest.approx(area / 4, rel=1e-14)

    def test_one_subject(self):
        result = km_calibration(([True], [2.0]), SurvivalCurves([4.0], [[0.5]]))
        assert float(result) == pytest.approx(0.75**2 / 2)

    @settings(max_examples=40)
    @given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 25))
    @pytest.mark.parametrize("interpolation", ["linear", "step", "pchip"])
    def test_agrees_with_the_formula(self, interpolation, seed, n):
        rng = np.random.default_rng(seed)
        event = rng.random(n) < 0.4
        event[0] = True
        y = Outcome(rng.integers(1, 12, n), event)
        times = np.sort(rng.exponential(4, (n, 3)), axis=1)
        survival = -np.sort(-rng.random((n, 3)), axis=1)
        curves = SurvivalCurves(times, survival, interpolation)
        assert float(km_calibration(y, curves)) == pytest.approx(
            by_the_formula(y, curves, squared), rel=1e-10, abs=1e-15
        )


class TestFacts:
    @pytest.mark.parametrize("whole", [True, False])
    def test_clairvoyant_curves_on_uncensored_data_give_zero(self, whole):
        rng = np.random.default_rng(0)
        time = rng.integers(1, 9, 70) if whole else rng.exponential(3, 70)
        y = Outcome(time, np.ones(70, bool))
        curves = SurvivalCurves(y.time[:, None], np.zeros((70, 1)), "step")
        result = km_calibration(y, curves)
        assert float(result) < 1e-30
        np.testing.assert_allclose(result.mean_curve, result.km, atol=1e-15)

    def test_kaplan_meier_as_the_model_gives_zero_on_its_own_data(self):
        y, _ = exponential_data(80, whole=True)
        km = KaplanMeier(y)
        own = SurvivalCurves(km.times, np.tile(km.survival, (80, 1)), "step")
        assert float(km_calibration(y, own)) < 1e-30
        assert float(km_calibration(y, own, divergence="kl")) < 1e-15

    def test_kaplan_meier_of_a_training_set_goes_to_zero_as_n_grows(self):
        values = []
        for n in (100, 3000):
            km = KaplanMeier(exponential_data(n, seed=1)[0])
            y, _ = exponential_data(n, seed=2)
            curves = SurvivalCurves(km.times, np.tile(km.survival, (n, 1)), "step")
            values.append(float(km_calibration(y, curves)))
        assert values[1] < values[0] / 10
        assert values[1] < 1e-3

    @pytest.mark.filterwarnings("ignore:all subjects are in one group")
    def test_is_the_integrated_numerator_of_one_calibration_with_one_group(self):
        y, curves = exponential_data(60, whole=True)
        times, n = np.unique(y.time), len(y)
        numerator = [0.0]
        for time in times:
            one = one_calibration(y, curves, time, n_groups=1)
            numerator.append((n * one.observed[0] - n * one.expected[0]) ** 2)
        area = trapezoid(numerator, np.append(0.0, times))
        assert float(km_calibration(y, curves)) == pytest.approx(
            area / (n**2 * times[-1]), rel=1e-12
        )

    def test_the_order_of_rows_does_not_matter(self):
        y, curves = exponential_data(300, whole=True)
        order = np.random.default_rng(3).permutation(300)
        for divergence in ("squared", "kl"):
            assert float(
                km_calibration(y[order], curves[order], divergence=divergence)
            ) == pytest.approx(
                float(km_calibration(y, curves, divergence=divergence)), rel=1e-12
            )

    def test_shared_and_own_grids_give_the_same_number(self):
        # The grid ends before the last outcomes, so the tails take part.
        y, curves = exponential_data(400)
        cut = SurvivalCurves(curves.times[:20], curves.survival[:, :20])
        own = SurvivalCurves(np.tile(cut.times, (400, 1)), cut.survival)
        assert y.time.max() > cut.times[-1]
        assert float(km_calibration(y, cut)) == pytest.approx(
            float(km_calibration(y, own)), rel=1e-12
        )

    @pytest.mark.parametrize("divergence", ["squared", "kl"])
    def test_a_biased_model_is_worse_and_lies_on_the_right_side(self, divergence):
        y, right = exponential_data(3000)
        _, optimist = exponential_data(3000, bias=0.5)
        _, pessimist = exponential_data(3000, bias=2.0)
        good, high, low = (
            km_calibration(y, curves, divergence=divergence)
            for curves in (right, optimist, pessimist)
        )
        assert float(good) < 0.05 * min(float(high), float(low))
        assert (high.mean_curve[1:] > high.km[1:]).mean() > 0.99
        assert (low.mean_curve[1:] < low.km[1:]).mean() > 0.9

    def test_another_unit_of_time_changes_nothing(self):
        y, curves = exponential_data(200)
        for unit in (2.0**30, 2.0**-30):
            other = SurvivalCurves(curves.times * unit, curves.survival)
            scaled = Outcome(y.time * unit, y.event)
            assert (
                km_calibration(scaled, other).value == km_calibration(y, curves).value
            )

    @pytest.mark.slow
    def test_a_million_subjects_with_grids_of_their_own(self):
        rng = np.random.default_rng(4)
        n = 1_000_000
        scale = rng.exponential(9, (n, 1))
        levels = np.arange(19, 0, -1) / 20
        curves = SurvivalCurves.from_percentile_times(-np.log(levels) * scale, levels)
        event_time, censored = (
            rng.exponential(1, n) * scale[:, 0],
            rng.uniform(0, 40, n),
        )
        y = Outcome(np.minimum(event_time, censored), event_time <= censored)
        # The true curves up to the lines between the levels.
        assert float(km_calibration(y, curves)) < 1e-4


class TestKullbackLeibler:
    def test_hand_worked(self):
        # KM 1/2 at 2 and 0 at 4; the mean curve is 3/4 and 1/2 there.
        y = Outcome(time=[2, 4], event=[1, 1])
        result = km_calibration(y, SurvivalCurves([8.0], [[0.0]] * 2), divergence="kl")
        at_two = 0.5 * np.log(0.5 / 0.75) - 0.5 + 0.75
        area = 2 * at_two / 2 + 2 * (at_two + 0.5) / 2
        assert float(result) == pytest.approx(area / 4, rel=1e-14)

    def test_is_half_the_squared_difference_over_survival_for_close_curves(self):
        y, curves = exponential_data(2000)
        km = KaplanMeier(y)
        early = km.times[km.times < 8]
        late = Outcome(np.minimum(y.time, early[-1]), y.event & (y.time <= early[-1]))
        result = km_calibration(late, curves, divergence="kl")
        close = (result.km - result.mean_curve) ** 2 / (2 * result.km)
        area = trapezoid(close, result.times) / result.times[-1]
        assert float(result) == pytest.approx(area, rel=0.05)

    def test_undefined_where_the_mean_curve_reaches_zero_first(self):
        y = Outcome(time=[2, 4, 9], event=[1, 0, 0])
        curves = SurvivalCurves([3.0], [[0.0]] * 3)
        with pytest.raises(InvalidInput, match=r"0 at time 4.*curve is 0\.667"):
            km_calibration(y, curves, divergence="kl")
        assert float(km_calibration(y, curves)) > 0

    def test_both_curves_at_zero_is_fine(self):
        y = Outcome(time=[2, 4], event=[1, 1])
        result = km_calibration(y, SurvivalCurves([4.0], [[0.0]] * 2), divergence="kl")
        assert float(result) == 0.0


class TestResult:
    def test_arrays_cannot_be_written(self):
        y, curves = exponential_data(20)
        with pytest.raises(ValueError, match="read-only"):
            km_calibration(y, curves).km[0] = 0


class TestBadInput:
    curves = SurvivalCurves([4.0], [[0.5], [0.2]])

    def test_no_event(self):
        with pytest.raises(InvalidInput, match="no event among its 2 subjects"):
            km_calibration(([0, 0], [1.0, 2.0]), self.curves)

    def test_fewer_curves_than_subjects(self):
        with pytest.raises(InvalidInput, match="y has 3, curves has 2"):
            km_calibration(([1, 1, 0], [1.0, 2.0, 3.0]), self.curves)

    def test_arrays_instead_of_curves(self):
        with pytest.raises(InvalidInput, match="must be SurvivalCurves"):
            km_calibration(([1, 1], [1.0, 2.0]), self.curves.survival)

    def test_unknown_divergence(self):
        with pytest.raises(InvalidInput, match=r"divergence='js'.*'squared', 'kl'"):
            km_calibration(([1, 1], [1.0, 2.0]), self.curves, divergence="js")

    def test_unknown_grid(self):
        with pytest.raises(InvalidInput, match=r"grid='all'.*'observed', 'event'"):
            km_calibration(([1, 1], [1.0, 2.0]), self.curves, grid="all")
