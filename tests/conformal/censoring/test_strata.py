"""Subjects of similar raw median."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from consurv.conformal.censoring.strata import RawMedian, Strata, median_column
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.parts.ranks import Cells
from consurv.outcome import Outcome


def block(medians, level=0.5):
    q = np.asarray(medians, dtype=float)[:, None]
    return Block(q, np.array([level]), Outcome(np.ones(len(q)), np.ones(len(q))))


def find(blocks, wanted, *, finite=False):
    subjects, medians = Blocks(blocks), RawMedian(finite)
    return Strata.find(subjects, medians, subjects.ask(Cells(medians)), wanted)


class TestStrata:
    def test_are_of_equal_size_and_in_order(self):
        one = block([5, 3, 8, 1, 2, 9])
        strata = find([one], 3)
        assert strata.n == 3
        assert_array_equal(strata.of(one), [1, 1, 2, 0, 0, 2])

    def test_of_several_blocks_are_those_of_all(self):
        parts = [block([5, 3, 8]), block([]), block([1, 2, 9])]
        strata = find(parts, 3)
        found = [strata.of(part) for part in parts]
        assert_array_equal(np.concatenate(found), [1, 1, 2, 0, 0, 2])

    def test_equal_medians_stay_together(self):
        one = block([4, 4, 4, 4, 4, 7])
        strata = find([one], 3)
        assert strata.n == 1  # both edges fall on 4, the least
        assert_array_equal(strata.of(one), np.zeros(6))

    def test_one_constant_is_one_stratum(self):
        assert find([block([3, 3, 3])], 2).n == 1

    def test_infinite_medians_come_last(self):
        one = block([1, np.inf, 2, np.inf])
        assert_array_equal(find([one], 2).of(one), [0, 1, 0, 1])

    def test_those_that_are_infinite_everywhere_may_be_left_out(self):
        one = block([1, np.inf, 2, np.inf])
        assert_array_equal(find([one], 2, finite=True).edges, [2])


class TestMedianColumn:
    def test_is_the_level_nearest_to_a_half(self):
        assert median_column(np.array([0.9, 0.5, 0.1])) == 1
        assert median_column(np.array([0.1, 0.3])) == 1

    def test_of_two_it_takes_the_higher(self):
        assert median_column(np.array([0.4, 0.6])) == 1
        assert median_column(np.array([0.6, 0.4])) == 0
