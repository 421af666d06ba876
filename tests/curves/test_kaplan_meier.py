import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

# By hand: at risk 5, 4, 2, 1; S = 4/5, 4/5·3/4, 3/5·1/2, 3/10; t_end = 6 / 0.7.
HAND = Outcome(time=[3, 6, 2, 5, 3], event=[1, 0, 1, 1, 0])
HAND_END = 6 / 0.7
HAND_TAIL = 0.3 * (HAND_END - 6) / 2

counts = st.lists(
    st.tuples(st.integers(1, 12), st.booleans()), min_size=1, max_size=25
).filter(lambda rows: any(event for _, event in rows))


def outcome_of(rows):
    return Outcome(time=[t for t, _ in rows], event=[e for _, e in rows])


def random_outcome(seed, n=200, censored=0.5, whole=True):
    rng = np.random.default_rng(seed)
    time = rng.exponential(10, n)
    time = np.ceil(time) if whole else time
    event = rng.random(n) >= censored
    event[rng.integers(n)] = True
    return Outcome(time=time, event=event)


def area(km, start):
    """Integrate the extended curve from its values at both ends of each piece."""
    nodes = np.unique(np.concatenate((km.times, [km.t_max, km.t_end, start])))
    nodes = nodes[nodes >= start]
    left, right = km.survival_at(nodes[:-1]), km.survival_before(nodes[1:])
    return float(np.sum(np.diff(nodes) * (left + right) / 2))


class TestEstimate:
    def test_counts_and_products_by_hand_with_ties(self):
        km = KaplanMeier(HAND)
        assert_array_equal(km.times, [2, 3, 5, 6])
        assert_array_equal(km.at_risk, [5, 4, 2, 1])
        assert_array_equal(km.events, [1, 1, 1, 0])
        assert_allclose(km.survival, [0.8, 0.6, 0.3, 0.3], rtol=1e-15)
        assert (km.n, km.n_events, km.t_max) == (5, 3, 6.0)
        assert km.s_max == km.survival[-1]
        assert km.t_end == pytest.approx(HAND_END, rel=1e-15)

    def test_events_come_before_censorings_at_a_tied_time(self):
        # Censoring first would leave 1 at risk and drop S to 0.
        km = KaplanMeier(Outcome(time=[4, 4], event=[0, 1]))
        assert_array_equal(km.survival, [0.5])

    def test_event_survival_looks_up_the_value_before_a_time(self):
        km = KaplanMeier(HAND)
        assert_array_equal(km.event_times, [2, 3, 5])
        assert_array_equal(km.event_survival, [1, *km.survival[:3]])
        x = np.array([0.5, 2, 2.5, 3, 5, 5.5, 6])
        place = np.searchsorted(km.event_times, x, side="left")
        assert_array_equal(km.event_survival[place], km.survival_before(x))

    def test_one_subject_with_an_event(self):
        km = KaplanMeier(Outcome(time=[3], event=[1]))
        assert_array_equal(km.survival, [0])
        assert (km.t_max, km.s_max, km.t_end, km.mean()) == (3, 0, 3, 3)

    def test_without_censoring_survival_is_the_exact_share(self):
        n = 1000
        km = KaplanMeier(Outcome(time=np.arange(1, n + 1), event=np.ones(n)))
        assert_array_equal(km.survival, np.arange(n - 1, -1, -1) / n)
        assert km.percentile_times(0.5) == 500

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("censored", [0.0, 0.3, 0.9])
    def test_agrees_with_lifelines_and_scikit_survival(self, seed, censored):
        lifelines = pytest.importorskip("lifelines")
        nonparametric = pytest.importorskip("sksurv.nonparametric")
        y = random_outcome(seed, censored=censored, whole=seed % 2 == 0)
        km = KaplanMeier(y)
        fitter = lifelines.KaplanMeierFitter().fit(y.time, y.event)
        theirs = fitter.survival_function_at_times(km.times).to_numpy()
        assert_allclose(km.survival, theirs, rtol=1e-12, atol=1e-15)
        times, survival = nonparametric.kaplan_meier_estimator(y.event, y.time)
        assert_array_equal(km.times, times)
        assert_allclose(km.survival, survival, rtol=1e-12, atol=1e-15)

    def test_order_of_rows_does_not_matter(self):
        y = random_outcome(1)
        assert KaplanMeier(y[::-1]) == KaplanMeier(y)

    def test_takes_every_form_of_outcomes(self):
        frame = pd.DataFrame({"time": HAND.time, "event": HAND.event}, index=range(5))
        for y in (HAND.to_structured(), frame, (HAND.event, HAND.time)):
            assert KaplanMeier(y) == KaplanMeier(HAND)

    def test_refuses_a_sample_without_an_event(self):
        with pytest.raises(InvalidInput, match="of 2 subjects has no event"):
            KaplanMeier(Outcome(time=[1, 2], event=[0, 0]))

    def test_refuses_an_empty_sample(self):
        with pytest.raises(InvalidInput, match="sample is empty"):
            KaplanMeier(Outcome(time=[], event=[]))


