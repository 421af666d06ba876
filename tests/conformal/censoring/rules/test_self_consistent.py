"""The adjusted curve of a censored subject speaks for it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv.conformal.adjustments.adjust import adjust
from consurv.conformal.adjustments.shifts import conformal_shifts, find_shifts
from consurv.conformal.censoring.rules.self_consistent import SelfConsistentRule
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.metrics import d_calibration
from consurv.outcome import Outcome

LEVELS = np.arange(1, 20) / 20
COARSE = np.array([0.8, 0.5, 0.25])


def weibull_set(n, seed, levels=LEVELS):
    """Percentile times of a model that is off, with a third of the outcomes censored.

    The times keep away from 0, so that no row is clipped and hardly any crosses.
    """
    rng = np.random.default_rng(seed)
    scale = np.exp(0.2 * rng.normal(size=n))
    time, limit = 10 * scale * rng.weibull(3, n), 3 + rng.exponential(14, n)
    q = 11 * scale[:, None] * (-np.log(levels)) ** (1 / 2.6)
    return q, Outcome(np.minimum(time, limit), time <= limit)


def shifts_of(q, levels, y):
    return conformal_shifts(q, levels, y, censoring="self-consistent")


def iterate(q, levels, y, shifts, rounds):
    """Impute by the adjusted curves and adjust by what was imputed, again and again."""
    c = y.time[~y.event]
    for _ in range(rounds):
        curves = adjust(q, levels, shifts)[~y.event]
        at_c = curves.survival_at_observed(c)
        ended = at_c == 0  # such a curve puts the event at c
        last, shifts = shifts, np.empty(len(levels))
        for p, level in enumerate(levels):
            events = np.sort(q[y.event, p] - y.time[y.event])
            lo, hi = -15.0, 15.0
            while hi - lo > 1e-10:
                s = (lo + hi) / 2
                x = q[~y.event, p] - s
                reach = curves.survival_at_observed(np.maximum(x, 0))
                reach = np.minimum(reach / np.where(ended, 1, at_c), 1)
                reach[ended | (x <= c)] = 1
                mass = np.searchsorted(events, s, side="right") + reach.sum()
                lo, hi = (lo, s) if mass >= rank(level, len(y)) - 1e-9 else (s, hi)
            shifts[p] = hi
        if np.allclose(shifts, last, rtol=0, atol=1e-9):
            return shifts
    raise AssertionError(f"no fixed point within {rounds} rounds")


class TestFixedPoint:
    @pytest.mark.parametrize("seed", [0, 1])
    def test_iteration_ends_there_whatever_the_start(self, seed):
        q, y = weibull_set(80, seed, COARSE)
        found = shifts_of(q, COARSE, y)
        assert not adjust(q, COARSE, found).n_rearranged
        for start in (np.zeros(3), np.array([1.0, -3.0, 2.0])):
            end = iterate(q, COARSE, y, start, rounds=100)
            assert_allclose(end, found, rtol=0, atol=1e-7)

    @pytest.mark.parametrize("n", [150, 300, 3000])
    @pytest.mark.parametrize("seed", range(3))
    def test_d_calibration_of_the_set_is_as_wanted(self, n, seed):
        levels = np.arange(1, 5) / 5
        q, y = weibull_set(n, seed, levels)
        curves = adjust(q, levels, shifts_of(q, levels, y))
        assert curves.n_rearranged == curves.n_clipped == 0
        count = d_calibration(y, curves, n_bins=5).cumulative * n
        k = np.array([rank(level, n) for level in levels])
        assert (count > k - 1e-6).all()
        assert (count < k + 1).all()

    def test_a_level_does_not_depend_on_lower_ones(self):
        q, y = weibull_set(200, 1)
        whole = shifts_of(q, LEVELS, y)
        assert_array_equal(shifts_of(q[:, 9:], LEVELS[9:], y), whole[9:])

    def test_levels_may_come_in_any_order(self):
        q, y = weibull_set(300, 2)
        order = np.random.default_rng(0).permutation(len(LEVELS))
        mixed = shifts_of(q[:, order], LEVELS[order], y)
        assert_array_equal(mixed, shifts_of(q, LEVELS, y)[order])


class TestByHand:
    # One level, four subjects: k = ⌈0.5·5⌉ = 3.
    def test_one_censored_subject(self):
        # Scores of the events: 0, 1, 6. The censored one, c = 2 and q = 4, counts
        # 0.5 / (1 − 0.5·2/(4 − s)) = (4 − s)/(6 − 2s)... at most 1, from s = 2 on.
        q, y = [[4.0], [5.0], [8.0], [4.0]], Outcome([4, 4, 2, 2], [1, 1, 1, 0])
        # N·F is 2 + (4 − s)·0.5/(4 − s − 1) at s in [1, 2): 3 at s = 2.
        assert_allclose(shifts_of(q, [0.5], y), [2.0], rtol=1e-8)

    def test_at_a_jump_it_is_the_score_of_the_event(self):
        q, y = [[4.1], [5.3], [8.7], [4.0]], Outcome([4, 4, 2, 3.9], [1, 1, 1, 0])
        # The censored one counts 1 from s = 0.1 on, so the third comes at 5.3 − 4.
        assert shifts_of(q, [0.5], y)[0] == 5.3 - 4

    def test_without_censoring_it_is_the_plain_quantile(self):
        q, y = weibull_set(99, 3)
        seen = Outcome(y.time, np.ones(99))
        plain = conformal_shifts(q, LEVELS, seen, censoring="uncensored")
        assert_array_equal(shifts_of(q, LEVELS, seen), plain)


class TestSumsOverBlocks:
    @pytest.mark.parametrize("whole", [False, True])
    def test_split_and_order_do_not_matter(self, whole):
        q, y = weibull_set(400, 4)
        if whole:
            q, y = np.ceil(q), Outcome(np.ceil(y.time), y.event)
        rng = np.random.default_rng(1)
        owner = rng.integers(0, 3, 400)
        blocks = [Block(q[owner == i], LEVELS, y[owner == i]) for i in (2, 0, 1)]
        apart = find_shifts(blocks, SelfConsistentRule(), rng).shifts
        assert_allclose(apart, shifts_of(q, LEVELS, y), rtol=1e-7, atol=1e-7)


class TestOddInput:
    def test_a_power_of_two_is_only_a_unit(self):
        q, y = weibull_set(300, 5)
        scaled = Outcome(y.time * 2.0**30, y.event)
        wanted = shifts_of(q, LEVELS, y) * 2.0**30
        assert_array_equal(shifts_of(q * 2.0**30, LEVELS, scaled), wanted)

    def test_rows_that_cross_and_negative_times(self):
        rng = np.random.default_rng(6)
        q, y = weibull_set(300, 6)
        shifts = shifts_of(q + rng.normal(0, 4, q.shape), LEVELS, y)
        assert np.isfinite(shifts).all()

    @pytest.mark.parametrize("rule", ["self-consistent", "local", "auto"])
    @pytest.mark.parametrize("huge", [1e18, 1e250])
    def test_curves_that_hardly_drop_disturb_nobody(self, rule, huge):
        q, y = weibull_set(600, 9)
        q, levels = q[:, 6:], LEVELS[6:]
        q[:20] *= 1e12
        wanted = conformal_shifts(q, levels, y, censoring=rule)
        q[:20] *= huge / 1e12
        found = conformal_shifts(q, levels, y, censoring=rule)
        assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)

    def test_infinite_rows_do_not_count(self):
        q, y = weibull_set(300, 7)
        wanted = shifts_of(q[10:], LEVELS, y[10:])
        q[:10] = np.inf
        with pytest.warns(CalibrationWarning, match="10 subjects have infinite"):
            found = shifts_of(q, LEVELS, y)
        assert_allclose(found, wanted, rtol=1e-9)

    def test_heavy_ties(self):
        q, y = weibull_set(500, 8)
        y = Outcome(np.ceil(y.time / 4), y.event)
        result = shifts_of(np.ceil(q / 4), LEVELS, y)
        assert np.isfinite(result).all()

    def test_all_at_one_time(self):
        y = Outcome(np.full(10, 3.0), [1] * 5 + [0] * 5)
        with pytest.warns(CalibrationWarning, match="too few"):
            found = shifts_of(np.full((10, 1), 4.0), [0.95], y)
        assert_allclose(found, [1.0])

    def test_no_event_is_an_error(self):
        y = Outcome([1, 2, 3], [0, 0, 0])
        with pytest.raises(InvalidInput, match="no event"):
            shifts_of([[1.0], [2.0], [3.0]], [0.5], y)
