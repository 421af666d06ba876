"""Inverse probabilities and what is told of them."""

import numpy as np
import pytest

from consurv import Outcome, SurvivalCurves
from consurv.errors import InvalidInput
from consurv.weighting.sample import Sample
from consurv.weighting.weights import check_seen, inverse, largest_inverse, weigh


class TestInverse:
    def test_nothing_is_clipped_unless_asked(self):
        p = np.array([1.0, 0.01])
        assert inverse(p).tolist() == [1.0, 100.0]
        assert inverse(p, 10.0).tolist() == [1.0, 10.0]

    def test_a_probability_of_0_is_not_a_number(self):
        assert np.isnan(inverse(np.array([0.0])))[0]
        with pytest.raises(InvalidInput, match=r"G = 0 at 1 of 2 times.*clip"):
            check_seen(inverse(np.array([0.5, 0.0])))


class TestWeigh:
    def test_equal_weights_are_worth_their_number(self):
        told = weigh(np.full(7, 3.0))
        assert told.effective_sample_size == pytest.approx(7)
        assert told.largest == 3.0

    def test_one_large_weight_leaves_one_subject(self):
        assert weigh(np.array([1e6, 1.0])).effective_sample_size < 1.01

    def test_nobody(self):
        assert weigh(np.zeros(3)).n == 0


class TestLargest:
    def sample(self, g):
        curves = SurvivalCurves([1.0], [[0.5]] * 4, "step")
        censoring = SurvivalCurves([1.0, 2.0], np.c_[g, g], "step")
        return Sample(Outcome([2.0] * 4, [1, 1, 1, 0]), curves, censoring)

    def test_is_a_quantile_among_events(self):
        sample = self.sample([0.5, 0.25, 0.2, 0.01])
        assert largest_inverse(sample, None) == np.inf
        assert largest_inverse(sample, 0.5) == pytest.approx(4.0)

    def test_needs_an_event_that_could_be_seen(self):
        with pytest.raises(InvalidInput, match="none with G > 0"):
            largest_inverse(self.sample([0.0] * 4), 0.5)