class TestSurvival:
    def test_steps_and_tail_by_hand(self):
        km = KaplanMeier(HAND)
        t = [0, 1.9, 2, 3, 4.9, 5, 6, 7, HAND_END, 99, np.inf]
        at = [1, 1, 0.8, 0.6, 0.6, 0.3, 0.3, 1 - 0.7 * 7 / 6, 0, 0, 0]
        before = [1, 1, 1, 0.8, 0.6, 0.6, 0.3, 1 - 0.7 * 7 / 6, 0, 0, 0]
        assert_allclose(km.survival_at(t), at, atol=1e-15)
        assert_allclose(km.survival_before(t), before, atol=1e-15)

    def test_tail_is_the_line_through_the_start(self):
        km = KaplanMeier(HAND)
        t = np.linspace(km.t_max, km.t_end, 11)
        assert_allclose(km.survival_at(t), 1 - t / km.t_end, atol=1e-15)

    def test_curve_that_reaches_0_has_no_tail(self):
        km = KaplanMeier(Outcome(time=[1, 4, 4], event=[0, 1, 1]))
        assert km.t_end == km.t_max == 4
        assert_array_equal(km.survival_at([3.9, 4, 5]), [1, 0, 0])
        assert_array_equal(km.survival_before([4, 4.1]), [1, 0])

    def test_keeps_any_shape(self):
        km = KaplanMeier(HAND)
        for shape in ((), (3,), (3, 1), (2, 3, 2)):
            t = np.full(shape, 4.0)
            for method in (km.survival_at, km.survival_before, km.conditional_mean):
                assert np.shape(method(t)) == shape
            assert np.shape(km.percentile_times(np.full(shape, 0.5))) == shape

    @given(rows=counts)
    def test_never_rises_and_meets_the_attribute(self, rows):
        km = KaplanMeier(outcome_of(rows))
        grid = np.union1d(np.linspace(0, 1.1 * km.t_end, 97), km.times)
        assert (np.diff(km.survival_at(grid)) <= 0).all()
        assert (km.survival_before(grid) >= km.survival_at(grid)).all()
        assert_array_equal(km.survival_at(km.times), km.survival)

    def test_refuses_nan(self):
        with pytest.raises(InvalidInput, match="t has 1 NaN"):
            KaplanMeier(HAND).survival_at([1, np.nan])


