"""Counts at distinct times: small types, merged by stretches, and their curve."""

from __future__ import annotations

import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import consurv.curves.counts as counts
from consurv.conformal.parts.partitions import OutcomeCounts
from consurv.curves.counts import at_events, tally, together
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

rows = st.lists(
    st.tuples(st.integers(1, 12), st.booleans(), st.integers(0, 300)),
    min_size=1,
    max_size=60,
)


def outcome(some, weighted):
    time, event, weight = (np.array(column) for column in zip(*some, strict=True))
    if weighted == "whole":
        return Outcome(time, event, np.maximum(weight, 1))
    if weighted == "shares":
        return Outcome(time, event, (weight + 1) / 7)
    return Outcome(time, event)


def counted(y):
    """Return the counts by looking at every time for itself."""
    times = np.unique(y.time)
    return times, *(
        np.array([y.weights[(y.time == t) & some].sum() for t in times])
        for some in (np.ones(len(y), bool), y.event)
    )


class TestTally:
    @given(some=rows, weighted=st.sampled_from(["", "whole", "shares"]))
    def test_by_looking_at_every_time(self, some, weighted):
        y = outcome(some, weighted)
        for found, expected in zip(tally(y), counted(y), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-14)

    @pytest.mark.parametrize(
        ("n", "size"), [(255, 1), (256, 2), (65_535, 2), (65_536, 4)]
    )
    def test_takes_the_smallest_type(self, n, size):
        y = Outcome(np.ones(n), np.ones(n))
        _, subjects, events = tally(y)
        assert subjects.itemsize == events.itemsize == size
        assert subjects[0] == events[0] == n

    def test_of_nobody_is_empty(self):
        assert all(len(column) == 0 for column in tally(Outcome([], [])))


class TestTogether:
    @given(
        some=rows,
        cuts=st.lists(st.integers(0, 60), max_size=5),
        stretch=st.integers(1, 70),
        weighted=st.sampled_from(["", "whole"]),
    )
    @settings(max_examples=200)
    def test_are_the_counts_of_all(self, some, cuts, stretch, weighted):
        y = outcome(some, weighted)
        ends = [0, *sorted(cuts), len(y)]
        parts = [y[slice(*pair)] for pair in pairwise(ends)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counts, "_STRETCH", stretch)
            found = together([tally(part) for part in parts])
        for column, expected in zip(found, counted(y), strict=True):
            assert_array_equal(column, expected)

    def test_a_sum_that_no_small_type_holds(self):
        y = Outcome(np.ones(200), np.ones(200))
        times, subjects, events = together([tally(y)] * 3)
        assert times.tolist() == [1]
        assert subjects.tolist() == events.tolist() == [600]

    def test_weights_of_one_part_make_shares_of_all(self):
        whole, shares = Outcome([1], [1]), Outcome([1, 2], [1, 0], [0.5, 0.25])
        _, subjects, events = together([tally(whole), tally(shares)])
        assert subjects.tolist() == [1.5, 0.25]
        assert events.tolist() == [1.5, 0]

    def test_little_is_held_beside_the_result(self):
        n, parts = 1_000_000, 16
        rng = np.random.default_rng(0)
        known = [
            OutcomeCounts(np.sort(rng.random(n // parts)), ones, ones)
            for ones in [np.ones(n // parts, np.uint8)] * parts
        ]
        tracemalloc.start()
        found = OutcomeCounts.merged(known)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.n == n
        assert peak / n < 16  # bytes: 10 are the result


class TestCurve:
    @given(
        some=rows,
        stretch=st.integers(1, 70),
        weighted=st.sampled_from(["", "whole", "shares"]),
    )
    @settings(max_examples=200)
    def test_of_counts_is_that_of_outcomes(self, some, stretch, weighted):
        y = outcome(some, weighted)
        if not y.event.any():
            return
        expected = KaplanMeier(y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counts, "_STRETCH", stretch)
            found = KaplanMeier.of_counts(*tally(y))
        for name in ("times", "event_times", "event_survival", "at_risk", "events"):
            assert_array_equal(getattr(found, name), getattr(expected, name))
        assert found == expected
        assert (found.n, found.n_events) == (expected.n, expected.n_events)
        assert type(found.n) is type(expected.n)
        assert found.t_end == expected.t_end

    def test_numbers_can_be_calculated_with(self):
        # Those of small types would run over.
        y = Outcome(np.repeat([1.0, 2.0], 200), np.ones(400))
        km = KaplanMeier.of_counts(*tally(y))
        assert (km.at_risk - 300).tolist() == [100, -100]
        assert (-km.events).tolist() == [-200, -200]

    def test_travels_as_short_as_its_counts(self):
        n = 100_000
        y = Outcome(np.random.default_rng(0).random(n), np.ones(n))
        km = KaplanMeier.of_counts(*tally(y))
        sent = pickle.dumps(km, protocol=5)
        assert len(sent) / n < 11  # bytes
        assert pickle.loads(sent) == km == KaplanMeier(y)

    def test_little_is_held_beside_it(self):
        n = 1_000_000
        time = np.random.default_rng(0).random(n)
        known = tally(Outcome(time, np.arange(n) % 2))
        tracemalloc.start()
        km = KaplanMeier.of_counts(*known)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(km.event_times) == n // 2
        assert peak / km.n_events < 20  # bytes: 16 are times and survival

    def test_numbers_at_events_by_hand(self):
        y = Outcome([1, 2, 2, 3, 4], [0, 1, 0, 0, 1])
        times, at_risk, events = at_events(tally(y))
        assert times.tolist() == [2, 4, np.inf]
        assert at_risk.tolist() == [5, 4, 1]
        assert events.tolist() == [1, 1]
