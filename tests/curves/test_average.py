"""The mean curve against the mean of the curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consurv.curves._falls import Falls
from consurv.curves.average import mean_survival
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput

INTERPOLATIONS = ("linear", "step", "pchip")


def plainly(curves, times):
    return curves.survival_at(times).mean(axis=0)


def random_curves(rng, n, k, *, shared=False, interpolation="linear"):
    """Curves with vertical drops, flat stretches, some that never drop or reach 0."""
    times = np.sort(rng.integers(0, 3 * k, size=k if shared else (n, k)), axis=-1) / 2.0
    survival = -np.sort(-rng.integers(0, 6, size=(n, k)), axis=1) / 5
    return SurvivalCurves(times, survival, interpolation)


def as_own(curves):
    """The same curves with the grid written out for each subject."""
    times = np.tile(curves.times, (len(curves), 1))
    return SurvivalCurves(times, curves.survival, curves.interpolation)


class TestAgreesWithPlainEvaluation:
    @pytest.mark.parametrize("interpolation", INTERPOLATIONS)
    @pytest.mark.parametrize("shared", [True, False])
    @settings(max_examples=60)
    @given(
        seed=st.integers(0, 2**32 - 1),
        n=st.integers(1, 12),
        k=st.integers(1, 6),
        m=st.integers(1, 70),
    )
    def test_at_any_times(self, interpolation, shared, seed, n, k, m):
        rng = np.random.default_rng(seed)
        curves = random_curves(rng, n, k, shared=shared, interpolation=interpolation)
        # Half of the times meet nodes; some lie far past the last one.
        times = np.concatenate(
            [rng.integers(0, 5 * k, m) / 2, rng.exponential(2 * k, m), [0.0]]
        )
        np.testing.assert_allclose(
            mean_survival(curves, times), plainly(curves, times), rtol=0, atol=1e-14
        )

    @pytest.mark.parametrize("interpolation", INTERPOLATIONS)
    def test_shared_and_own_grids_give_the_same(self, interpolation):
        rng = np.random.default_rng(0)
        times = np.sort(rng.exponential(5, 30))
        survival = -np.sort(-rng.random((400, 30)), axis=1)
        shared = SurvivalCurves(times, survival, interpolation)
        when = rng.exponential(8, 3000)
        np.testing.assert_allclose(
            mean_survival(shared, when),
            mean_survival(as_own(shared), when),
            rtol=0,
            atol=1e-12,
        )

    def test_carried_rates_of_conditional_pchip_curves_are_used(self):
        rng = np.random.default_rng(1)
        survival = -np.sort(-rng.random((20, 5)), axis=1)
        curves = SurvivalCurves(np.arange(1.0, 6), survival, "pchip")
        given_survival = curves.conditional_on(rng.uniform(0, 6, 20))
        when = np.linspace(0, 12, 500)
        np.testing.assert_allclose(
            mean_survival(given_survival, when),
            plainly(given_survival, when),
            rtol=0,
            atol=1e-14,
        )

    def test_percentile_times_that_are_never_reached(self):
        rng = np.random.default_rng(2)
        q = np.sort(rng.exponential(3, (50, 4)), axis=1)
        q[rng.random(50) < 0.3, 2:] = np.inf
        q[0] = np.inf
        curves = SurvivalCurves.from_percentile_times(q, [0.8, 0.6, 0.4, 0.2])
        when = np.linspace(0, 40, 300)
        np.testing.assert_allclose(
            mean_survival(curves, when), plainly(curves, when), rtol=0, atol=1e-14
        )

    def test_rows_that_drop_to_zero_at_once_and_rows_that_never_drop(self):
        times = [[0.0, 0.0], [1.0, 2.0]]
        curves = SurvivalCurves(times, [[0.5, 0.5], [1.0, 1.0]])
        when = np.linspace(0, 5, 50)
        np.testing.assert_array_equal(mean_survival(curves, when), np.full(50, 0.5))
        shared = SurvivalCurves([0.0], [[0.5], [1.0], [0.0]])
        np.testing.assert_allclose(mean_survival(shared, when), 1 / 3, rtol=1e-15)

    def test_single_precision_is_averaged_in_double(self):
        survival = np.full((3000, 1), 0.1, dtype=np.float32)
        mean = mean_survival(SurvivalCurves([1.0], survival), [1.0])
        assert mean.dtype == np.float64
        assert mean[0] == pytest.approx(float(np.float32(0.1)), abs=1e-15)

    def test_many_times_pass_through_several_chunks(self):
        rng = np.random.default_rng(3)
        curves = random_curves(rng, 30, 4, interpolation="pchip")
        when = rng.uniform(0, 10, 2500)
        np.testing.assert_allclose(
            mean_survival(curves, when), plainly(curves, when), rtol=0, atol=1e-14
        )


class TestRounding:
    def test_steep_segments_leave_nothing_behind(self):
        # Falls within 1e-9 of a time, each with dozens of times inside, followed by
        # a long stretch: slopes of 1e9 that are added and removed would be seen.
        rng = np.random.default_rng(4)
        at = rng.uniform(1, 2, 40)
        steep = np.column_stack([at, at + 1e-9])
        curves = SurvivalCurves(
            np.hstack([steep, np.full((40, 1), 1e6)]),
            np.tile([1.0, 0.5, 0.25], (40, 1)),
        )
        inside = (at[:, None] + np.linspace(0, 1e-9, 30)).ravel()
        when = np.concatenate([inside, np.geomspace(2.1, 1e6, 500)])
        np.testing.assert_allclose(
            mean_survival(curves, when), plainly(curves, when), rtol=0, atol=1e-13
        )

    def test_another_unit_by_a_power_of_two_changes_no_bit(self):
        rng = np.random.default_rng(5)
        times = np.sort(rng.exponential(5, (60, 7)), axis=1)
        survival = -np.sort(-rng.random((60, 7)), axis=1)
        when = rng.exponential(8, 400)
        for unit in (2.0**30, 2.0**-30):
            for rows in (times, times[0]):
                np.testing.assert_array_equal(
                    mean_survival(SurvivalCurves(rows, survival), when),
                    mean_survival(SurvivalCurves(rows * unit, survival), when * unit),
                )

    def test_a_hundred_thousand_subjects(self):
        rng = np.random.default_rng(6)
        n, levels = 100_000, np.arange(19, 0, -1) / 20
        q = np.sort(rng.exponential(1, (n, 19)), axis=1) * rng.exponential(9, (n, 1))
        curves = SurvivalCurves.from_percentile_times(q, levels)
        when = np.sort(rng.exponential(9, n))
        some = rng.integers(0, n, 60)
        mean = mean_survival(curves, when)
        np.testing.assert_allclose(
            mean[some], mean_survival(curves, when[some]), rtol=0, atol=1e-12
        )
        assert (np.diff(mean) <= 1e-13).all()


class TestFalls:
    @pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 9, 16, 17, 33])
    def test_every_run_of_times_is_cut_right(self, m):
        times = np.cumsum(np.random.default_rng(m).exponential(1, m))
        edges = np.concatenate([[0.0], (times[1:] + times[:-1]) / 2, [times[-1] + 1]])
        for a in range(m + 1):
            for b in range(a, m + 1):
                falls = Falls(times)
                start, stop = edges[[a]], edges[[b]]
                falls.add(
                    start,
                    stop,
                    np.array([0.5]),
                    falls.position(start),
                    falls.position(stop),
                )
                expected = (
                    np.clip((times - start) / (stop - start), 0, 1)
                    if b > a
                    else (times >= start) * 1.0
                )
                np.testing.assert_allclose(falls.total(), 0.5 * expected, atol=1e-15)


class TestBadInput:
    def test_no_curves(self):
        with pytest.raises(InvalidInput, match="no mean of no subjects"):
            mean_survival(SurvivalCurves([1.0], [[0.5]])[[]], [1.0])

    def test_negative_times(self):
        with pytest.raises(InvalidInput, match="negative"):
            mean_survival(SurvivalCurves([1.0], [[0.5]]), [-1.0])

    def test_no_times_give_no_values(self):
        assert mean_survival(SurvivalCurves([1.0], [[0.5]]), []).shape == (0,)
        own = SurvivalCurves([[1.0]], [[0.5]])
        assert mean_survival(own, []).shape == (0,)
