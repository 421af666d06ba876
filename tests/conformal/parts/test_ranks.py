"""Exact order statistics by counting leading bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import consurv.conformal.parts.ranks as ranks
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.partitions import Blocks
from consurv.conformal.parts.ranks import Cells, order_statistics
from consurv.outcome import Outcome


class First:
    def __call__(self, block):
        return block.reading[:, 0]

    def weights(self, block):
        return block.outcome.weight


number_of = First()


def subjects(parts, weights=None):
    def block(part, weight):
        one = np.ones(len(part))
        y = Outcome(one, one).weighted(weight)
        return Block(np.array(part)[:, None], np.array([0.5]), y)

    weights = weights or [None] * len(parts)
    return Blocks([block(*pair) for pair in zip(parts, weights, strict=True)])


def ordered(parts, wanted):
    found = subjects(parts)
    return order_statistics(found, number_of, found.ask(Cells(number_of)), wanted)


class TestOrderStatistics:
    @given(
        numbers=st.lists(
            st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1 + 2e-16]),
            min_size=1,
            max_size=60,
        ),
        cuts=st.lists(st.integers(0, 60), max_size=4),
        few=st.integers(0, 8),
    )
    @settings(max_examples=150)
    def test_are_those_of_the_sorted_numbers(self, numbers, cuts, few):
        parts = np.split(np.array(numbers), sorted(cuts))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ranks, "_FEW", few)
            found = ordered(parts, np.arange(len(numbers)))
        assert_array_equal(found, np.sort(numbers))

    def test_numbers_that_are_close_take_more_rounds(self, monkeypatch):
        monkeypatch.setattr(ranks, "_FEW", 10)
        numbers = 1 + np.random.default_rng(0).permutation(1000) * 2.0**-50
        found = ordered([numbers[:300], numbers[300:]], np.array([0, 499, 999]))
        assert_array_equal(found, np.sort(numbers)[[0, 499, 999]])

    def test_many_who_share_a_few_numbers_take_one_more_round(self, monkeypatch):
        monkeypatch.setattr(ranks, "_FEW", 10)
        parts = np.split(np.repeat([1.0, 1 + 2.0**-40, 7.0], 100), [50, 120])
        found, asked = subjects(parts), []
        monkeypatch.setattr(
            found, "ask", lambda q, ask=found.ask: asked.append(q) or ask(q)
        )
        first = found.ask(Cells(number_of))
        wanted = order_statistics(found, number_of, first, np.array([99, 100, 299]))
        assert_array_equal(wanted, [1.0, 1 + 2.0**-40, 7.0])
        assert len(asked) == 2

    def test_a_subject_has_as_many_ranks_as_it_weighs(self):
        rng = np.random.default_rng(1)
        numbers, weight = rng.normal(size=200), rng.integers(0, 4, 200)
        parts, weights = np.split(numbers, [70]), np.split(weight, [70])
        found = subjects(parts, weights)
        every = np.sort(np.repeat(numbers, weight))
        first = found.ask(Cells(number_of))
        some = order_statistics(found, number_of, first, np.arange(len(every)))
        assert_array_equal(some, every)

    def test_cells_hold_counts_alone(self):
        counted = subjects([[1.0, 1.0, 3.0], [1.0]]).ask(Cells(number_of))
        assert_array_equal(counted.counts, [3, 1])
        assert_array_equal(counted.kinds, [2, 1])  # 1 in either part
