"""Evaluation of curves and areas below them, against SciPy, numpy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

from consurv.curves.curves import SurvivalCurves
from consurv.curves.interpolate import index_before, survival_before

KINDS = ["linear", "step", "pchip"]


def make_curves(kind="linear", n=40, k=15, own=False, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n, k) if own else (k,)
    times = np.cumsum(rng.uniform(0.1, 2.0, shape), axis=-1)
    survival = np.sort(rng.uniform(0.05, 0.99, (n, k)), axis=1)[:, ::-1]
    return SurvivalCurves(times, survival, kind)


class TestSurvivalAt:
    def test_linear_by_hand(self):
        curves = SurvivalCurves([2, 6], [[0.8, 0.4]])
        # (0,1) - (2,.8) - (6,.4), then the line 1 - 0.1 t down to 0 at 10.
        times = [1, 2, 4, 6, 8, 10, 11]
        wanted = [[0.9, 0.8, 0.6, 0.4, 0.2, 0.0, 0.0]]
        assert_allclose(curves.survival_at(times), wanted, atol=1e-15)

    def test_step_by_hand_with_the_linear_tail(self):
        curves = SurvivalCurves([2, 6], [[0.8, 0.4]], "step")
        times = [0, 1.99, 2, 5.99, 6, 8, 10]
        wanted = [[1.0, 1.0, 0.8, 0.8, 0.4, 0.2, 0.0]]
        assert_allclose(curves.survival_at(times), wanted, atol=1e-15)

    @pytest.mark.parametrize("own", [False, True])
    def test_linear_equals_np_interp(self, own):
        curves = make_curves(own=own)
        grid = np.broadcast_to(curves.times, curves.survival.shape)
        times = np.linspace(0, grid[:, -1].min(), 301)
        wanted = [
            np.interp(times, t, s) for t, s in zip(grid, curves.survival, strict=True)
        ]
        assert_allclose(curves.survival_at(times), wanted, rtol=1e-13)

    @pytest.mark.parametrize("own", [False, True])
    def test_pchip_equals_scipy(self, own):
        curves = make_curves("pchip", own=own)
        grid = np.broadcast_to(curves.times, curves.survival.shape)
        times = np.linspace(0, grid[:, -1].min(), 301)
        wanted = [
            PchipInterpolator(t, s)(times)
            for t, s in zip(grid, curves.survival, strict=True)
        ]
        assert_allclose(curves.survival_at(times), wanted, rtol=1e-12)

    def test_pchip_equals_scipy_on_flat_stretches(self):
        t = np.array([0.0, 1, 2, 3, 5, 6, 7])
        s = np.array([1.0, 1, 0.7, 0.7, 0.7, 0.2, 0.2])
        times = np.linspace(0, 7, 101)
        ours = SurvivalCurves(t, [s], "pchip").survival_at(times)[0]
        assert_allclose(ours, PchipInterpolator(t, s)(times), rtol=1e-12)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    def test_observed_times_equal_the_diagonal_of_common_ones(self, kind, own):
        curves = make_curves(kind, own=own)
        time = np.random.default_rng(1).uniform(0, 40, len(curves))
        common = curves.survival_at(time)
        assert_array_equal(curves.survival_at_observed(time), np.diagonal(common))

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_order_of_times_does_not_matter(self, kind):
        curves = make_curves(kind)
        times = np.random.default_rng(2).uniform(0, 60, 50)
        order = np.argsort(times)
        assert_array_equal(
            curves.survival_at(times)[:, order], curves.survival_at(times[order])
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_many_rows_and_times_are_cut_into_blocks_without_a_seam(self, kind):
        curves = make_curves(kind, n=3000, own=True)
        times = np.linspace(0, 30, 50)
        whole = curves.survival_at(times)
        assert_array_equal(whole[2000:2010], curves[2000:2010].survival_at(times))

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_repeated_time_is_a_drop_to_the_last_value(self, kind):
        curves = SurvivalCurves([0, 4, 4, 8], [[1.0, 0.9, 0.3, 0.1]], kind)
        before, at = curves.survival_at([4 - 1e-9, 4])[0]
        assert before >= 0.9 - 1e-9
        assert at == 0.3

    def test_each_piece_between_drops_is_a_pchip_of_its_own(self):
        left, right = np.array([0.0, 1, 2, 4]), np.array([4.0, 5, 7])
        s_left, s_right = np.array([1, 0.95, 0.7, 0.6]), np.array([0.3, 0.25, 0.1])
        curves = SurvivalCurves(
            np.r_[left, right], [np.r_[s_left, s_right]], interpolation="pchip"
        )
        t1, t2 = np.linspace(0, 3.99, 50), np.linspace(4, 7, 50)
        assert_allclose(curves.survival_at(t1)[0], PchipInterpolator(left, s_left)(t1))
        assert_allclose(
            curves.survival_at(t2)[0], PchipInterpolator(right, s_right)(t2)
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_curve_that_never_drops_stays_at_one(self, kind):
        curves = SurvivalCurves([1, 5], [[1.0, 1.0], [0.5, 0.2]], kind)
        assert_array_equal(curves.survival_at([0, 3, 5, 1e12])[0], 1.0)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_last_time_of_zero_drops_to_zero_at_once(self, kind):
        curves = SurvivalCurves([0], [[0.7], [1.0]], kind)
        assert_array_equal(curves.survival_at([0, 1]), [[0, 0], [1, 1]])

    def test_infinite_nodes_keep_the_last_finite_level(self):
        curves = SurvivalCurves.from_percentile_times(
            [[2, 4, np.inf, np.inf], [1, 2, 3, 4]], [0.8, 0.6, 0.4, 0.2]
        )
        assert_allclose(curves.survival_at([3, 4, 5, 1e300])[0], [0.7, 0.6, 0.6, 0.6])


class TestAreas:
    def test_means_by_hand(self):
        # Linear: 2*0.9 + 4*0.6 + tail 4*0.4/2; step: 2*1 + 4*0.8 + the same tail.
        nodes = [2, 6], [[0.8, 0.4]]
        assert_allclose(SurvivalCurves(*nodes).mean(), [1.8 + 2.4 + 0.8])
        assert_allclose(SurvivalCurves(*nodes, "step").mean(), [2 + 3.2 + 0.8])

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    def test_mean_equals_numeric_integration(self, kind, own):
        curves = make_curves(kind, n=4, k=6, own=own)
        for curve in curves:
            last, s_last = curve.times[..., -1].item(), curve.survival[0, -1]
            stop = last / (1 - s_last)
            # Integrate segment by segment: quad dislikes corners.
            knots = np.r_[np.ravel(curve.times), stop]
            area = sum(
                quad(lambda t, c=curve: c.survival_at(t)[0, 0], a, b, epsrel=1e-10)[0]
                for a, b in zip(knots[:-1], np.nextafter(knots[1:], 0), strict=True)
            )
            assert_allclose(curve.mean(), [area], rtol=1e-8)

    @pytest.mark.parametrize("kind", KINDS)
    def test_restricted_mean_equals_a_dense_sum(self, kind):
        curves = make_curves(kind, n=20, own=True)
        tau = np.random.default_rng(3).uniform(0, 40, 20)
        u = (np.arange(200_000) + 0.5) / 200_000
        for curve, stop, area in zip(
            curves, tau, curves.restricted_mean(tau), strict=True
        ):
            dense = curve.survival_at(u * stop).mean() * stop
            assert_allclose(area, dense, rtol=2e-5)

    @pytest.mark.parametrize("kind", KINDS)
    def test_restricted_mean_far_out_is_the_mean(self, kind):
        curves = make_curves(kind)
        assert_allclose(curves.restricted_mean(1e6), curves.mean(), rtol=1e-12)

    @pytest.mark.parametrize("kind", KINDS)
    def test_edges(self, kind):
        curves = SurvivalCurves([0, 5], [[1, 1], [0.5, 0.5], [0, 0]], kind)
        assert_allclose(curves.restricted_mean(0), 0)
        assert curves.mean()[0] == np.inf
        assert curves.mean()[2] == 0
        assert_allclose(curves.restricted_mean([8, 2, 3]), [8, 1, 0])

    def test_means_with_infinite_nodes(self):
        curves = SurvivalCurves.from_percentile_times(
            [[2, np.inf, np.inf], [np.inf] * 3, [0, 0, 0]], [0.8, 0.6, 0.4]
        )
        assert_array_equal(curves.mean(), [np.inf, np.inf, 0])
        assert_allclose(curves.restricted_mean(5), [1.8 + 3 * 0.8, 5, 0])


class TestSurvivalBefore:
    @staticmethod
    def before(curves, time):
        nodes, time = curves._nodes, np.asarray(time, dtype=float)
        return survival_before(nodes, time, index_before(nodes, time))

    def test_steps_by_hand(self):
        curves = SurvivalCurves([2, 6], [[0.8, 0.4]] * 6, "step")
        found = self.before(curves, [1, 2, 2.1, 6, 8, 10])
        assert_allclose(found, [1, 1, 0.8, 0.8, 0.2, 0], atol=1e-15)

    def test_a_vertical_drop_of_a_linear_curve(self):
        curves = SurvivalCurves([2, 2, 4], [[0.8, 0.4, 0.0]] * 3)
        assert_allclose(self.before(curves, [1, 2, 3]), [0.9, 0.8, 0.2])

    @pytest.mark.parametrize("own", [False, True])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_where_a_curve_is_continuous_it_is_its_value(self, own, dtype):
        curves = make_curves(own=own)
        curves = SurvivalCurves(curves.times, curves.survival.astype(dtype))
        time = np.random.default_rng(1).uniform(0.1, 60, len(curves))
        assert_allclose(
            self.before(curves, time), curves.survival_at_observed(time), atol=1e-14
        )

    @pytest.mark.parametrize("own", [False, True])
    def test_at_a_step_it_is_the_value_just_before(self, own):
        curves = make_curves("step", own=own)
        times = np.broadcast_to(curves.times, curves.survival.shape)
        for column in (1, 7, curves.survival.shape[1] - 1):
            before = self.before(curves, times[:, column])
            assert_array_equal(before, curves.survival[:, column - 1])
