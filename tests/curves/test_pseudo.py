import time as clock
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.outcome import Outcome


def exact_mean(rows):
    """Return the area of the extended curve of (time, event) in rational numbers."""
    survival, total, last = Fraction(1), Fraction(0), Fraction(0)
    for t in sorted({t for t, _ in rows}):
        total += survival * (t - last)
        at_risk = sum(u >= t for u, _ in rows)
        events = sum(u == t and event for u, event in rows)
        survival *= Fraction(at_risk - events, at_risk)
        last = t
    end = last / (1 - survival)
    return total + survival * (end - last) / 2


def exact_member(rows, i):
    rest = rows[:i] + rows[i + 1 :]
    return len(rows) * exact_mean(rows) - (len(rows) - 1) * exact_mean(rest)


def exact_outsider(rows, subject):
    n = len(rows)
    return (n + 1) * exact_mean([*rows, subject]) - n * exact_mean(rows)


def outcome_of(rows):
    return Outcome(time=[float(t) for t, _ in rows], event=[e for _, e in rows])


def draw_rows(rng):
    n, last = rng.integers(1, 10), rng.integers(1, 7)
    censored = rng.choice([0.0, 0.3, 0.7, 0.9])
    while True:
        rows = [
            (Fraction(int(rng.integers(1, last + 1))), bool(rng.random() >= censored))
            for _ in range(n)
        ]
        if any(event for _, event in rows):
            return rows


def askable(rows):
    """Return the rows whose removal leaves an event."""
    several = sum(event for _, event in rows) > 1
    return [i for i, (_, event) in enumerate(rows) if several or not event]


def check_members(rows):
    asked = askable(rows)
    if asked:
        y = outcome_of(rows)
        actual = KaplanMeier(y).member_pseudo_observations(y[asked])
        expected = [float(exact_member(rows, i)) for i in asked]
        assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


def check_outsiders(rows):
    last = max(t for t, _ in rows)
    halves = [Fraction(k, 2) for k in range(1, 2 * int(last) + 4)]
    asked = [(t, event) for t in halves for event in (True, False)]
    actual = KaplanMeier(outcome_of(rows)).outsider_pseudo_observations(
        outcome_of(asked)
    )
    expected = [float(exact_outsider(rows, subject)) for subject in asked]
    assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


class TestAgainstRationalBruteForce:
    @pytest.mark.parametrize("seed", range(10))
    def test_members_of_many_small_samples(self, seed):
        rng = np.random.default_rng(seed)
        for _ in range(60):
            check_members(draw_rows(rng))

    @pytest.mark.parametrize("seed", range(10))
    def test_outsiders_of_many_small_samples(self, seed):
        rng = np.random.default_rng(100 + seed)
        for _ in range(25):
            check_outsiders(draw_rows(rng))

    @given(
        rows=st.lists(
            st.tuples(st.integers(1, 6).map(Fraction), st.booleans()),
            min_size=1,
            max_size=12,
        ).filter(lambda rows: any(event for _, event in rows))
    )
    def test_any_small_sample(self, rows):
        check_members(rows)
        check_outsiders(rows)

    @pytest.mark.parametrize("events", [2, 1500])
    def test_digits_survive_the_multiplication_by_n(self, events):
        # The difference of two means would lose log10(N) digits or more.
        rows = [(Fraction(1 + k % 7), k < events) for k in range(3000)]
        asked = [0, 1, 2997, 2999]
        y = outcome_of(rows)
        actual = KaplanMeier(y).member_pseudo_observations(y[asked])
        expected = [float(exact_member(rows, i)) for i in asked]
        assert_allclose(actual, expected, rtol=1e-12)

    def test_refitting_each_subject_of_a_larger_sample(self):
        rng = np.random.default_rng(5)
        y = Outcome(time=rng.exponential(5, 80), event=rng.random(80) < 0.4)
        new = Outcome(time=rng.exponential(7, 80), event=rng.random(80) < 0.4)
        km = KaplanMeier(y)
        members, outsiders = np.empty(80), np.empty(80)
        for i in range(80):
            without = KaplanMeier(y[np.arange(80) != i])
            members[i] = 80 * km.mean() - 79 * without.mean()
            time, event = (
                np.append(y.time, new.time[i]),
                np.append(y.event, new.event[i]),
            )
            added = KaplanMeier(Outcome(time, event))
            outsiders[i] = 81 * added.mean() - 80 * km.mean()
        assert_allclose(km.member_pseudo_observations(y), members, rtol=1e-10)
        assert_allclose(km.outsider_pseudo_observations(new), outsiders, rtol=1e-10)