class TestMeans:
    def test_mean_by_hand(self):
        expected = 2 + 0.8 * 1 + 0.6 * 2 + 0.3 * 1 + HAND_TAIL
        assert KaplanMeier(HAND).mean() == pytest.approx(expected, rel=1e-14)

    def test_conditional_mean_by_hand(self):
        c = [1, 2, 4, 5, 5.9, 6, 8, HAND_END, 20]
        middle = (6 + HAND_END) / 2
        expected = [
            KaplanMeier(HAND).mean(),
            3 + (1.2 + 0.3 + HAND_TAIL) / 0.8,
            5 + (0.3 + HAND_TAIL) / 0.6,
            middle,  # nothing but the tail is left after the last event
            middle,
            middle,
            (8 + HAND_END) / 2,
            HAND_END,
            20,
        ]
        assert_allclose(KaplanMeier(HAND).conditional_mean(c), expected, rtol=1e-14)

    def test_point_mass_where_the_curve_is_0(self):
        km = KaplanMeier(Outcome(time=[1, 4], event=[0, 1]))
        assert_array_equal(km.conditional_mean([3.9, 4, 7]), [4, 4, 7])

    @pytest.mark.parametrize("seed", range(8))
    def test_agree_with_numeric_integration(self, seed):
        km = KaplanMeier(random_outcome(seed, n=60, censored=0.1 * seed))
        assert km.mean() == pytest.approx(area(km, 0.0), rel=1e-12)
        c = np.union1d(km.times, np.linspace(0, 0.99 * km.t_end, 50))
        c = c[km.survival_at(c) > 0]
        expected = [x + area(km, x) / km.survival_at(x) for x in c]
        assert_allclose(km.conditional_mean(c), expected, rtol=1e-11)

    def test_mean_without_censoring_is_the_average(self):
        y = random_outcome(3, censored=0.0)
        assert KaplanMeier(y).mean() == pytest.approx(y.time.mean(), rel=1e-13)

    def test_refuses_infinite_censoring_times(self):
        with pytest.raises(InvalidInput, match="c has 1 infinite"):
            KaplanMeier(HAND).conditional_mean([np.inf])


class TestSample:
    def test_draws_the_event_times_after_censoring_in_their_shares(self):
        # The code of the paper's authors draws 2, 3 and 5 here: one unit too early,
        # and 2 is not even later than the censoring time.
        y = Outcome(time=[2, 3, 3, 4, 6], event=[0, 1, 1, 1, 1])
        draws = KaplanMeier(y).sample([2.0], 40_000, np.random.default_rng(0))
        values, counts = np.unique(draws, return_counts=True)
        assert_array_equal(values, [3, 4, 6])
        shares = np.array([0.5, 0.25, 0.25])
        error = np.sqrt(shares * (1 - shares) / 40_000)
        assert (np.abs(counts / 40_000 - shares) < 4 * error).all()

    def test_spreads_the_remaining_mass_evenly_over_the_tail(self):
        km = KaplanMeier(HAND)
        draws = km.sample([2.5], 40_000, np.random.default_rng(1))[0]
        tail = draws[draws > km.t_max]
        share = 0.3 / 0.8
        assert abs(tail.size / 40_000 - share) < 4 * np.sqrt(share * 0.625 / 40_000)
        width = km.t_end - km.t_max
        assert kstest((tail - km.t_max) / width, "uniform").pvalue > 0.01
        assert_array_equal(np.unique(draws[draws <= km.t_max]), [3, 5])

    @pytest.mark.parametrize("c", [6.0, 7.5])
    def test_past_the_last_time_draws_evenly_up_to_the_end(self, c):
        km = KaplanMeier(HAND)
        draws = km.sample([c], 20_000, np.random.default_rng(2))[0]
        assert draws.min() > c
        assert draws.max() <= km.t_end
        assert kstest((draws - c) / (km.t_end - c), "uniform").pvalue > 0.01

    def test_point_mass_where_the_curve_is_0(self):
        ends = KaplanMeier(Outcome(time=[1, 4], event=[0, 1]))
        assert_array_equal(ends.sample([4, 5], 3, 0), [[4] * 3, [5] * 3])
        km = KaplanMeier(HAND)
        assert_array_equal(km.sample([km.t_end, 99], 2, 0), [[km.t_end] * 2, [99] * 2])

    def test_never_draws_the_start_of_the_tail(self):
        km = KaplanMeier(HAND)
        c = np.array([5.5, 6.0, np.nextafter(km.t_end, 0)])
        draws = km._invert(c, np.full((3, 1), np.nextafter(1, 0)))
        assert (draws[:, 0] > np.maximum(c, km.t_max)).all()
        assert_array_equal(km._invert(c, np.zeros((3, 1)))[:, 0], [km.t_end] * 3)

    @given(rows=counts, c=st.floats(0.1, 30), seed=st.integers(0, 99))
    def test_is_later_than_the_censoring_time(self, rows, c, seed):
        km = KaplanMeier(outcome_of(rows))
        draws = km.sample([c], 20, seed)
        assert (draws > c).all() if km.survival_at(c) > 0 else (draws == c).all()

    def test_mean_of_draws_is_the_conditional_mean(self):
        y = random_outcome(4, censored=0.6)
        km = KaplanMeier(Outcome(y.time, y.event & (y.time < y.time.max())))
        c = np.array([0.5, 3, 10, km.t_max, 0.5 * (km.t_max + km.t_end)])
        draws = km.sample(c, 40_000, np.random.default_rng(5))
        error = draws.std(axis=1) / np.sqrt(draws.shape[1])
        assert (np.abs(draws.mean(axis=1) - km.conditional_mean(c)) < 4 * error).all()

    def test_blocks_leave_the_stream_as_it_is(self, monkeypatch):
        km, c = KaplanMeier(HAND), np.linspace(1, 9, 23)
        whole = km.sample(c, 7, 3)
        monkeypatch.setattr("consurv.curves.kaplan_meier._BLOCK", 20)
        assert_array_equal(km.sample(c, 7, 3), whole)

    def test_of_nobody_is_empty(self):
        assert KaplanMeier(HAND).sample([], 5, 0).shape == (0, 5)

    @pytest.mark.parametrize("n_samples", [0, 2.5, True])
    def test_refuses_a_wrong_number_of_draws(self, n_samples):
        with pytest.raises(InvalidInput, match=f"n_samples={n_samples} is not valid"):
            KaplanMeier(HAND).sample([1.0], n_samples, 0)


