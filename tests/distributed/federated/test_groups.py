import numpy as np
import pytest

from consurv.distributed.federated.groups import Group, Groups


def drawn(seed):
    """Return scores with ties, heavy and thin, and a minimum that they reach."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(scale=rng.uniform(1, 4), size=rng.integers(8, 300)))
    return scores, int(rng.integers(1, 9))


class TestGroups:
    @pytest.mark.parametrize("seed", range(40))
    def test_bounds_hold_at_every_score(self, seed):
        scores, minimum = drawn(seed)
        groups = Groups.from_plain(Groups.of(scores, minimum).to_plain())
        places = np.unique(np.concatenate([scores, scores + 0.5, [-99.0, 99.0]]))
        for side, truth in (
            ("right", [(scores <= s).sum() for s in places]),
            ("left", [(scores < s).sum() for s in places]),
        ):
            assert (groups.surely(places, side) <= truth).all()
            assert (groups.perhaps(places, side) >= truth).all()

    @pytest.mark.parametrize("seed", range(40))
    def test_nobody_is_told_of_alone_and_nobody_is_lost(self, seed):
        scores, minimum = drawn(seed)
        groups = Groups.of(scores, minimum)
        assert min(group.count for group in groups.groups) >= minimum
        assert groups.n == len(scores)

    def test_without_a_minimum_all_is_told(self):
        scores, _ = drawn(3)
        groups = Groups.of(scores, 1)
        places = np.unique(scores)
        np.testing.assert_array_equal(groups.surely(places), groups.perhaps(places))

    def test_large_counts_are_told_between_small_ones(self):
        scores = np.repeat(np.arange(7.0), [1, 9, 2, 30, 2, 9, 1])
        groups = Groups.of(scores, 5)
        place = np.array([3.0])
        # Those before are told but for the few of two groups.
        assert groups.perhaps(place, "left")[0] - groups.surely(place, "left")[0] <= 8
        assert groups.surely(place)[0] - groups.surely(place, "left")[0] >= 26

    def test_nobody_is_no_group(self):
        assert Groups.of(np.empty(0), 5).groups == ()
        assert Groups.of(np.empty(0), 5).n == 0

    @pytest.mark.parametrize(("count", "few"), [(0, 0), (3, 4), (3, -1)])
    def test_refuses_what_cannot_be(self, count, few):
        with pytest.raises(ValueError, match="do not fit together"):
            Group(count, 0.0, few, None, None)
