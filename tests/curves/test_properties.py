"""Facts that hold for every curve, on random nodes with ties and flat stretches."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.curves import SurvivalCurves

LEVELS = np.array([0.95, 0.75, 0.5, 0.25, 0.1, 0.05])


@st.composite
def curves(draw, kinds=("linear", "step", "pchip")):
    """Few distinct times and values, so that ties, drops and flat parts abound."""
    n, k = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    own = draw(st.booleans())
    whole = st.integers(0, 8)
    times = [
        sorted(draw(st.lists(whole, min_size=k, max_size=k)))
        for _ in range(n if own else 1)
    ]
    survival = [
        sorted(draw(st.lists(whole, min_size=k, max_size=k)), reverse=True)
        for _ in range(n)
    ]
    grid = np.array(times, dtype=float) * draw(st.sampled_from([1.0, 0.3, 1e4]))
    return SurvivalCurves(
        grid if own else grid[0],
        np.array(survival) / 8,
        draw(st.sampled_from(kinds)),
    )


@given(curves(), st.lists(st.floats(0, 100), min_size=1, max_size=10))
@settings(deadline=None)
def test_survival_lies_in_the_unit_interval_and_never_rises(some, times):
    survival = some.survival_at(np.sort(times))
    assert ((survival >= 0) & (survival <= 1)).all()
    assert (np.diff(survival, axis=1) <= 1e-15).all()


@given(curves(), st.floats(0, 20))
@settings(deadline=None)
def test_the_level_is_reached_exactly_from_the_percentile_time_on(some, time):
    """S(e) ≤ ρ ⇔ e ≥ q(ρ), away from the rounding of q."""
    q = some.percentile_times(LEVELS)
    with np.errstate(invalid="ignore"):
        close = np.abs(time - q) <= 1e-7 * q
    reached = some.survival_at([time]) <= LEVELS
    assert_array_equal(reached[~close], (time >= q)[~close])


@given(curves())
@settings(deadline=None)
def test_node_times_obey_the_equivalence_to_the_last_bit(some):
    grid = np.broadcast_to(some.times, some.survival.shape)
    levels = np.arange(1, 8) / 8
    q = some.percentile_times(levels)
    for node in grid.T:
        reached = some.survival_at_observed(node)[:, None] <= levels
        assert_array_equal(reached, node[:, None] >= q)


@given(curves())
@settings(deadline=None)
def test_percentile_times_never_fall_with_the_level_and_are_no_nan(some):
    q = some.percentile_times(LEVELS)
    assert not np.isnan(q).any()
    assert (q[:, 1:] >= q[:, :-1] * (1 - 1e-15)).all()


@given(curves(), st.integers(0, 12), st.integers(0, 12))
@settings(deadline=None)
def test_conditioning_is_the_quotient(some, c, t):
    given_c, given_t = some.survival_at([c, t]).T
    past = some.conditional_on(c)
    assert not np.isnan(past.survival).any()
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = np.where(given_c > 0, np.minimum(1, given_t / given_c), float(t < c))
    assert_allclose(past.survival_at([t])[:, 0], wanted, rtol=1e-9, atol=1e-12)


@given(curves())
@settings(deadline=None)
def test_the_mean_is_the_mean_of_percentile_times(some):
    """The area below S equals the area below its inverse (to the grid's width)."""
    levels = (np.arange(2000) + 0.5) / 2000
    q, mean = some.percentile_times(levels), some.mean()
    finite = np.isfinite(mean)
    assert_array_equal(np.isinf(q).any(axis=1), ~finite)
    end = q[finite].max(initial=1.0)
    assert_allclose(q[finite].mean(axis=1), mean[finite], atol=2e-3 * end)


@given(curves(), st.sampled_from([2.0**30, 2.0**-30]))
@settings(deadline=None)
def test_powers_of_two_are_only_a_unit(some, scale):
    scaled = SurvivalCurves(some.times * scale, some.survival, some.interpolation)
    assert_array_equal(
        scaled.percentile_times(LEVELS), scale * some.percentile_times(LEVELS)
    )
    assert_array_equal(scaled.mean(), scale * some.mean())


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5, 7.0, np.inf]), min_size=6).map(
            lambda row: sorted(row[:6])
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None)
def test_percentile_times_make_the_round_trip_to_the_last_bit(rows):
    some = SurvivalCurves.from_percentile_times(rows, LEVELS)
    assert_array_equal(some.percentile_times(LEVELS), rows)
    assert not np.isnan(some.mean()).any()
    assert not np.isnan(some.survival_at([0, 0.5, 3, 9])).any()
    past = some.conditional_on(0.5)
    assert not np.isnan(past.survival).any()
    assert not np.isnan(past.percentile_times(LEVELS)).any()
    assert_array_equal(np.isinf(past.mean()), np.isinf(some.mean()))