class TestPercentileTimes:
    def test_by_hand(self):
        km = KaplanMeier(HAND)
        levels = [0.95, 0.8, 0.7, 0.6, 0.4, km.s_max, 0.2, 0.05]
        tail = [HAND_END * 0.8, HAND_END * 0.95]
        expected = [2, 2, 3, 3, 5, 5, *tail]
        assert_allclose(km.percentile_times(levels), expected, rtol=1e-14)

    def test_end_at_the_last_event_where_the_curve_reaches_0(self):
        km = KaplanMeier(Outcome(time=[1, 4], event=[1, 1]))
        assert_array_equal(km.percentile_times([0.5, 0.49, 1e-9]), [1, 4, 4])

    @given(rows=counts, level=st.floats(0.001, 0.999))
    def test_reached_exactly_where_survival_is_at_most_the_level(self, rows, level):
        km = KaplanMeier(outcome_of(rows))
        reached = km.times >= km.percentile_times(level)
        assert_array_equal(km.survival <= level, reached)

    @given(rows=counts, level=st.floats(0.001, 0.999))
    def test_level_in_the_tail_is_met(self, rows, level):
        km = KaplanMeier(outcome_of(rows))
        if level < km.s_max:
            time = km.percentile_times(level)
            assert km.t_max <= time <= km.t_end
            assert km.survival_at(time) == pytest.approx(level, abs=1e-14)

    def test_refuses_percentages(self):
        with pytest.raises(InvalidInput, match="divide percentages by 100"):
            KaplanMeier(HAND).percentile_times([50, 50])


class TestUnits:
    def methods(self, y, factor):
        km = KaplanMeier(Outcome(time=y.time * factor, event=y.event))
        c = np.linspace(0.5, 80, 40) * factor
        same = [km.survival, km.survival_at(c), km.survival_before(c)]
        scaled = [
            np.array([km.mean(), km.t_max, km.t_end]),
            km.conditional_mean(c),
            km.sample(c, 50, 0),
            km.percentile_times(np.linspace(0.02, 0.98, 49)),
        ]
        return same, scaled

    @pytest.mark.parametrize("factor", [2.0**30, 2.0**-30])
    def test_powers_of_two_change_nothing_but_the_unit(self, factor):
        y = random_outcome(7, whole=False)
        (same, scaled), (same2, scaled2) = self.methods(y, 1.0), self.methods(y, factor)
        for a, b in zip(same, same2, strict=True):
            assert_array_equal(a, b)
        for a, b in zip(scaled, scaled2, strict=True):
            assert_array_equal(a * factor, b)

    @pytest.mark.parametrize("factor", [1e9, 1e-9])
    def test_other_factors_to_rounding(self, factor):
        y = random_outcome(8, whole=False)
        (same, scaled), (same2, scaled2) = self.methods(y, 1.0), self.methods(y, factor)
        for a, b in zip(same, same2, strict=True):
            assert_allclose(a, b, rtol=1e-12, atol=1e-15)
        for a, b in zip(scaled, scaled2, strict=True):
            assert_allclose(a * factor, b, rtol=1e-12)