class TestByHand:
    def test_member_censored_at_a_tie(self):
        # Times 1e 2e 2c 4e: S = 3/4, 1/2, 0, mean 1 + 3/4 + 2·1/2 = 11/4. Without
        # the censored one: S = 2/3, 1/3, 0, mean 1 + 2/3 + 2·1/3 = 7/3.
        y = Outcome(time=[1, 2, 2, 4], event=[1, 1, 0, 1])
        expected = 4 * 11 / 4 - 3 * 7 / 3
        actual = KaplanMeier(y).member_pseudo_observations(y[2])
        assert_allclose(actual, [expected], rtol=1e-14)

    def test_member_alone_at_the_last_time_takes_the_end_with_it(self):
        # Times 2e 4c 6c: S = 2/3, end 18, mean 2 + 4·2/3 + 12·2/3/2 = 26/3. Without
        # the last: S = 1/2, end 8, mean 2 + 2·1/2 + 4·1/2/2 = 4.
        y = Outcome(time=[2, 4, 6], event=[1, 0, 0])
        actual = KaplanMeier(y).member_pseudo_observations(y[2])
        assert_allclose(actual, [26 - 8], rtol=1e-14)

    def test_outsider_censored_past_a_curve_that_reaches_0(self):
        # Times 2e 4e: mean 3. With 6c: S = 2/3, 1/3 from 4 on, end 9; mean
        # 2 + 2·2/3 + 2·1/3 + 3·1/3/2 = 9/2.
        km = KaplanMeier(Outcome(time=[2, 4], event=[1, 1]))
        actual = km.outsider_pseudo_observations(Outcome(time=[6], event=[0]))
        assert_allclose(actual, [3 * 4.5 - 2 * 3], rtol=1e-14)

    def test_outsider_censored_where_the_curve_reaches_0_lifts_it(self):
        # Times 2e 4e with 4c: S = 2/3, 1/3, end 6, mean 2 + 4/3 + 2·1/3/2 = 11/3.
        km = KaplanMeier(Outcome(time=[2, 4], event=[1, 1]))
        actual = km.outsider_pseudo_observations(Outcome(time=[4], event=[0]))
        assert_allclose(actual, [11 - 6], rtol=1e-14)

    def test_one_subject_and_an_outsider(self):
        km = KaplanMeier(Outcome(time=[3], event=[1]))
        y = Outcome(time=[1, 1, 3, 5], event=[1, 0, 1, 1])
        # With 1c alone before, the curve still falls to 0 at 3: 2·3 − 3.
        actual = km.outsider_pseudo_observations(y)
        assert_allclose(actual, [1, 3, 3, 5], rtol=1e-14)


