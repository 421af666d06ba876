"""Adjusted curves: worked numbers, masks, the order of subjects, bad input."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.adjustments.adjust import AdjustedCurves, adjust
from consurv.curves.curves import SurvivalCurves
from consurv.curves.rearrange import crossing_rows, rearrange
from consurv.errors import InvalidInput

QUARTERS = np.array([0.75, 0.5, 0.25])
LEVELS = np.arange(1, 20) / 20


def falling_times(n, levels, seed):
    """Return rows of percentile times that do not cross."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(1, 10, size=(n, 1))
    return scale * (-np.log(levels)) ** rng.uniform(0.5, 2, size=(n, 1))


class TestByHand:
    def test_times_are_shifted_column_by_column(self):
        # q' = 2, 5, 10; the tail line ends at 10 / (3/4) = 40/3.
        # Mean: 2·7/8 + 3·5/8 + 5·3/8 + (10/3)·1/8 = 5.9166...
        curves = adjust([[3.0, 6.0, 9.0]], QUARTERS, [1.0, 1.0, -1.0])
        assert_array_equal(curves.percentile_times(QUARTERS), [[2, 5, 10]])
        assert_array_equal(curves.median(), [5])
        assert_allclose(curves.mean(), [71 / 12], rtol=1e-14)
        assert curves.interpolation == "linear"
        assert (curves.n_rearranged, curves.n_clipped) == (0, 0)

    def test_times_below_zero_are_clipped(self):
        # q' = -1, 2, 5 becomes 0, 2, 5.
        curves = adjust([[1.0, 4.0, 7.0]], QUARTERS, [2.0, 2.0, 2.0])
        assert_array_equal(curves.percentile_times(QUARTERS), [[0, 2, 5]])
        assert_array_equal(curves.survival_at([0.0, 1.0]), [[0.75, 0.625]])
        assert curves.clipped.tolist() == [True]

    def test_a_time_of_exactly_zero_is_not_clipped(self):
        assert adjust([[2.0, 4.0, 7.0]], QUARTERS, [2.0, 2.0, 2.0]).n_clipped == 0

    def test_a_row_clipped_everywhere_drops_at_once(self):
        curves = adjust([[1.0, 2.0, 3.0]], QUARTERS, [9.0, 9.0, 9.0])
        assert_array_equal(curves.mean(), [0])
        assert_array_equal(curves.median(), [0])
        assert_array_equal(curves.survival_at([0.0, 1.0]), [[0, 0]])
        assert (curves.n_rearranged, curves.n_clipped) == (0, 1)

    def test_crossing_rows_are_rearranged(self):
        # q' = 4, 2: worked out in the tests of rearrange.
        curves = adjust([[5.0, 5.0], [1.0, 9.0]], [0.75, 0.25], [1.0, 3.0])
        wanted = [[24 / 11, 16 / 5], [0, 6]]
        assert_allclose(curves.percentile_times([0.75, 0.25]), wanted, rtol=1e-14)
        assert curves.rearranged.tolist() == [True, False]

    def test_clipping_comes_before_rearranging(self):
        # q' = 2, -5, -5 is clipped to 2, 0, 0 and rearranged to 0, 0, 1.
        curves = adjust([[2.0, -5.0, -5.0]], QUARTERS, np.zeros(3))
        assert_array_equal(curves.percentile_times(QUARTERS), [[0, 0, 1]])
        assert (curves.n_rearranged, curves.n_clipped) == (1, 1)

    def test_clipping_alone_may_undo_a_crossing(self):
        curves = adjust([[-1.0, -5.0, 3.0]], QUARTERS, np.zeros(3))
        assert_array_equal(curves.percentile_times(QUARTERS), [[0, 0, 3]])
        assert (curves.n_rearranged, curves.n_clipped) == (0, 1)

    def test_infinite_times_stay_infinite(self):
        times = [[np.inf] * 3, [3.0, np.inf, np.inf], [3.0, 6.0, 9.0]]
        curves = adjust(times, QUARTERS, [1.0, 2.0, -3.0])
        wanted = [[np.inf] * 3, [2, np.inf, np.inf], [2, 4, 12]]
        assert_array_equal(curves.percentile_times(QUARTERS), wanted)
        assert_array_equal(np.isinf(curves.mean()), [True, True, False])

    def test_one_level_is_enough(self):
        curves = adjust([[4.0], [8.0]], [0.5], [1.0])
        assert_array_equal(curves.median(), [3, 7])
        assert_array_equal(curves.mean(), [3, 7])


