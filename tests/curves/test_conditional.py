"""Curves given survival so far, against the quotient of the original curves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.curves.curves import SurvivalCurves

KINDS = ["linear", "step", "pchip"]


def make_curves(kind="linear", n=40, k=15, own=False, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n, k) if own else (k,)
    times = np.cumsum(rng.uniform(0.1, 2.0, shape), axis=-1)
    survival = np.sort(rng.uniform(0.05, 0.99, (n, k)), axis=1)[:, ::-1]
    return SurvivalCurves(times, survival, kind)


class TestConditionalOn:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("own", [False, True])
    def test_equals_the_quotient_everywhere(self, kind, own):
        curves = make_curves(kind, own=own)
        c = np.random.default_rng(4).uniform(0, 30, len(curves))
        c[:3] = 0.0
        c[3:6] = np.broadcast_to(curves.times, curves.survival.shape)[3:6, 4]
        given, past = curves.survival_at_observed(c), curves.conditional_on(c)
        for t in np.linspace(0, 50, 301):
            with np.errstate(invalid="ignore", divide="ignore"):
                quotient = np.minimum(1, curves.survival_at(t)[:, 0] / given)
            wanted = np.where(given > 0, quotient, (t < c).astype(float))
            wanted = np.where((t <= c) & (given > 0), 1.0, wanted)
            assert_allclose(past.survival_at(t)[:, 0], wanted, rtol=1e-10, atol=1e-13)

    @pytest.mark.parametrize("kind", KINDS)
    def test_mean_is_the_area_beyond_divided_by_survival(self, kind):
        curves = make_curves(kind)
        c = np.linspace(0.2, 0.9, len(curves)) * curves.percentile_times([0.1])[:, 0]
        rest = curves.mean() - curves.restricted_mean(c)
        wanted = c + rest / curves.survival_at_observed(c)
        assert_allclose(curves.conditional_on(c).mean(), wanted, rtol=1e-9)

    @pytest.mark.parametrize("kind", KINDS)
    def test_percentile_times_are_those_of_lower_levels(self, kind):
        curve = make_curves(kind, n=1)
        given = curve.survival_at(3.3)[0, 0]
        levels = np.array([0.9, 0.5, 0.1])
        assert_allclose(
            curve.conditional_on(3.3).percentile_times(levels),
            curve.percentile_times(levels * given),
            rtol=1e-10,
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_conditioning_twice_is_conditioning_on_the_later(self, kind):
        curves = make_curves(kind)
        times = np.linspace(0, 40, 200)
        assert_allclose(
            curves.conditional_on(2.5).conditional_on(6.1).survival_at(times),
            curves.conditional_on(6.1).survival_at(times),
            atol=1e-12,
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_survivors_gives_a_point_mass(self, kind):
        curves = SurvivalCurves([2, 3, 9], [[0.5, 0.0, 0.0], [0.5, 0.3, 0.2]], kind)
        past = curves.conditional_on([4, 20])  # the second ends at 11.25
        assert_array_equal(past.survival_at([3.9, 4, 9])[0], [1, 0, 0])
        assert_array_equal(past.survival_at([19.9, 20, 21])[1], [1, 0, 0])
        assert_array_equal(past.median(), [4, 20])
        assert_array_equal(past.mean(), [4, 20])

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_curve_that_never_drops_stays_so(self, kind):
        past = SurvivalCurves([2], [[1.0]], kind).conditional_on(7)
        assert_array_equal(past.survival_at([3, 8, 1e9]), [[1, 1, 1]])
        assert past.mean() == past.median() == np.inf

    def test_infinite_nodes_stay_infinite(self):
        curve = SurvivalCurves.from_percentile_times([[2, 6, np.inf]], [0.8, 0.4, 0.2])
        past = curve.conditional_on(4)  # S(4) = 0.6
        assert_allclose(past.survival_at([5, 6, 1e9]), [[5 / 6, 2 / 3, 2 / 3]])
        assert past.percentile_times([0.7])[0, 0] == pytest.approx(5.8)
        assert past.median() == past.mean() == np.inf
