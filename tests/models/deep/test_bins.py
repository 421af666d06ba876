import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from consurv.models.deep.bins import (
    event_quantiles,
    find_bins,
    share_left,
)
from consurv.outcome import Outcome


class TestEdges:
    @pytest.mark.parametrize(("n_events", "k"), [(1, 1), (16, 4), (17, 5), (100, 10)])
    def test_are_as_many_as_the_root_of_the_events(self, n_events, k):
        y = Outcome(np.arange(1, n_events + 11), np.arange(n_events + 10) < n_events)
        edges = event_quantiles(y)
        assert len(edges) == k
        assert edges[-1] == n_events

    def test_share_the_events_evenly(self):
        y = Outcome(np.random.default_rng(0).exponential(size=100), np.ones(100))
        bins = find_bins(event_quantiles(y), y.time)
        assert np.bincount(bins).tolist() == [10] * 10

    def test_may_be_asked_for(self):
        y = Outcome(np.arange(1, 101), np.ones(100))
        assert event_quantiles(y, 4).tolist() == [25, 50, 75, 100]

    def test_are_distinct_when_events_are_tied(self):
        y = Outcome([3] * 50 + [5] * 2, np.ones(52))
        assert event_quantiles(y).tolist() == [3, 5]


class TestShare:
    @given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
    def test_is_one_at_the_left_and_zero_at_the_right_end_of_a_bin(self, times):
        edges = np.array([1.0, 4.0, 5.0])
        time = np.array(times)
        bins, share = find_bins(edges, time), share_left(edges, time)
        lower = np.array([0.0, 1.0, 4.0])
        for t, i, left in zip(time, bins, share, strict=True):
            if i == 3:
                assert t > 5
                assert left == 1
            else:
                assert lower[i] < t <= edges[i]
                assert 1 - left == pytest.approx((t - lower[i]) / (edges[i] - lower[i]))