class TestMethods:
    def test_ceil_and_floor(self):
        times = [[2.0, 5.0, 1.0]]
        for method, wanted in (("ceil", [[2, 5, 5]]), ("floor", [[1, 1, 1]])):
            curves = adjust(times, QUARTERS, np.zeros(3), rearrange=method)
            assert_array_equal(curves.percentile_times(QUARTERS), wanted)

    def test_bootstrap_is_seeded_and_close_to_exact(self):
        times = [[2.0, 5.0, 1.0]]
        first, second = (
            adjust(times, QUARTERS, np.zeros(3), rearrange="bootstrap", random_state=3)
            for _ in range(2)
        )
        exact = adjust(times, QUARTERS, np.zeros(3))
        assert_array_equal(first.times, second.times)
        assert_allclose(first.times, exact.times, atol=0.02)

    def test_the_name_is_checked_even_if_nothing_crosses(self):
        with pytest.raises(InvalidInput, match="unknown rearrangement 'sort'"):
            adjust([[1.0, 2.0]], [0.6, 0.4], [0.0, 0.0], rearrange="sort")


class TestAgainstTheParts:
    def test_equals_shift_clip_rearrange_and_join(self):
        rng = np.random.default_rng(0)
        times = falling_times(5000, LEVELS, 0) + rng.normal(size=(5000, 19))
        shifts = rng.normal(size=19)
        wanted = np.maximum(times - shifts, 0)
        crossing = crossing_rows(wanted, LEVELS)
        joined = SurvivalCurves.from_percentile_times(rearrange(wanted, LEVELS), LEVELS)
        curves = adjust(times, LEVELS, shifts)
        assert_array_equal(curves.times, joined.times)
        assert_array_equal(curves.survival, joined.survival)
        assert_array_equal(curves.rearranged, crossing)
        assert_array_equal(curves.clipped, (times < shifts).any(axis=1))
        assert curves.n_rearranged == crossing.sum() > 0

    def test_levels_may_come_in_any_order(self):
        rng = np.random.default_rng(1)
        times = rng.exponential(5, size=(50, 19))
        shifts, order = rng.normal(size=19), rng.permutation(19)
        curves = adjust(times, LEVELS, shifts)
        shuffled = adjust(times[:, order], LEVELS[order], shifts[order])
        assert_array_equal(curves.times, shuffled.times)
        assert_array_equal(curves.survival, shuffled.survival)

    @settings(deadline=None, max_examples=80)
    @given(
        arrays(float, (4, 3), elements=st.integers(-4, 9).map(float)),
        arrays(float, 3, elements=st.integers(-4, 4).map(float)),
        st.sampled_from(["exact", "ceil", "floor"]),
    )
    def test_the_result_is_a_curve_whatever_comes_in(self, times, shifts, method):
        curves = adjust(times, QUARTERS, shifts, rearrange=method)
        assert (np.diff(curves.times, axis=1) >= 0).all()
        assert (np.diff(curves.survival_at(np.arange(20.0)), axis=1) <= 0).all()
        assert (curves.mean() >= 0).all()

    @pytest.mark.parametrize("power", [-30, 30])
    def test_a_power_of_two_changes_only_the_unit(self, power):
        rng = np.random.default_rng(2)
        times, shifts = rng.exponential(5, size=(50, 19)), rng.normal(size=19)
        curves = adjust(times, LEVELS, shifts)
        scaled = adjust(times * 2.0**power, LEVELS, shifts * 2.0**power)
        assert_array_equal(scaled.times, curves.times * 2.0**power)
        assert_array_equal(scaled.mean(), curves.mean() * 2.0**power)


class TestOrderOfSubjects:
    """Fact 1: without rearranged rows the adjustment keeps the order."""

    @pytest.fixture
    def raw(self):
        return falling_times(400, LEVELS, 3)

    def test_medians_keep_their_order(self, raw):
        shifts = np.linspace(0.5, -0.5, 19)[np.argsort(-LEVELS)]
        curves = adjust(raw, LEVELS, shifts)
        kept = ~curves.rearranged
        before = raw[kept, np.flatnonzero(LEVELS == 0.5)[0]]
        after = curves[kept].median()
        order = np.argsort(before)
        assert kept.sum() > 200
        assert (np.diff(after[order]) >= 0).all()
        assert_array_equal(after > 0, before > shifts[9])

    def test_clipping_makes_ties_and_no_inversions(self, raw):
        curves = adjust(raw, LEVELS, np.full(19, 3.0))
        before = raw[:, 9]
        after = curves.median()
        assert curves.n_rearranged == 0
        assert 0 < (after == 0).sum() < 400
        assert (np.diff(after[np.argsort(before)]) >= 0).all()

    def test_means_order_like_those_of_the_curve_rebuilt_from_raw_times(self, raw):
        curves = adjust(raw, LEVELS, np.full(19, -1.5))
        rebuilt = SurvivalCurves.from_percentile_times(raw, LEVELS)
        assert (curves.n_rearranged, curves.n_clipped) == (0, 0)
        assert_array_equal(np.argsort(curves.mean()), np.argsort(rebuilt.mean()))
        # Every mean moves by the same amount.
        moved = curves.mean() - rebuilt.mean()
        assert_allclose(moved, moved[0], rtol=1e-10)


