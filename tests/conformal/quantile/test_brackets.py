"""Lists that grow too long on their way are dropped; what they count is not."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from consurv.conformal.quantile.brackets import Breakpoints
from consurv.conformal.quantile.questions import merge


def listed(counts, limit):
    """Return breakpoints of two levels, so many of each."""
    level = np.repeat(np.arange(2, dtype=np.int32), counts)
    position = np.arange(len(level), dtype=float)
    return Breakpoints(
        np.array([[[1, 0], [2, 0]]] * 2),
        np.array(counts),
        np.ones(2),
        np.zeros(2, bool),
        np.zeros(2, bool),
        np.array(limit, float),
        level,
        position,
        np.ones(len(level)),
        np.zeros(len(level)),
    )


class TestBreakpoints:
    def test_are_joined_up_to_the_limit(self):
        found = merge([listed([2, 3], [5, 5]), listed([3, 1], [5, 5])])
        assert_array_equal(found.n_pieces, [5, 4])
        assert_array_equal(found.level, [0, 0, 1, 1, 1, 0, 0, 0, 1])

    def test_beyond_it_a_level_has_no_list_but_its_mass(self):
        found = merge([listed([2, 3], [4, 5]), listed([3, 1], [4, 5])])
        assert_array_equal(found.n_pieces, [5, 4])
        assert_array_equal(found.level, [1, 1, 1, 1])
        assert_array_equal(found.position, [2, 3, 4, 3])
        assert len(found.jump) == len(found.turn) == 4
        assert_array_equal(found.law[0], [[2, 0], [4, 0]])

    def test_once_dropped_a_list_stays_away(self):
        parts = [listed([3, 1], [5, 9]) for _ in range(3)]
        early = merge([merge(parts[:2]), parts[2]])
        late = merge(parts)
        assert_array_equal(early.n_pieces, late.n_pieces)
        assert set(early.level.tolist()) == set(late.level.tolist()) == {1}
