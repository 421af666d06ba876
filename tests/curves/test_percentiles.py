"""Percentile times are the exact inverse of the curve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.curves import SurvivalCurves
from consurv.curves.percentiles import percentile_times

KINDS = ["linear", "step", "pchip"]
LEVELS = np.arange(1, 20) / 20


def make_curves(kind, n=30, k=12, own=False, seed=0):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 2.0, (n, k) if own else (k,)), axis=-1)
    survival = np.sort(rng.uniform(0.02, 0.99, (n, k)), axis=1)[:, ::-1]
    return SurvivalCurves(times, survival, kind)


def invert_numerically(curves, levels, points=400_001):
    """First time of a dense grid with S <= level; linear within its last cell."""
    stop = np.broadcast_to(curves.times, curves.survival.shape)[:, -1] / (
        1 - curves.survival[:, -1]
    )
    grid = np.linspace(0, stop.max(), points)
    found = np.empty((len(curves), len(levels)))
    for row, curve in enumerate(curves):
        s = curve.survival_at(grid)[0]
        for column, level in enumerate(levels):
            i = int(np.argmax(s <= level))
            u = (s[i - 1] - level) / (s[i - 1] - s[i])
            found[row, column] = grid[i - 1] + u * (grid[i] - grid[i - 1])
    return found, grid[1]


class TestByHand:
    def test_linear(self):
        curves = SurvivalCurves([2, 6], [[0.8, 0.4]])
        # 0.9 on the first line, 0.8 a node, 0.6 on the second, 0.2 on the tail.
        wanted = [[1, 2, 4, 6, 8]]
        assert_allclose(curves.percentile_times([0.9, 0.8, 0.6, 0.4, 0.2]), wanted)

    def test_step(self):
        curves = SurvivalCurves([2, 6], [[0.8, 0.4]], "step")
        wanted = [[2, 2, 6, 6, 8]]
        assert_allclose(curves.percentile_times([0.9, 0.8, 0.6, 0.4, 0.2]), wanted)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_flat_stretch_gives_its_first_time(self, kind):
        curves = SurvivalCurves([0, 10, 50, 60], [[1.0, 0.6, 0.6, 0.2]], kind)
        assert curves.percentile_times([0.6])[0, 0] == 10

    def test_a_flat_stretch_does_not_shorten_what_comes_after(self):
        # The curve is flat from 10 to 50 and then falls by 0.04 a unit: it is at 0.5
        # at 52.5, although the time before the stretch at that level is 10.
        curves = SurvivalCurves([0, 10, 50, 60], [[1.0, 0.6, 0.6, 0.2]])
        assert curves.median() == pytest.approx(52.5, rel=1e-15)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_vertical_drop_gives_its_time(self, kind):
        curves = SurvivalCurves([0, 4, 4, 8], [[1.0, 0.9, 0.3, 0.1]], kind)
        assert_array_equal(curves.percentile_times([0.8, 0.5, 0.3]), [[4, 4, 4]])

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_curve_that_never_drops_is_infinite_and_silent(self, kind):
        curves = SurvivalCurves([1, 5], [[1, 1], [0.5, 0.5]], kind)
        wanted = [[np.inf, np.inf], [1, 7.5]]
        if kind != "step":
            assert_allclose(curves.percentile_times([0.5, 0.25]), wanted)
        assert_array_equal(curves.median(), [np.inf, 1])

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_drop_at_time_zero(self, kind):
        curves = SurvivalCurves([0, 4], [[0.6, 0.2], [1.0, 0.2]], kind)
        assert curves.percentile_times([0.7])[0, 0] == 0
        assert curves.percentile_times([0.6])[0, 0] == 0
        assert curves.percentile_times([0.1])[0, 0] == pytest.approx(4.5)

    def test_one_point_at_time_zero_is_all_at_once_or_never(self):
        curves = SurvivalCurves([0], [[0.7], [1.0]])
        assert_array_equal(curves.percentile_times([0.9, 0.1])[0], [0, 0])
        assert_array_equal(curves.percentile_times([0.9, 0.1])[1], [np.inf, np.inf])

    def test_one_row_one_point(self):
        curves = SurvivalCurves([4], [[0.5]])
        assert_array_equal(curves.percentile_times([0.75, 0.25]), [[2, 6]])


class TestInverse:
    @pytest.mark.parametrize("kind", ["linear", "pchip"])
    @pytest.mark.parametrize("own", [False, True])
    def test_survival_at_a_percentile_time_is_the_level(self, kind, own):
        curves = make_curves(kind, own=own)
        q = curves.percentile_times(LEVELS)
        for column, level in enumerate(LEVELS):
            assert_allclose(
                curves.survival_at_observed(q[:, column]), level, rtol=5e-14
            )

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    def test_equals_numeric_inversion(self, kind, own):
        curves = make_curves(kind, n=5, own=own)
        wanted, cell = invert_numerically(curves, LEVELS)
        tolerance = cell if kind == "step" else 0
        assert_allclose(
            curves.percentile_times(LEVELS), wanted, rtol=1e-6, atol=tolerance
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_reached_exactly_from_the_percentile_time_on(self, kind):
        curves = make_curves(kind, n=200, own=True)
        q = curves.percentile_times(LEVELS)
        for column, level in enumerate(LEVELS):
            later = curves.survival_at_observed(q[:, column] * (1 + 1e-12))
            sooner = curves.survival_at_observed(q[:, column] * (1 - 1e-12))
            assert (later <= level).all()
            assert (sooner > level).all()

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_level_on_a_node_gives_that_time_to_the_last_bit(self, kind):
        times = np.array([0.1, 0.7, 1.3, 2.9])
        levels = np.array([0.9, 0.55, 0.3, 0.1])
        curves = SurvivalCurves(times, [levels], kind)
        assert_array_equal(curves.percentile_times(levels), [times])

    def test_pchip_resolves_a_level_just_below_a_flat_start(self):
        curves = SurvivalCurves([0, 1, 2, 3], [[1.0, 1.0, 0.5, 0.5]], "pchip")
        # Near t = 1 the fall is 3 d u^2 with d = 0.5.
        q = curves.percentile_times([1 - 2**-40])[0, 0]
        assert_allclose(q - 1, np.sqrt(2**-40 / 1.5), rtol=1e-5)

    @pytest.mark.parametrize("kind", KINDS)
    def test_levels_in_any_order_and_row_blocks_agree(self, kind):
        curves = make_curves(kind, n=6000)
        q = curves.percentile_times(LEVELS)
        assert_array_equal(curves.percentile_times(LEVELS[::-1])[:, ::-1], q)
        assert_array_equal(curves[5990:].percentile_times(LEVELS), q[5990:])


class TestUnits:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    @pytest.mark.parametrize("scale", [2.0**30, 2.0**-30])
    def test_powers_of_two_change_nothing_but_the_unit(self, kind, own, scale):
        curves = make_curves(kind, own=own)
        scaled = SurvivalCurves(curves.times * scale, curves.survival, kind)
        t = np.linspace(0, 30, 77)
        c = np.linspace(0, 20, len(curves))
        for ours, theirs in [
            (scaled.percentile_times(LEVELS), scale * curves.percentile_times(LEVELS)),
            (scaled.survival_at(t * scale), curves.survival_at(t)),
            (scaled.mean(), scale * curves.mean()),
            (scaled.restricted_mean(c * scale), scale * curves.restricted_mean(c)),
            (
                scaled.conditional_on(c * scale).percentile_times(LEVELS),
                scale * curves.conditional_on(c).percentile_times(LEVELS),
            ),
        ]:
            assert_array_equal(ours, theirs)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("scale", [1e9, 1e-9])
    def test_powers_of_ten_change_only_rounding(self, kind, scale):
        curves = make_curves(kind)
        scaled = SurvivalCurves(curves.times * scale, curves.survival, kind)
        assert_allclose(
            scaled.percentile_times(LEVELS),
            scale * curves.percentile_times(LEVELS),
            rtol=1e-12,
        )


class TestFromPercentileTimes:
    def test_gives_the_same_times_back_to_the_last_bit(self):
        rng = np.random.default_rng(0)
        q = np.sort(rng.exponential(5, (500, 19)), axis=1)[:, ::-1]
        q[:5, :4] = np.inf
        q[5:9, -6:] = 0.0
        q[9] = 3.0
        curves = SurvivalCurves.from_percentile_times(q, LEVELS)
        assert_array_equal(curves.percentile_times(LEVELS), q)

    def test_all_infinite_and_all_zero_rows(self):
        curves = SurvivalCurves.from_percentile_times(
            [[np.inf, np.inf], [0, 0]], [0.25, 0.75]
        )
        assert_array_equal(
            curves.percentile_times([0.9, 0.5, 0.1]), [[np.inf] * 3, [0, 0, 0]]
        )
        assert_array_equal(curves.survival_at([0, 5]), [[1, 1], [0, 0]])


class TestLevelsOfEachCurve:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    def test_a_row_of_levels_for_each_curve(self, kind, own):
        curves = make_curves(kind, own=own)
        levels = np.random.default_rng(2).uniform(0, 0.999, (len(curves), 4))
        found = percentile_times(curves._nodes, levels)
        expected = [
            c.percentile_times(row)[0] for c, row in zip(curves, levels, strict=True)
        ]
        assert_array_equal(found, expected)
