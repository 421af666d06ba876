"""Censored subjects are dropped."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from consurv.conformal.censoring.rules.uncensored import UncensoredRule
from consurv.conformal.parts.blocks import Block
from consurv.outcome import Outcome


class TestContribution:
    def test_only_events_count(self):
        y = Outcome([2, 3, 3, 5], [1, 1, 0, 0])
        block = Block(np.zeros((4, 1)), np.array([0.5]), y)
        found = UncensoredRule().contribution(block, np.random.default_rng(0))
        assert_array_equal(found.point_rows, [0, 1])
        assert_array_equal(found.point_times, [2, 3])
        assert found.law is None
        assert found.n_subjects == 2

    def test_no_curve_is_estimated(self):
        # All censored: a Kaplan–Meier estimate would be refused.
        block = Block(np.zeros((2, 1)), np.array([0.5]), Outcome([1, 2], [0, 0]))
        found = UncensoredRule().contribution(block, np.random.default_rng(0))
        assert found.n_subjects == 0
