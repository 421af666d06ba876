"""Row-wise search and gathering, against numpy row by row."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv.curves.search import last_index, pick, places_in, row_blocks


class TestLastIndex:
    @pytest.mark.parametrize("k", [1, 2, 3, 7, 8, 9, 64, 201])
    def test_equals_searchsorted_in_every_row(self, k):
        rng = np.random.default_rng(k)
        times = np.sort(rng.integers(0, 20, (50, k)).astype(float), axis=1)
        times[:, 0] = 0
        wanted = rng.integers(0, 22, (50, 6)).astype(float)
        found = last_index(times, wanted, np.less_equal)
        for row in range(50):
            right = np.searchsorted(times[row], wanted[row], side="right") - 1
            assert_array_equal(found[row], right)

    def test_common_values_are_looked_for_in_every_row(self):
        survival = np.array([[1.0, 0.5, 0.5, 0.2], [1.0, 0.4, 0.3, 0.1]])
        found = last_index(survival, np.array([0.5, 0.3, 0.15]), np.greater)
        assert_array_equal(found, [[0, 2, 3], [0, 1, 2]])


class TestPick:
    def test_every_mix_of_common_and_own(self):
        row, table = np.array([5.0, 6.0, 7.0]), np.arange(6.0).reshape(2, 3)
        common, own = np.array([2, 0]), np.array([[2, 0], [1, 1]])
        assert_array_equal(pick(row, common), [7, 5])
        assert_array_equal(pick(row, own), [[7, 5], [6, 6]])
        assert_array_equal(pick(table, common), [[2, 0], [5, 3]])
        assert_array_equal(pick(table, own), [[2, 0], [4, 4]])


class TestRowBlocks:
    @pytest.mark.parametrize(("n", "width"), [(0, 5), (1, 10**9), (1000, 300), (7, 0)])
    def test_blocks_cover_the_rows_once_and_in_order(self, n, width):
        rows = [i for block in row_blocks(n, width) for i in range(n)[block]]
        assert rows == list(range(n))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("shape", [(5,), (5000,), (50, 100), (0,)])
def test_places_are_those_of_searchsorted(shape, side):
    rng = np.random.default_rng(0)
    table, x = np.sort(rng.integers(0, 900, 4000) / 8), rng.integers(0, 900, shape) / 8
    found = places_in(table, x, side)
    assert_array_equal(found, np.searchsorted(table, x, side=side))
    infinite = places_in(table, np.full(2000, np.inf), side)
    assert_array_equal(infinite, np.full(2000, len(table)))