class TestMasks:
    @pytest.fixture
    def curves(self):
        times = [[5.0, 5.0], [1.0, 9.0], [6.0, 9.0]]
        return adjust(times, [0.75, 0.25], [2.0, 3.0])

    def test_are_read_only_arrays_of_bool(self, curves):
        for mask, wanted in (
            (curves.rearranged, [True, False, False]),
            (curves.clipped, [False, True, False]),
        ):
            assert mask.dtype == np.bool_
            assert mask.tolist() == wanted
            with pytest.raises(ValueError, match="read-only"):
                mask[0] = False

    @pytest.mark.parametrize(
        ("rows", "positions"),
        [
            (slice(1, 3), [1, 2]),
            ([2, 0], [2, 0]),
            (np.array([True, False, True]), [0, 2]),
            (-2, [1]),
            ([], []),
        ],
    )
    def test_are_sliced_along(self, curves, rows, positions):
        part = curves[rows]
        assert isinstance(part, AdjustedCurves)
        assert len(part) == len(positions)
        assert part.rearranged.tolist() == [i == 0 for i in positions]
        assert part.clipped.tolist() == [i == 1 for i in positions]
        assert part.n_rearranged == positions.count(0)
        assert part.n_clipped == positions.count(1)

    def test_survive_a_pickle(self, curves):
        back = pickle.loads(pickle.dumps(curves))
        assert_array_equal(back.rearranged, curves.rearranged)
        assert_array_equal(back.clipped, curves.clipped)
        assert_array_equal(back.times, curves.times)

    def test_are_all_false_for_curves_made_otherwise(self):
        for curves in (
            AdjustedCurves([1.0, 2.0], [[0.8, 0.4]]),
            AdjustedCurves.from_percentile_times([[1.0, 2.0]], [0.6, 0.4]),
        ):
            assert (curves.n_rearranged, curves.n_clipped) == (0, 0)
            assert curves.clipped.shape == (1,)

    def test_conditioning_gives_plain_curves(self, curves):
        assert type(curves.conditional_on(1.0)) is SurvivalCurves

    def test_counts_show_in_the_repr(self, curves):
        wanted = "AdjustedCurves(n=3, levels=2, rearranged=1, clipped=1)"
        assert repr(curves) == wanted


class TestInput:
    def test_is_not_changed(self):
        times, shifts = np.array([[4.0, 2.0]]), np.array([3.0, 0.0])
        curves = adjust(times, [0.6, 0.4], shifts)
        assert_array_equal(times, [[4, 2]])
        assert_array_equal(shifts, [3, 0])
        assert not np.shares_memory(curves.times, times)

    def test_lists_integers_float32_and_read_only_arrays_work(self):
        wanted = adjust(np.array([[5.0, 5.0]]), [0.75, 0.25], [1.0, 3.0])
        frozen = np.asfortranarray([[5.0, 5.0]])
        frozen.setflags(write=False)
        for times in ([[5, 5]], np.float32([[5, 5]]), frozen, frozen.astype(">f8")):
            curves = adjust(times, [0.75, 0.25], [1, 3])
            assert curves.times.dtype == np.float64
            assert_array_equal(curves.times, wanted.times)

    def test_holds_one_matrix_beside_the_input(self):
        times = falling_times(100_000, LEVELS, 4)[:, ::-1].copy()
        tracemalloc.start()
        adjust(times, LEVELS, np.zeros(19))  # every row crosses
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1.5 * times.nbytes

    def test_columns_and_levels_must_fit(self):
        with pytest.raises(InvalidInput, match="3 columns but there are 2 levels"):
            adjust([[1.0, 2.0, 3.0]], [0.6, 0.4], [0.0, 0.0])

    def test_shifts_and_levels_must_fit(self):
        with pytest.raises(InvalidInput, match=r"shifts has 3 values but .* 2 levels"):
            adjust([[1.0, 2.0]], [0.6, 0.4], [0.0, 0.0, 0.0])

    def test_at_least_one_level(self):
        with pytest.raises(InvalidInput, match="levels is empty"):
            adjust(np.empty((2, 0)), [], [])

    def test_levels_inside_the_unit_interval(self):
        with pytest.raises(InvalidInput, match="divide percentages by 100"):
            adjust([[1.0]], [50], [0.0])

    @pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (-np.inf, "infinite")])
    def test_times_without_a_value(self, bad, word):
        with pytest.raises(InvalidInput, match=f"percentile_times has 1 {word}"):
            adjust([[1.0, bad]], [0.6, 0.4], [0.0, 0.0])

    @pytest.mark.parametrize(
        ("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinite"), (-np.inf, "infinite")]
    )
    def test_shifts_without_a_value(self, bad, word):
        with pytest.raises(InvalidInput, match=f"shifts has 1 {word}"):
            adjust([[1.0, 2.0]], [0.6, 0.4], [0.0, bad])

    def test_shapes(self):
        with pytest.raises(InvalidInput, match="percentile_times must be 2-dim"):
            adjust([1.0, 2.0], [0.6, 0.4], [0.0, 0.0])
        with pytest.raises(InvalidInput, match="shifts must be 1-dimensional"):
            adjust([[1.0, 2.0]], [0.6, 0.4], 0.0)
