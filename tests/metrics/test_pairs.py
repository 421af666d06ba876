"""The pair counts of each subject against a count one by one."""

from __future__ import annotations

import numpy as np
import pytest

from consurv.metrics._pairs import count_pairs
from consurv.outcome import Outcome


def counts_one_by_one(y, risk):
    time, event = y.time, y.event
    later = event[:, None] & (
        (time[:, None] < time) | ((time[:, None] == time) & ~event)
    )
    return {
        "comparable": later.sum(axis=1),
        "concordant": (later & (risk[:, None] > risk)).sum(axis=1),
        "tied_risk": (later & (risk[:, None] == risk)).sum(axis=1),
    }


class TestCountPairs:
    @pytest.mark.parametrize("n", [*range(1, 18), 31, 32, 33, 200])
    @pytest.mark.parametrize("distinct", [1, 3, 1000])
    def test_each_subject_has_its_own_counts(self, n, distinct):
        rng = np.random.default_rng([n, distinct])
        y = Outcome(rng.integers(1, distinct + 1, n), rng.random(n) < 0.7)
        risk = rng.integers(0, distinct, n).astype(float)
        counts, expected = count_pairs(y, risk), counts_one_by_one(y, risk)
        np.testing.assert_array_equal(counts.comparable, expected["comparable"])
        np.testing.assert_array_equal(counts.concordant, expected["concordant"])
        np.testing.assert_array_equal(counts.tied_risk, expected["tied_risk"])

    def test_events_at_one_time_are_counted_once_a_pair(self):
        y = Outcome([3, 3, 3, 3, 5, 5], [1, 1, 1, 0, 1, 1])
        counts = count_pairs(y, np.zeros(6))
        assert counts.tied_time.sum() == 3 + 1
        assert counts.tied_time[3] == 0

    def test_plus_and_minus_zero_tie(self):
        counts = count_pairs(Outcome([1, 2], [1, 1]), np.array([0.0, -0.0]))
        assert counts.tied_risk.tolist() == [1, 0]
        assert counts.concordant.tolist() == [0, 0]
