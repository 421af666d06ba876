"""A censored subject at its conditional mean."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.censoring.rules.margin import MarginRule
from consurv.conformal.parts.blocks import Block
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome


def contribution(y, reference=None):
    block = Block(np.zeros((len(y), 1)), np.array([0.5]), y, reference)
    return MarginRule().contribution(block, np.random.default_rng(0))


class TestContribution:
    def test_every_subject_is_a_point(self):
        # S = 4/5 after 2, 8/15 after 4, 0 after 6: E[T | T > 3] = 16/3, then 6.
        found = contribution(Outcome([2, 3, 4, 5, 6], [1, 0, 1, 0, 1]))
        assert_array_equal(found.point_rows, np.arange(5))
        assert_allclose(found.point_times, [2, 16 / 3, 4, 6, 6], rtol=1e-15)
        assert found.law is None
        assert found.n_subjects == 5

    def test_tied_with_events_a_censored_subject_comes_after_them(self):
        # Censored at 3, where an event happens too: at 5 (1/2) or even over (6, 60/7).
        y = Outcome([2, 3, 3, 5, 6], [1, 1, 0, 1, 0])
        in_tail = (6 + 60 / 7) / 2
        wanted = [2, 3, (5 + in_tail) / 2, 5, in_tail]
        assert_allclose(contribution(y).point_times, wanted, rtol=1e-15)

    def test_in_the_tail_and_past_the_end_of_a_given_curve(self):
        # S = 1/2 after 2, t_max = 4, t_end = 8.
        km = KaplanMeier(Outcome([2, 4], [1, 0]))
        found = contribution(Outcome([1, 4, 6, 8, 9, 7], [0, 0, 0, 0, 0, 1]), km)
        assert_array_equal(found.point_times, [4, 6, 7, 8, 9, 7])

    def test_without_censoring_no_curve_is_needed(self):
        assert_array_equal(contribution(Outcome([1, 2], [1, 1])).point_times, [1, 2])

    def test_leaves_the_outcomes_alone(self):
        y = Outcome([2, 3, 6], [1, 0, 1])
        contribution(y)
        assert_array_equal(y.time, [2, 3, 6])
