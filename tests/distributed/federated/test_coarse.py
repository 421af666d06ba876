import numpy as np
import pytest

from consurv.distributed.federated.coarse import coarser
from consurv.errors import InvalidInput


class TestCoarser:
    @pytest.mark.parametrize("seed", range(20))
    def test_leaves_no_small_count(self, seed):
        rng = np.random.default_rng(seed)
        n, minimum = int(rng.integers(30, 200)), int(rng.integers(2, 8))
        times, event = np.ceil(rng.exponential(6, n)), rng.random(n) < 0.6
        moved = coarser(times, event, minimum)
        assert (moved >= times).all()
        assert np.isin(moved, times).all()
        for flag in (event, ~event):
            _, counts = np.unique(moved[flag], return_counts=True)
            assert counts.min() >= minimum

    def test_changes_nothing_where_counts_are_large(self):
        times = np.repeat([1.0, 2.0, 3.0], 10)
        event = np.tile([True, False], 15)
        np.testing.assert_array_equal(coarser(times, event, 5), times)

    def test_refuses_a_site_that_is_too_small(self):
        with pytest.raises(InvalidInput, match="4 subjects with 3 events are too few"):
            coarser(np.arange(1.0, 5.0), np.array([True, True, True, False]), 3)
