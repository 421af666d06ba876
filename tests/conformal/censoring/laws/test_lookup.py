"""Guide tables against a plain binary search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.censoring.laws.lookup import KaplanMeierLookup
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome


def sample(kind, n=2000, seed=0):
    """Return a curve whose event times are spread in very different ways."""
    rng = np.random.default_rng(seed)
    time = {
        "even": rng.uniform(0, 10, n),
        "whole": rng.integers(1, 50, n).astype(float),
        "crowded": 5 + 1e-9 * rng.random(n),
        "crowded and one far": np.append(1e-6 * rng.random(n - 1), 1e6),
        "heavy": rng.pareto(0.3, n) + 1e-3,
        "one": np.full(n, 3.0),
    }[kind]
    event = rng.random(n) < 0.6
    event[-1] = True
    return KaplanMeier(Outcome(time, event))


KINDS = ["even", "whole", "crowded", "crowded and one far", "heavy", "one"]


@pytest.mark.parametrize("kind", KINDS)
class TestIndex:
    def test_equals_searchsorted_at_random_places(self, kind):
        km = sample(kind)
        x = np.random.default_rng(1).uniform(-0.1, 1.2, 5000) * km.t_end
        wanted = np.searchsorted(km.event_times, x, side="left")
        assert_array_equal(KaplanMeierLookup(km).index(x), wanted)

    def test_equals_searchsorted_at_and_around_every_event_time(self, kind):
        km = sample(kind)
        at = km.event_times
        x = np.concatenate([at, np.nextafter(at, 0), np.nextafter(at, np.inf)])
        wanted = np.searchsorted(at, x, side="left")
        assert_array_equal(KaplanMeierLookup(km).index(x), wanted)

    def test_takes_what_lies_far_outside(self, kind):
        km = sample(kind)
        x = np.array([-1e300, -1.0, 0.0, 1e300, np.finfo(float).max])
        m = len(km.event_times)
        assert_array_equal(KaplanMeierLookup(km).index(x), [0, 0, 0, m, m])

    @pytest.mark.parametrize("below", [0, 1, 3, 40])
    def test_starts_from_numbers_that_are_no_larger(self, kind, below):
        km = sample(kind)
        x = np.random.default_rng(3).uniform(0, 1.1, 3000) * km.t_end
        wanted = np.searchsorted(km.event_times, x, side="left")
        start = np.maximum(wanted - below, 0)
        start[::3] = wanted[::3]
        before = start.copy()
        assert_array_equal(KaplanMeierLookup(km).index(x, start), wanted)
        assert_array_equal(start, before)

    def test_survival_is_that_of_the_curve(self, kind):
        km = sample(kind)
        t = np.random.default_rng(2).uniform(0, 1.2, 5000) * km.t_end
        t = np.concatenate([t, km.times, [km.t_end]])
        assert_array_equal(KaplanMeierLookup(km).survival_at(t), km.survival_at(t))


class TestAnyTimes:
    @given(
        st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=40),
        st.lists(st.floats(-1e7, 1e7), min_size=1, max_size=40),
    )
    def test_equals_searchsorted(self, times, x):
        km = KaplanMeier(Outcome(times, np.ones(len(times))))
        x = np.concatenate([x, times])
        wanted = np.searchsorted(km.event_times, x, side="left")
        assert_array_equal(KaplanMeierLookup(km).index(x), wanted)


class TestCoarseTables:
    def test_are_close_to_the_curve(self):
        km = sample("even")
        lookup = KaplanMeierLookup(km)
        x = np.random.default_rng(3).uniform(-1, 1.1 * km.t_end, 1000)
        assert_allclose(lookup.coarse(x), km.survival_before(x), atol=0.01)
        level = np.random.default_rng(4).uniform(0.01, 0.99, 1000)
        assert_allclose(
            lookup.coarse_inverse(level), km.percentile_times(level), atol=0.1
        )

    def test_take_any_finite_place_in_silence(self):
        lookup = KaplanMeierLookup(sample("even"))
        assert_array_equal(lookup.coarse(np.array([-1e308, 1e18, 1e308])), [1, 0, 0])
