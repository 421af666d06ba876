"""Sums of d(1/G)/S."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import SurvivalCurves
from consurv.weighting.augmentation import Augmentation
from tests.weighting.samples import exponential, steps


def ones(n):
    return SurvivalCurves([1.0], np.ones((n, 1)), "step")


class TestIdentity:
    """With η ≡ 1 every subject counts exactly 1: A(t) = 1/G(t) − 1."""

    @pytest.mark.parametrize("kind", ["step", "own grid", "smooth"])
    def test_increments_telescope(self, kind):
        rng = np.random.default_rng(0)
        n = 30
        g = {
            "step": lambda: steps(rng, n),
            "own grid": lambda: steps(rng, n, shared=False),
            "smooth": lambda: exponential(rng.uniform(1, 9, n), last=20.0),
        }[kind]()
        time = rng.uniform(0.1, 7, n)
        event = rng.random(n) < 0.5
        sums = Augmentation(g, ones(n), time)
        at = 1 / g.survival_at_observed(time) - sums.until(time[:, None])[:, 0]
        before = 1 / g.survival_before_observed(time) - sums.before(time[:, None])[:, 0]
        assert_allclose(np.where(event, before, at), 1.0, rtol=0, atol=1e-12)

    def test_at_the_drops_themselves(self):
        g = steps(np.random.default_rng(1), 6)
        sums = Augmentation(g, ones(6), np.arange(1.0, 7))
        time = np.arange(1.0, 7)
        assert_allclose(
            sums.until(time[:, None])[:, 0], 1 / g.survival_at_observed(time) - 1,
            atol=1e-12,
        )  # fmt: skip
        assert_allclose(
            sums.before(time[:, None])[:, 0], 1 / g.survival_before_observed(time) - 1,
            atol=1e-12,
        )  # fmt: skip

    def test_time_0_has_seen_nothing(self):
        g = steps(np.random.default_rng(1), 3)
        sums = Augmentation(g, ones(3), np.ones(3))
        assert (sums.before(np.zeros((3, 1))) == 0).all()
        assert (sums.until(np.zeros((3, 1))) == 0).all()


class TestSums:
    def test_are_those_over_the_drops(self):
        rng = np.random.default_rng(2)
        g, s = steps(rng, 20), steps(rng, 20)
        time = rng.uniform(0, 6, 20)
        sums = Augmentation(g, s, time).until(time[:, None])[:, 0]
        for i in range(20):
            total = 0.0
            for u in range(1, 7):
                if u <= time[i]:
                    at, before = (
                        f([u] * 20)[i]
                        for f in (g.survival_at_observed, g.survival_before_observed)
                    )
                    total += (1 / at - 1 / before) / s.survival_at_observed([u] * 20)[i]
            assert sums[i] == pytest.approx(total, abs=1e-12)

    def test_of_smooth_curves_come_near_the_integral(self):
        # d(1/G)/S = e^{t/g + t/s}/g dt for exponential laws.
        s, g = exponential([4.0], last=20, k=4000), exponential([3.0], last=20, k=4000)
        time = np.linspace(0.05, 8, 400)
        found = Augmentation(g, s, time).until(np.array([[2.0, 6.0]]))[0]
        rate = 1 / 3 + 1 / 4
        exact = (np.exp(rate * np.array([2.0, 6.0])) - 1) / rate / 3
        assert_allclose(found, exact, rtol=2e-3)

    def test_stop_where_nobody_is_left(self):
        g = SurvivalCurves([1.0, 2.0], [[0.5, 0.0]], "step")
        s = SurvivalCurves([4.0], [[0.0]])
        found = Augmentation(g, s, np.array([3.0])).until(np.array([[1.5, 3.0]]))
        assert np.isfinite(found).all()
        assert found[0, 0] == found[0, 1]