class TestArrays:
    def test_round_trip(self):
        km = KaplanMeier(random_outcome(9))
        again = KaplanMeier.from_arrays(**km.to_arrays())
        assert again == km
        assert_array_equal(again.survival, km.survival)
        as_lists = {name: array.tolist() for name, array in km.to_arrays().items()}
        assert KaplanMeier.from_arrays(**as_lists) == km

    def test_does_not_lock_or_share_the_callers_arrays(self):
        times, at_risk = np.array([1.0, 2.0]), np.array([3, 1])
        km = KaplanMeier.from_arrays(times, at_risk, [1, 1])
        times[0], at_risk[0] = 9, 9
        assert (km.times[0], km.at_risk[0]) == (1, 3)

    @pytest.mark.parametrize(
        ("times", "at_risk", "events", "message"),
        [
            ([1, 2], [2, 1], [1], "lengths differ"),
            ([], [], [], "times is empty"),
            ([2, 1], [2, 1], [1, 1], "times must be > 0 and strictly ascending"),
            ([1, 1], [2, 1], [1, 1], "strictly ascending"),
            ([0, 1], [2, 1], [1, 1], "times must be > 0"),
            ([1, np.nan], [2, 1], [1, 1], "times has 1 NaN"),
            ([1, 2], [2, 2], [1, 1], "at_risk must be > 0 and strictly decreasing"),
            ([1, 2], [2, 0], [1, 0], "at_risk must be > 0"),
            ([1, 2], [3, -1], [1, 0], "at_risk must be > 0"),
            ([1, 2], [3, 1], [3, 0], "got 3 at row 0, where 2 subjects leave"),
            ([1, 2], [3, 1], [1, -1], "events must lie between 0"),
            ([1, 2], [3, 1.5], [1, 1.6], "got 1.6 at row 1, where 1.5 subjects leave"),
            ([1, 2], [1e300, 1], [1, 1], "at_risk must hold numbers of subjects"),
            ([1, 2], [3, 1], [0, 0], "of 3 subjects has no event"),
            (["a", "b"], [3, 1], [1, 0], "times holds text"),
        ],
    )
    def test_refuses_counts_of_no_sample(self, times, at_risk, events, message):
        with pytest.raises(InvalidInput, match=message):
            KaplanMeier.from_arrays(times, at_risk, events)


class TestValueObject:
    def test_arrays_and_attributes_cannot_be_changed(self):
        km = KaplanMeier(HAND)
        for name in ("times", "at_risk", "events", "survival", "event_survival"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(km, name)[0] = 0
        with pytest.raises(AttributeError, match="immutable; make a new one"):
            km.t_end = 3.0

    def test_pickles_and_copies(self):
        km = KaplanMeier(HAND)
        for again in (pickle.loads(pickle.dumps(km)), copy.deepcopy(km)):
            assert again == km
            assert again.mean() == km.mean()

    def test_equality_is_that_of_the_counts(self):
        assert KaplanMeier(HAND) == KaplanMeier(HAND)
        assert KaplanMeier(HAND) != KaplanMeier(HAND[:4])
        assert KaplanMeier(HAND) != "km"
        with pytest.raises(TypeError, match="unhashable"):
            hash(KaplanMeier(HAND))

    def test_repr_is_short(self):
        expected = "KaplanMeier(n=5, events=3, last time=6, end=8.57143)"
        assert repr(KaplanMeier(HAND)) == expected
