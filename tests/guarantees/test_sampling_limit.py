"""The exact shift is the limit of the paper's sampling, R → ∞."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consurv.conformal.adjustments import shifts
from consurv.conformal.quantile.search import rank
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")

LEVELS = np.arange(1, 10) / 10


def make_case(seed, n, *, whole):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(0, 0.4, n))
    true, censoring = 10 * x * rng.weibull(1.5, n), rng.uniform(0, 25, n)
    time = np.minimum(true, censoring)
    q = 11 * x[:, None] * (-np.log(LEVELS)) ** 0.6
    if whole:
        time, q = np.ceil(time), np.round(q)
    return q, Outcome(time, true <= censoring)


def distribution(q, y, s):
    """Return F(s⁻) and F(s) of the exact law, by its definition."""
    km = KaplanMeier(y)
    sides = []
    for before, points in (
        (km.survival_at, q - y.time < s),  # P(T > x)
        (km.survival_before, q - y.time <= s),  # P(T ≥ x)
    ):
        alive = km.survival_at(y.time)
        with np.errstate(divide="ignore", invalid="ignore"):
            law = np.minimum(before(q - s) / alive, 1)
        points = points.astype(float)
        censored = ~y.event & (alive > 0)
        points[censored] = law[censored]
        sides.append(points.mean())
    return sides


class TestContinuousData:
    @pytest.mark.parametrize("seed", range(3))
    def test_a_hundred_thousand_draws_find_the_same_jump(self, seed):
        # F_R differs from F by at most a few √(n/4R)/n. Where k/N lies inside a jump
        # by more than that, the sampled shift is the exact one to the last bit.
        n, n_samples = 30, 100_000
        q, y = make_case(seed, n, whole=False)
        exact = conformal_shifts(q, LEVELS, y)
        drawn = conformal_shifts(q, LEVELS, y, n_samples=n_samples, random_state=seed)
        noise = 5 * np.sqrt(n / 4 / n_samples) / n
        below, at = np.transpose(
            [distribution(q[:, p], y, exact[p]) for p in range(len(LEVELS))]
        )
        wanted = np.array([rank(level, n) for level in LEVELS]) / n
        inside = (below < wanted - noise) & (wanted + noise < at)
        assert inside.sum() >= 4
        assert_array_equal(drawn[inside], exact[inside])

    @pytest.mark.slow
    def test_the_error_falls_as_one_over_the_root_of_r(self):
        # Many subjects and jumps: F is nearly smooth and so is the error.
        q, y = make_case(7, 2000, whole=False)
        exact = conformal_shifts(q, LEVELS, y)
        errors = []
        for n_samples in (10, 100, 1000):
            drawn = [
                conformal_shifts(q, LEVELS, y, n_samples=n_samples, random_state=seed)
                for seed in range(6)
            ]
            errors.append(np.sqrt(np.mean((np.array(drawn) - exact) ** 2)))
        ratios = np.array(errors[:-1]) / errors[1:]
        # √10 = 3.2; 54 errors a size make a ratio known to some 15 %.
        assert (ratios > 2).all()
        assert (ratios < 5).all()
        assert errors[-1] < 0.02


class TestWholeNumbers:
    @pytest.mark.parametrize("seed", range(5))
    def test_k_over_n_lies_in_the_jump_at_the_sampled_shift(self, seed):
        # Ties make F flat for long and its jumps high. What converges is F: k/N ends
        # up between F(b_R⁻) and F(b_R), within the noise of F_R.
        n, n_samples = 60, 20_000
        q, y = make_case(seed, n, whole=True)
        drawn = conformal_shifts(q, LEVELS, y, n_samples=n_samples, random_state=seed)
        noise = 5 * np.sqrt(n / 4 / n_samples) / n
        for p, level in enumerate(LEVELS):
            below, at = distribution(q[:, p], y, drawn[p])
            assert below - noise <= rank(level, n) / n <= at + noise

    def test_where_f_equals_k_over_n_either_end_may_come_up(self):
        # Two subjects censored at 1, events at 4 or 6 with probability 1/2, q = 10:
        # N·F is exactly 1 = k on [4, 6). The exact shift is the left end, draws give
        # 4 or 6 as chance has it, however many there are.
        km = KaplanMeier(Outcome([4, 6], [1, 1]))
        y, q = Outcome([1, 1, 9], [0, 0, 1]), [[10.0], [10.0], [99.0]]
        options = {"kaplan_meier": km}
        assert_array_equal(conformal_shifts(q, [0.25], y, **options), [4])
        drawn = [
            conformal_shifts(
                q, [0.25], y, n_samples=1001, random_state=seed, **options
            )[0]
            for seed in range(40)
        ]
        assert set(drawn) == {4, 6}
        assert 8 <= drawn.count(4) <= 32
