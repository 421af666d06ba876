"""The monotone cubic: rates against SciPy, roots against a bracketing solver."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from consurv.curves.pchip import Cubic, fall_rates


class TestFallRates:
    @pytest.mark.parametrize("k", [2, 3, 4, 20])
    @pytest.mark.parametrize("own", [False, True])
    def test_equal_the_slopes_of_scipy(self, k, own):
        rng = np.random.default_rng(k)
        times = np.cumsum(rng.uniform(0.01, 3, (30, k) if own else (k,)), axis=-1)
        survival = np.sort(rng.integers(0, 9, (30, k)) / 8, axis=1)[:, ::-1]
        rates = fall_rates(times, survival)
        grid = np.broadcast_to(times, survival.shape)
        for row in range(30):
            wanted = PchipInterpolator(grid[row], survival[row]).derivative()(grid[row])
            assert_allclose(rates[row], -wanted, rtol=1e-10, atol=1e-13)

    def test_pieces_of_one_segment_are_straight(self):
        times = np.array([0.0, 2, 2, 4, 4, 4])
        rates = fall_rates(times, np.array([[1.0, 0.8, 0.5, 0.4, 0.2, 0.1]]))
        assert_allclose(rates, [[0.1, 0.1, 0.05, 0.05, 0, 0]])

    def test_a_fall_of_next_to_nothing_beside_none(self):
        """A Weibull curve far out in its tail."""
        times = np.array([0.0, 1.0, 1.1, 1.2, 1.3])
        survival = np.array([[1.0, 8.4e-323, 4.9e-324, 0.0, 0.0]])
        rates = fall_rates(times, survival)
        assert np.isfinite(rates).all()
        assert_array_equal(rates[0, 2:], 0)

    def test_one_node_has_no_slope(self):
        assert_array_equal(fall_rates(np.array([0.0]), np.ones((2, 1))), [[0], [0]])


class TestCubic:
    def make(self, n=300):
        rng = np.random.default_rng(0)
        whole = rng.uniform(0, 1, n) ** 6 + 1e-12
        # Below 3 times the mean slope at both ends the cubic falls strictly.
        left, right = whole * rng.choice([0, 0.1, 1, 2, 2.9], (2, n))
        return Cubic(whole, left, right)

    def test_solve_equals_a_bracketing_solver(self):
        cubic = self.make()
        share = np.random.default_rng(1).choice([1e-12, 1e-3, 0.3, 0.5, 0.9], 300)
        u = cubic.solve(share * cubic.whole)
        for i in range(300):
            one = Cubic(*(part[i] for part in cubic))
            target = share[i] * one.whole
            root = brentq(lambda x, c=one, y=target: c.fall(x) - y, 0, 1)
            # Where the cubic is flat the root itself is uncertain, not the fall.
            assert_allclose(one.fall(u[i]), target, rtol=1e-14)
            assert_allclose(u[i], root, rtol=1e-6, atol=1e-9)

    def test_no_fall_is_at_the_left_node(self):
        cubic = self.make(5)
        assert_array_equal(cubic.solve(np.zeros(5)), 0)

    def test_mean_fall_is_the_mean_of_the_fall(self):
        cubic = self.make(5)
        for u in (0.3, 1.0):
            points = (np.arange(20_000)[:, None] + 0.5) / 20_000 * u
            assert_allclose(cubic.mean_fall(u), cubic.fall(points).mean(axis=0), 1e-7)
