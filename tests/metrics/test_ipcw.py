"""The censoring curve G: events leave before censorings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import CensoringCurve
from consurv.metrics._training import training_curve
from consurv.outcome import Outcome

outcomes = st.lists(
    st.tuples(st.integers(1, 8), st.booleans()), min_size=1, max_size=30
).filter(lambda rows: any(event for _, event in rows))


def brute_force(time, event, t):
    """Product over censoring times up to t, those with an event at the time gone."""
    g = 1.0
    for s in sorted(set(time[~event])):
        if s <= t:
            left = np.sum(time >= s) - np.sum((time == s) & event)
            g *= 1 - np.sum((time == s) & ~event) / left
    return g


class TestCensoringCurve:
    def test_hand_worked_with_ties(self):
        # At 2 one event leaves first, then 1 of 4 is censored; at 3 one of 3; at 5 the
        # last two: an event, then the censoring that nobody outlives.
        curve = CensoringCurve(([1, 0, 0, 1, 0], [2, 2, 3, 5, 5]))
        assert curve.times.tolist() == [2, 3, 5]
        np.testing.assert_allclose(curve.survival, [1, 3 / 4, 1 / 2, 0], rtol=1e-15)
        np.testing.assert_allclose(
            curve.survival_at([1, 2, 4, 5, 9]), [1, 0.75, 0.5, 0, 0], rtol=1e-15
        )
        np.testing.assert_allclose(
            curve.survival_before([2, 3, 5, 9]), [1, 0.75, 0.5, 0], rtol=1e-15
        )

    @given(outcomes)
    def test_equals_the_product_over_censoring_times(self, rows):
        time, event = (np.array(column) for column in zip(*rows, strict=True))
        curve = CensoringCurve((event, time))
        grid = np.arange(0.5, 10, 0.5)
        wanted = [brute_force(time, event, t) for t in grid]
        np.testing.assert_allclose(curve.survival_at(grid), wanted, atol=1e-15)
        before = [brute_force(time, event, t - 0.25) for t in grid]
        np.testing.assert_allclose(curve.survival_before(grid), before, atol=1e-15)

    def test_is_one_without_censoring(self):
        curve = CensoringCurve(([1, 1], [2, 4]))
        assert curve.survival_at([1, 3, 4]).tolist() == [1, 1, 1]
        assert curve.times.size == 0

    def test_is_known_up_to_the_last_time(self):
        curve = CensoringCurve(([1, 0, 1], [2, 3, 4]))
        assert curve.is_positive_at([0, 4, 4.01]).tolist() == [True, True, False]

    def test_takes_an_estimate_that_is_already_there(self):
        y = Outcome([2, 2, 3, 5], [1, 0, 0, 1])
        curve = CensoringCurve(KaplanMeier(y))
        assert curve.survival.tolist() == CensoringCurve(y).survival.tolist()

    def test_the_unit_of_time_does_not_matter(self):
        y = Outcome([2, 2, 3, 5], [1, 0, 0, 1])
        small = CensoringCurve(Outcome(y.time * 2.0**-30, y.event))
        assert small.survival_at(y.time * 2.0**-30).tolist() == (
            CensoringCurve(y).survival_at(y.time).tolist()
        )


class TestWeights:
    def test_are_zero_where_g_is_zero_or_has_ended(self):
        curve = CensoringCurve(([1, 0, 1, 0], [2, 3, 5, 5]))
        time = np.array([2.0, 3.0, 5.0, 6.0])
        np.testing.assert_allclose(
            curve.weights_of(time, "right"), [1, 1.5, 0, 0], rtol=1e-15
        )
        np.testing.assert_allclose(
            curve.weights_of(time, "left"), [1, 1, 1.5, 0], rtol=1e-15
        )


class TestTrainingCurve:
    y = Outcome([1, 2], [1, 0])

    def test_none_stands_for_the_outcomes_themselves(self):
        assert training_curve(None, self.y) == KaplanMeier(self.y)

    def test_a_curve_is_taken_as_it_is(self):
        km = KaplanMeier(([1], [3]))
        assert training_curve(km, self.y) is km

    def test_refuses_training_outcomes_without_an_event(self):
        with pytest.raises(InvalidInput, match="y_train has no event among its 2"):
            training_curve(([0, 0], [1, 2]), self.y)

    def test_names_y_train_in_what_it_refuses(self):
        with pytest.raises(InvalidInput, match=r"y_train: event must be bool.*1, 2"):
            training_curve(([1, 2], [1.0, 2.5]), self.y)
