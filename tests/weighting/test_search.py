"""The lowest level that covers enough."""

import numpy as np
import pytest

from consurv.errors import InvalidInput
from consurv.weighting.search import (
    check_information,
    lowest_level,
    wanted,
    weighted_level,
)


def brute(mass, levels, target):
    """Return the last level before the first that fails."""
    found = None
    for level, value in zip(levels, mass, strict=True):
        if not value >= target:
            return found
        found = level
    return found


class TestLowestLevel:
    @pytest.mark.parametrize("n", [1, 5, 64, 65, 200])
    def test_is_the_last_before_the_first_that_fails(self, n):
        rng = np.random.default_rng(n)
        levels = np.sort(rng.random(n))[::-1]
        mass = 10 - np.cumsum(rng.normal(0.2, 0.5, n))
        table = dict(zip(levels, mass, strict=True))
        found = lowest_level(lambda u: np.array([table[v] for v in u]), levels, 8.0)
        assert found == brute(mass, levels, 8.0)

    def test_among_many_levels_agrees_where_masses_fall(self):
        levels = np.linspace(1, 0, 10_001)[:-1]
        found = lowest_level(lambda u: 100 * u, levels, 37.0)
        assert found == levels[levels >= 0.37 - 1e-12][-1]

    def test_looks_at_a_part_of_many_levels(self):
        asked = []

        def covered(u):
            asked.extend(u)
            return 100 * u

        lowest_level(covered, np.linspace(1, 0, 100_001)[:-1], 90.0)
        assert len(asked) < 1000

    def test_none_where_the_first_fails(self):
        assert lowest_level(lambda u: 0 * u, np.array([0.9, 0.5]), 1.0) is None

    def test_a_mass_that_nobody_knows_is_refused(self):
        def covered(u):
            return np.where(u > 0.5, 10.0, np.nan)

        with pytest.raises(InvalidInput, match="G = 0 at 1 of 1 times"):
            lowest_level(covered, np.array([0.9, 0.4]), 1.0)


class TestWeightedLevel:
    def test_is_what_a_walk_finds(self):
        rng = np.random.default_rng(0)
        for _ in range(50):
            score, weight = rng.integers(0, 8, 12) / 8, rng.random(12)
            most = rng.uniform(0, 3)
            levels = np.unique(score)[::-1]
            mass = [-weight[score > u].sum() for u in levels]
            assert weighted_level(score, weight, most) == brute(mass, levels, -most)

    def test_none_where_nothing_may_lie_above(self):
        assert weighted_level(np.array([0.5]), np.array([1.0]), -0.1) is None


class TestHowMuch:
    @pytest.mark.parametrize(
        ("coverage", "n", "k"),
        [(0.9, 99, 90), (0.55, 99, 55), (0.9, 30, 28), (0.9, 19, 18)],
    )
    def test_is_the_rank_of_split_conformal(self, coverage, n, k):
        target = wanted(coverage, np.ones(n))
        assert k - 1 < target <= k

    def test_weights_count_as_repeated_subjects_do_but_for_the_new_one(self):
        assert wanted(0.9, np.full(10, 2.0)) == pytest.approx(0.9 * 22)

    def test_eight_subjects_are_too_few_for_nine_tenths(self):
        with pytest.raises(InvalidInput, match="at least 9 subjects; the 8 at hand"):
            check_information(0.9, 8, 8)
        check_information(0.9, 9, 9)