class TestFacts:
    def test_without_censoring_each_member_is_its_own_time(self):
        rng = np.random.default_rng(0)
        time = np.ceil(rng.exponential(20, 2000))
        y = Outcome(time=time, event=np.ones(2000))
        actual = KaplanMeier(y).member_pseudo_observations(y)
        assert_allclose(actual, time, rtol=1e-10)

    def test_without_censoring_an_outsider_with_an_event_is_its_own_time(self):
        rng = np.random.default_rng(1)
        km = KaplanMeier(Outcome(time=rng.exponential(20, 500), event=np.ones(500)))
        new = rng.exponential(30, 500)
        actual = km.outsider_pseudo_observations(Outcome(new, np.ones(500)))
        assert_allclose(actual, new, rtol=1e-10)

    def test_adding_and_then_removing_agree(self):
        rng = np.random.default_rng(2)
        y = Outcome(time=rng.integers(1, 9, 40), event=rng.random(40) < 0.5)
        # (N + 1)θ₊ − Nθ from outside is Nθ − (N − 1)θ₋ from inside, N one higher.
        rest, one = y[1:], y[:1]
        inside = KaplanMeier(y).member_pseudo_observations(one)
        outside = KaplanMeier(rest).outsider_pseudo_observations(one)
        assert_allclose(inside, outside, rtol=1e-12)

    def test_order_of_rows_is_the_callers(self):
        rng = np.random.default_rng(3)
        y = Outcome(time=rng.integers(1, 30, 90), event=rng.random(90) < 0.6)
        km, order = KaplanMeier(y), rng.permutation(90)
        for method in (km.member_pseudo_observations, km.outsider_pseudo_observations):
            assert_array_equal(method(y[order]), method(y)[order])

    @pytest.mark.parametrize("factor", [2.0**30, 2.0**-30, 1e9, 1e-9])
    def test_the_unit_of_time_does_not_matter(self, factor):
        rng = np.random.default_rng(4)
        y = Outcome(time=rng.exponential(5, 300), event=rng.random(300) < 0.5)
        scaled = Outcome(time=y.time * factor, event=y.event)
        km, km_scaled = KaplanMeier(y), KaplanMeier(scaled)
        for name in ("member_pseudo_observations", "outsider_pseudo_observations"):
            plain, other = getattr(km, name)(y), getattr(km_scaled, name)(scaled)
            if np.log2(factor) == np.rint(np.log2(factor)):
                assert_array_equal(plain * factor, other)
            else:
                assert_allclose(plain * factor, other, rtol=1e-10)

    def test_of_nobody_is_empty(self):
        km = KaplanMeier(Outcome(time=[3], event=[1]))
        nobody = Outcome(time=[], event=[])
        assert km.member_pseudo_observations(nobody).shape == (0,)
        assert km.outsider_pseudo_observations(nobody).shape == (0,)

    @pytest.mark.slow
    def test_a_million_subjects_take_seconds(self):
        rng = np.random.default_rng(6)
        time, censoring = rng.exponential(10, 10**6), rng.exponential(15, 10**6)
        y = Outcome(time=np.minimum(time, censoring), event=time <= censoring)
        start = clock.perf_counter()
        km = KaplanMeier(y)
        members = km.member_pseudo_observations(y)
        outsiders = km.outsider_pseudo_observations(y)
        assert clock.perf_counter() - start < 20
        # Pseudo-observations estimate the times, so their mean is close to θ.
        assert members.mean() == pytest.approx(km.mean(), rel=1e-3)
        assert outsiders.mean() == pytest.approx(km.mean(), rel=1e-3)


class TestRefusals:
    def test_a_row_that_is_not_in_the_sample(self):
        km = KaplanMeier(Outcome(time=[1, 2, 3], event=[1, 1, 0]))
        strangers = Outcome(time=[1, 9, 2.5], event=[1, 1, 0])
        message = (
            "2 subjects outside .* first at row 1: time 9, an event; use outsider_"
        )
        with pytest.raises(InvalidInput, match=message):
            km.member_pseudo_observations(strangers)

    def test_a_time_of_the_sample_with_the_other_event(self):
        km = KaplanMeier(Outcome(time=[1, 2, 3], event=[1, 1, 0]))
        with pytest.raises(InvalidInput, match="row 0: time 2, censored"):
            km.member_pseudo_observations(Outcome(time=[2], event=[0]))

    def test_the_only_event(self):
        y = Outcome(time=[1, 2, 3], event=[0, 1, 0])
        with pytest.raises(
            InvalidInput, match=r"without the subject at time 2 .* no ev"
        ):
            KaplanMeier(y).member_pseudo_observations(y)

    def test_the_only_subject(self):
        y = Outcome(time=[2], event=[1])
        with pytest.raises(InvalidInput, match="sample has no event"):
            KaplanMeier(y).member_pseudo_observations(y)

    def test_but_not_the_censored_beside_the_only_event(self):
        y = Outcome(time=[1, 2, 4], event=[0, 0, 1])
        actual = KaplanMeier(y).member_pseudo_observations(y[:2])
        assert_allclose(actual, [4, 4])
