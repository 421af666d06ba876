"""Weights at the border: one clear line for each that is no number of subjects."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv import Outcome
from consurv._weights import Weighing, as_weights, at_ranks, drawn
from consurv.errors import InvalidInput

BAD = [
    ([1, 2], "lengths differ: y has 3, sample_weight has 2"),
    ([1, -1, 2], "sample_weight has 1 values < 0, the first at row 1: -1"),
    ([0, 0, 0], "sample_weight is 0 for all 3 subjects: nobody would count"),
    ([1, np.nan, 2], "sample_weight has 1 NaN values, the first at row 1"),
    ([1, np.inf, 2], "sample_weight has 1 infinite values, the first at row 1"),
    ([1, 1e300, 2], "sample_weight adds up to 1e[+]300, more than 1e[+]15 subjects"),
    (["a", "b", "c"], "sample_weight holds text"),
    ([[1, 2], [1, 2], [1, 2]], "sample_weight must be 1-dimensional"),
]


class TestAsWeights:
    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_refuses_what_is_no_number_of_subjects(self, weight, message):
        with pytest.raises(InvalidInput, match=message):
            as_weights(weight, 3)

    def test_weights_of_one_are_none(self):
        assert as_weights([1, 1, True], 3) is None

    def test_others_are_copied(self):
        given = np.array([0.0, 2.5])
        found = as_weights(given, 2)
        given[0] = 9
        assert_array_equal(found, [0.0, 2.5])


class TestWeighing:
    def test_equal_weights_are_worth_all_subjects(self):
        found = Weighing.of(np.full(40, 2.5))
        assert (found.total, found.n_effective) == (100.0, 40.0)

    def test_one_who_outweighs_all_is_worth_one(self):
        assert Weighing.of(np.array([1e9, 1.0, 1.0])).n_effective == pytest.approx(1)

    def test_is_kept(self):
        found = Weighing.of(np.array([1.0, 2.0]))
        assert Weighing.from_stored({"other": 1, **found.to_stored()}) == found
        assert Weighing.from_stored({"other": 1}) is None

    @pytest.mark.parametrize("bad", [0.0, -1, np.inf, np.nan, "3", None, True])
    def test_refuses_files_with_other_numbers(self, bad):
        with pytest.raises(InvalidInput, match="its weights come to"):
            Weighing.from_stored({"total_weight": bad, "n_effective": 2.0})


class TestRanks:
    def test_are_those_of_repeated_rows(self):
        weight = np.random.default_rng(0).integers(0, 4, 50)
        every = np.repeat(np.arange(50), weight)
        assert_array_equal(at_ranks(weight * 1.0, np.arange(len(every))), every)
        assert_array_equal(drawn(weight * 1.0, 1000), every)

    def test_rounding_moves_no_rank(self):
        weight = np.full(30, 0.1)  # whose cumulative sums are not whole
        assert_array_equal(at_ranks(weight, np.array([1, 2])), [10, 20])

    def test_fewer_are_drawn_evenly(self):
        found = drawn(np.array([1.0, 1e6, 1e6]), 100)
        assert_array_equal(np.bincount(found), [1, 50, 49])


class TestOutcome:
    Y = Outcome([3, 1, 2], [1, 0, 1], weight=[2, 0, 0.5])

    @pytest.mark.parametrize(("weight", "message"), BAD)
    def test_refuses_bad_weights(self, weight, message):
        with pytest.raises(InvalidInput, match=message):
            Outcome([3, 1, 2], [1, 0, 1]).weighted(weight)

    def test_parts_keep_their_weights(self):
        assert_array_equal(self.Y[[2, 0]].weight, [0.5, 2])
        assert_array_equal(self.Y[1].weight, [0])

    def test_joined_they_weigh_one_where_nothing_else_is_said(self):
        plain = Outcome([5], [1])
        assert_array_equal(Outcome.concatenate([plain, self.Y]).weight, [1, 2, 0, 0.5])
        assert Outcome.concatenate([plain, plain]).weight is None

    def test_are_part_of_what_is_equal_pickled_and_shown(self, tmp_path):
        import pickle

        again = pickle.loads(pickle.dumps(self.Y[:2]))
        assert again == self.Y[:2]
        assert again != Outcome([3, 1], [1, 0])
        assert repr(again) == "Outcome(n=2, events=1, last time=3, weight=2)"

    def test_who_weighs_nothing_does_not_count(self):
        assert_array_equal(self.Y.counted, [True, False, True])
        assert self.Y[[0, 2]].counted is None
        assert self.Y.counting == self.Y[[0, 2]]
        assert Outcome([1, 2], [1, 0], weight=[0, 1]).counting.weight is None
        assert self.Y.total_weight == 2.5
        assert Outcome([1, 2], [1, 0]).total_weight == 2
        assert self.Y.unweighted == Outcome([3, 1, 2], [1, 0, 1])

    def test_are_given_once(self):
        with pytest.raises(InvalidInput, match="weights of their own; give them once"):
            self.Y.weighted([1, 2, 3])

    def test_cannot_be_changed(self):
        with pytest.raises(ValueError, match="read-only"):
            self.Y.weight[0] = 3
