"""Rearrangement against exact fractions, a dense grid and facts that must hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.rearrange import REARRANGEMENTS, crossing_rows, rearrange
from consurv.errors import InvalidInput

LEVELS = np.arange(19, 0, -1) / 20
METHODS = sorted(REARRANGEMENTS)


def segments(row, levels):
    """Return (width, low, high) of each segment of Q, in fractions."""
    order = np.argsort(levels)[::-1]
    knots = [1 - Fraction(levels[i]) for i in order]
    nodes = [Fraction(row[i]) for i in order]
    nodes = [Fraction(0), *nodes, nodes[-1] / knots[-1]]
    knots = [Fraction(0), *knots, Fraction(1)]
    return [
        (knots[j + 1] - knots[j], *sorted((nodes[j], nodes[j + 1])))
        for j in range(len(nodes) - 1)
    ]


def mass(parts, t, *, strictly=False):
    """Return F(t), or F(t−) where *strictly*, in fractions."""
    total = Fraction(0)
    for width, low, high in parts:
        if high < t or (high == t and not (strictly and low == high)):
            total += width
        elif low < t:
            total += width * (t - low) / (high - low)
    return total


def rearrange_in_fractions(row, levels):
    """Return inf {t : F(t) >= 1 − ρ} for each level, by the definition."""
    parts = segments(row, levels)
    values = sorted({y for _, low, high in parts for y in (low, high)})
    result = []
    for level in levels:
        u = 1 - Fraction(level)
        k = next(i for i, y in enumerate(values) if mass(parts, y) >= u)
        end, before = values[k], mass(parts, values[k], strictly=True)
        if u < before:
            start, start_mass = values[k - 1], mass(parts, values[k - 1])
            end = start + (u - start_mass) / (before - start_mass) * (end - start)
        result.append(float(end))
    return np.array(result)


def crossing_times(n, p, seed, *, decimals=None):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.exponential(size=(n, p)), axis=1)
    times = np.maximum(times + rng.normal(0, 2, size=(n, p)), 0)
    return times if decimals is None else np.round(times, decimals)


@st.composite
def rows_with_levels(draw):
    """Draw small whole-number rows, so that ties and zeros are common."""
    p = draw(st.integers(1, 7))
    grid = st.integers(1, 31).map(lambda i: i / 32)
    levels = draw(st.lists(grid, min_size=p, max_size=p, unique=True))
    whole = st.integers(0, 6).map(float)
    return draw(arrays(float, (3, p), elements=whole)), np.array(levels)


class TestByHand:
    def test_two_levels(self):
        # u = 1/4, 3/4 with Q = 4, 2; the tail line ends at 2 / (3/4) = 8/3.
        # F(2) = 1/4 · 1/2 = 1/8; F(8/3) = 1/4 · 2/3 + 1/2 · 1/3 + 1/4 = 7/12.
        # Q*(1/4) = 2 + (1/8)/(11/24) · 2/3 = 24/11.
        # Q*(3/4) = 8/3 + (1/6)/(5/12) · 4/3 = 16/5.
        result = rearrange([[4.0, 2.0]], [0.75, 0.25])
        assert_allclose(result, [[24 / 11, 16 / 5]], rtol=1e-15)

    def test_a_tie_is_an_atom(self):
        # u = 1/4, 1/2, 3/4 with Q = 3, 3, 1.5, tail to 2: an atom of 1/4 at 3.
        # F(1.5) = 1/8; F(2) = 1/6 + 1/12 + 1/4 = 1/2; F(3−) = 3/4.
        # Q*(1/4) = 1.5 + (1/8)/(3/8) · 1/2 = 5/3, Q*(1/2) = 2, Q*(3/4) = 3.
        result = rearrange([[3.0, 3.0, 1.5]], [0.75, 0.5, 0.25])
        assert_allclose(result, [[5 / 3, 2, 3]], rtol=1e-15)

    def test_both_ends_of_an_atom_are_met_exactly(self):
        # Below the crossing Q* is Q: the tie at 0.9 and 0.8 must stay a tie.
        times = [[0.7, 0.7, 5.0, 4.0, 9.0]]
        result = rearrange(times, [0.9, 0.8, 0.3, 0.2, 0.1])
        assert_array_equal(result[0, :2], [0.7, 0.7])

    def test_zeros_from_clipping_are_an_atom_at_zero(self):
        # u = 1/4, 1/2, 3/4 with Q = 2, 0, 0: the tail stays at 0.
        # F(0) = 1/2, then 1/2 + 1/2 · t/2: Q*(3/4) = 1.
        result = rearrange([[2.0, 0.0, 0.0]], [0.75, 0.5, 0.25])
        assert_array_equal(result, [[0, 0, 1]])

    def test_ceil_and_floor(self):
        times, levels = [[2.0, 5.0, 1.0, 4.0]], [0.8, 0.6, 0.4, 0.2]
        assert_array_equal(rearrange(times, levels, "ceil"), [[2, 5, 5, 5]])
        assert_array_equal(rearrange(times, levels, "floor"), [[1, 1, 1, 4]])


class TestExact:
    @pytest.mark.parametrize("decimals", [None, 0])
    def test_agrees_with_fractions(self, decimals):
        times = crossing_times(40, 19, seed=1, decimals=decimals)
        crossing = crossing_rows(times, LEVELS)
        assert crossing.sum() > 30
        wanted = [rearrange_in_fractions(row, LEVELS) for row in times[crossing]]
        result = rearrange(times[crossing], LEVELS)
        assert_allclose(result, wanted, rtol=1e-12, atol=1e-14)

    def test_agrees_with_a_dense_grid(self):
        # A grid of n points is right to about slope / (2n): 100 / 2e7 for times >= 10.
        n = 10_000_000
        middle = (np.arange(n) + 0.5) / n
        u = 1 - LEVELS
        for row in crossing_times(3, 19, seed=2) + 10:
            nodes = np.concatenate(([0], row, row[-1:] / u[-1]))
            sample = np.sort(np.interp(middle, np.concatenate(([0], u, [1])), nodes))
            wanted = np.interp(u, middle, sample)
            assert_allclose(rearrange([row], LEVELS)[0], wanted, rtol=1e-6)

    def test_is_equimeasurable(self):
        times = crossing_times(20, 9, seed=3)
        levels = np.arange(9, 0, -1) / 10
        times = times[crossing_rows(times, levels)]
        for row, result in zip(times, rearrange(times, levels), strict=True):
            parts = segments(row, levels)
            found = [float(mass(parts, Fraction(t))) for t in result]
            positive = result > 0
            assert_allclose(np.array(found)[positive], (1 - levels)[positive], 1e-12)

    @settings(deadline=None, max_examples=150)
    @given(rows_with_levels())
    def test_agrees_with_fractions_where_ties_abound(self, drawn):
        times, levels = drawn
        result = rearrange(times, levels)
        for row, new, crossing in zip(
            times, result, crossing_rows(times, levels), strict=True
        ):
            if crossing:
                wanted = rearrange_in_fractions(row, levels)
                assert_allclose(new, wanted, rtol=1e-12, atol=1e-13)

    def test_works_on_more_levels_than_a_byte_can_count(self):
        levels = np.arange(300, 0, -1) / 301
        times = crossing_times(1, 300, seed=4)
        parts = segments(times[0], levels)
        result = rearrange(times, levels)[0]
        found = [float(mass(parts, Fraction(t))) for t in result[::25]]
        assert_allclose(found, 1 - levels[::25], rtol=1e-10)

    def test_works_on_tiny_and_huge_times(self):
        times = np.array([[4.0, 2.0]])
        wanted = rearrange(times, [0.75, 0.25])
        for unit in (5e-324, 1e-310, 1e-290, 1e300, 4e307):
            result = rearrange(times * unit, [0.75, 0.25])
            assert np.isfinite(result).all()
            if unit > 1e-300:
                assert_allclose(result, wanted * unit, rtol=1e-14)

    @pytest.mark.parametrize("power", [-30, 30])
    def test_a_power_of_two_changes_only_the_unit(self, power):
        times = crossing_times(200, 19, seed=5, decimals=1)
        scaled = rearrange(times * 2.0**power, LEVELS)
        assert_array_equal(scaled, rearrange(times, LEVELS) * 2.0**power)

    def test_many_rows_give_what_single_rows_give(self):
        times = crossing_times(3000, 19, seed=6)  # several blocks
        result = rearrange(times, LEVELS)
        for i in (0, 779, 780, 781, 2999):
            assert_array_equal(result[[i]], rearrange(times[[i]], LEVELS))


class TestInfiniteTimes:
    def test_the_finite_part_of_a_row_is_rearranged(self):
        # Q = 4, 3 on u = 1/4, 1/2, then nothing: F(3) = 3/16, F(4) = 1/2.
        # Q*(1/4) = 3 + (1/16)/(5/16) = 3.2; half of the mass never comes down.
        result = rearrange([[4.0, 3.0, np.inf]], [0.75, 0.5, 0.25])
        assert_allclose(result, [[3.2, 4.0, np.inf]], rtol=1e-15)

    def test_the_last_finite_time_is_met_whatever_the_rounding(self):
        for p in range(3, 40):
            levels = np.arange(p, 0, -1) / (p + 1)
            times = np.arange(1.0, p + 1)
            times[0], times[-1] = 1.5, np.inf
            times[1] = 1.0
            assert np.isfinite(rearrange([times], levels)[0, :-1]).all()

    def test_an_infinite_time_in_the_middle_is_the_limit_of_a_growing_one(self):
        levels = [0.8, 0.6, 0.4, 0.2]
        result = rearrange([[2.0, np.inf, 3.0, 1.0]], levels)
        limit = rearrange([[2.0, 1e18, 3.0, 1.0]], levels)
        finite = limit < 1e9
        assert_array_equal(np.isfinite(result), finite)
        assert_allclose(result[finite], limit[finite], rtol=1e-9)

    def test_rows_that_end_at_infinity_do_not_cross(self):
        times = np.array([[np.inf] * 3, [1.0, np.inf, np.inf]])
        assert rearrange(times, [0.75, 0.5, 0.25]) is times

    @pytest.mark.parametrize("method", METHODS)
    def test_every_method_keeps_infinity_at_the_low_levels(self, method):
        times = [[4.0, 3.0, np.inf], [np.inf, 1.0, np.inf]]
        result = rearrange(times, [0.75, 0.5, 0.25], method, 0, n_draws=1000)
        assert not np.isnan(result).any()
        assert np.isinf(result[:, -1]).all()
        assert not crossing_rows(result, np.array([0.75, 0.5, 0.25])).any()


class TestBootstrap:
    def test_converges_to_the_exact_answer(self):
        times = crossing_times(4, 9, seed=7) + 1
        levels = np.arange(9, 0, -1) / 10
        exact = rearrange(times, levels)
        errors = [
            np.abs(rearrange(times, levels, "bootstrap", 0, n_draws=n) - exact).max()
            for n in (1_000, 1_000_000)
        ]
        assert errors[1] < 0.02 < errors[0]

    def test_a_seed_or_a_generator_fixes_the_draws(self):
        times = crossing_times(10, 9, seed=8)
        levels = np.arange(9, 0, -1) / 10
        first, second, other = (
            rearrange(times, levels, "bootstrap", seed, n_draws=100)
            for seed in (1, np.random.default_rng(1), 2)
        )
        assert_array_equal(first, second)
        assert (first != other).any()

    def test_takes_empirical_quantiles_at_the_exact_rank(self):
        # 100 draws, level 0.45: rank 55, though 100 · (1 − 0.45) rounds above 55.
        times, levels = [[3.0, 2.0]], [0.9, 0.45]
        result = rearrange(times, levels, "bootstrap", 0, n_draws=100)
        u = np.random.default_rng(0).random(100)
        draws = np.sort(np.interp(u, [0, 0.1, 0.55, 1], [0, 3, 2, 2 / 0.55]))
        assert_allclose(result, [draws[[9, 54]]], rtol=1e-15)


class TestAnyMethod:
    @pytest.mark.parametrize("method", METHODS)
    def test_rows_that_do_not_cross_are_kept_bit_for_bit(self, method):
        times = crossing_times(60, 5, seed=9)
        times[::2] = np.sort(times[::2], axis=1)
        before = times.copy()
        levels = [0.9, 0.7, 0.5, 0.3, 0.1]
        result = rearrange(times, levels, method, 0, n_draws=50)
        assert_array_equal(times, before)
        crossing = crossing_rows(times, np.array(levels))
        assert 0 < crossing.sum() < 60
        assert_array_equal(result[~crossing], times[~crossing])
        assert (result[crossing] != times[crossing]).any(axis=1).all()

    @pytest.mark.parametrize("method", METHODS)
    def test_the_input_comes_back_if_nothing_crosses(self, method):
        times = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, np.inf]])
        assert rearrange(times, [0.75, 0.25], method) is times

    @pytest.mark.parametrize("method", METHODS)
    def test_a_result_does_not_cross_and_is_kept(self, method):
        once = rearrange(crossing_times(50, 19, 10), LEVELS, method, 0, n_draws=100)
        assert rearrange(once, LEVELS, method) is once

    @settings(deadline=None, max_examples=60)
    @given(rows_with_levels(), st.sampled_from(METHODS))
    def test_is_monotone_and_stays_in_range(self, drawn, method):
        times, levels = drawn
        result = rearrange(times, levels, method, 0, n_draws=20)
        assert not crossing_rows(result, levels).any()
        # The tail line of the row may reach past its largest time.
        end = times[:, [np.argmin(levels)]] / (1 - levels.min())
        assert (result >= 0).all()
        assert (result <= np.maximum(times.max(axis=1, keepdims=True), end)).all()

    @settings(deadline=None, max_examples=60)
    @given(rows_with_levels())
    def test_ceil_lies_above_and_floor_below_the_row(self, drawn):
        times, levels = drawn
        assert (rearrange(times, levels, "ceil") >= times).all()
        assert (rearrange(times, levels, "floor") <= times).all()

    @settings(deadline=None, max_examples=60)
    @given(rows_with_levels(), st.sampled_from(METHODS), st.randoms())
    def test_columns_may_come_in_any_order(self, drawn, method, random):
        times, levels = drawn
        order = list(range(levels.size))
        random.shuffle(order)
        direct = rearrange(times, levels, method, 0, n_draws=20)
        shuffled = rearrange(times[:, order], levels[order], method, 0, n_draws=20)
        assert_array_equal(shuffled, direct[:, order])

    @pytest.mark.parametrize("method", METHODS)
    def test_one_level_never_crosses(self, method):
        assert_array_equal(rearrange([[3.0], [1.0]], [0.5], method), [[3], [1]])

    def test_no_rows_are_fine(self):
        assert rearrange(np.empty((0, 2)), [0.6, 0.4]).shape == (0, 2)

    def test_lists_float32_and_read_only_arrays_work(self):
        wanted = rearrange(np.array([[4.0, 2.0]]), [0.75, 0.25])
        frozen = np.asfortranarray([[4.0, 2.0]])
        frozen.setflags(write=False)
        for times in ([[4, 2]], np.float32([[4, 2]]), frozen, frozen.astype(">f8")):
            result = rearrange(times, [0.75, 0.25])
            assert result.dtype == np.float64
            assert_array_equal(result, wanted)


class TestBadInput:
    def test_unknown_method(self):
        with pytest.raises(InvalidInput, match=r"unknown rearrangement 'exakt'.*floor"):
            rearrange([[1.0, 2.0]], [0.6, 0.4], "exakt")

    def test_columns_and_levels_must_fit(self):
        with pytest.raises(InvalidInput, match="3 columns but there are 2 levels"):
            rearrange([[1.0, 2.0, 3.0]], [0.6, 0.4])

    def test_nan(self):
        with pytest.raises(InvalidInput, match=r"1 NaN values.*row 0, column 1"):
            rearrange([[1.0, np.nan]], [0.6, 0.4])

    def test_negative_times(self):
        with pytest.raises(InvalidInput, match="row 1, column 0: -2; clip them"):
            rearrange([[1.0, 2.0], [-2.0, 1.0]], [0.6, 0.4])

    def test_minus_infinity(self):
        with pytest.raises(InvalidInput, match="infinite"):
            rearrange([[1.0, -np.inf]], [0.6, 0.4])

    def test_number_of_draws(self):
        with pytest.raises(InvalidInput, match="n_draws=0 is not valid"):
            rearrange([[2.0, 1.0]], [0.6, 0.4], "bootstrap", n_draws=0)

    def test_shape(self):
        with pytest.raises(InvalidInput, match="2-dimensional"):
            rearrange([1.0, 2.0], [0.6, 0.4])
