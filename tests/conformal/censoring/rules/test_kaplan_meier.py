"""The law S(t | t > c) as a contribution to F."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import consurv.conformal.quantile.search as quantile
from consurv.conformal.adjustments import shifts
from consurv.conformal.censoring.laws.sampled import SampledLaw
from consurv.conformal.censoring.rules.kaplan_meier import KaplanMeierRule
from consurv.conformal.parts.blocks import Block
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome
from tests.conformal.masses import Mass

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")

# S = 4/5 after 2, 3/5 after 3, 3/10 after 5; t_max = 6, t_end = 60/7.
HAND = Outcome(time=[2, 3, 3, 5, 6], event=[1, 1, 0, 1, 0])


def contribution(y, reference=None, q=None, n_samples=None):
    q = np.full((len(y), 1), 10.0) if q is None else np.asarray(q, float)
    block = Block(q, np.array([0.5]), y, reference)
    return KaplanMeierRule(n_samples).contribution(block, np.random.default_rng(0))


def random_outcome(n, seed, *, whole):
    rng = np.random.default_rng(seed)
    # Multiples of 2⁻²⁰: sums and differences of times are exact.
    time = (
        rng.integers(1, 12, n) if whole else np.ceil(rng.exponential(2**22, n)) / 2**20
    )
    event = rng.random(n) < 0.5
    event[0] = True
    return Outcome(time, event)


class TestContribution:
    def test_events_are_points_and_censored_subjects_laws(self):
        found = contribution(HAND)
        assert_array_equal(found.point_rows, [0, 1, 3])
        assert_array_equal(found.point_times, [2, 3, 5])
        assert sorted(found.law_rows.tolist()) == [2, 4]
        assert found.n_subjects == 5

    def test_past_the_end_a_censored_subject_is_a_point(self):
        km = KaplanMeier(HAND)
        y = Outcome([60 / 7, 9, 8, 1], [0, 0, 0, 1])
        found = contribution(y, km)
        assert sorted(found.point_rows.tolist()) == [0, 1, 3]
        assert sorted(found.point_times.tolist()) == [1, 60 / 7, 9]
        assert_array_equal(found.law_rows, [2])

    def test_where_the_curve_is_zero_a_censored_subject_is_a_point(self):
        km = KaplanMeier(Outcome([2, 4], [1, 1]))
        found = contribution(Outcome([3, 4], [0, 0]), km)
        assert_array_equal(found.point_rows, [1])
        assert_array_equal(found.point_times, [4])

    def test_without_censoring_there_is_no_law(self):
        found = contribution(Outcome([2, 3], [1, 1]))
        assert found.law is None
        assert found.n_subjects == 2

    def test_samples_replace_the_law(self):
        found = contribution(HAND, n_samples=7)
        assert isinstance(found.law, SampledLaw)
        assert found.law.times.shape == (2, 7)
        assert (found.law.times > HAND.time[found.law_rows][:, None]).all()


class TestMass:
    def test_by_hand(self):
        # Censored at 3, alive 3/5, q = 10. P(T ≥ x | T > 3): 1 up to x = 5, then 1/2
        # up to 6, then falling to 0 at 60/7 along 1/2·(60/7 − x)/(60/7 − 6).
        found = contribution(HAND[[2]], KaplanMeier(HAND))
        mass = Mass(found.law, np.array([10.0]))
        places = [10, 7, 5, 4.9, 4, 10 - 51 / 7, 10 - 60 / 7, 0]
        masses = [mass.mass(s) for s in places]
        assert_allclose(masses, [1, 1, 1, 0.5, 0.5, 0.25, 0, 0], atol=1e-15)

    def test_in_the_tail_it_is_even_from_the_censoring_time_on(self):
        # Censored at 7: even over (7, 60/7).
        found = contribution(Outcome([7], [0]), KaplanMeier(HAND))
        mass = Mass(found.law, np.array([10.0]))
        middle = (7 + 60 / 7) / 2
        masses = [mass.mass(10 - t) for t in (6.5, 7, middle, 60 / 7)]
        assert_allclose(masses, [1, 1, 0.5, 0], atol=1e-15)

    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize("seed", range(5))
    def test_pieces_add_up_to_the_mass_everywhere(self, seed, whole):
        y = random_outcome(40, seed, whole=whole)
        rng = np.random.default_rng(seed)
        found = contribution(y, KaplanMeier(random_outcome(30, seed + 50, whole=whole)))
        mass = Mass(found.law, rng.exponential(6, len(found.law_rows)))
        lo, hi = -2.03, 3.04
        pieces = mass.pieces(lo, hi)
        assert mass.n_pieces(lo, hi) >= len(pieces.position)
        for s in rng.uniform(lo, hi, 50):
            passed = pieces.position <= s
            there = (
                mass.mass(lo)
                + pieces.jump[passed].sum()
                + pieces.base_slope * (s - lo)
                + (pieces.slope[passed] * (s - pieces.position[passed])).sum()
            )
            assert there == pytest.approx(mass.mass(s), abs=1e-12)

    def test_grows_from_none_to_all(self):
        y = random_outcome(40, 3, whole=False)
        found = contribution(y)
        q = np.random.default_rng(3).exponential(6, len(found.law_rows))
        mass = Mass(found.law, q)
        values = [mass.mass(s) for s in np.linspace(-100, 100, 200)]
        assert (np.diff(values) >= 0).all()
        assert (values[0], values[-1]) == (0, mass.n)

    def test_the_sketch_resembles_the_mass(self):
        y = random_outcome(2000, 4, whole=False)
        found = contribution(y)
        mass = Mass(
            found.law, np.random.default_rng(4).exponential(6, len(found.law_rows))
        )
        sketch = mass.sketch(8)
        assert sketch.size == 8 * mass.n
        for s in (-5.0, 0.0, 3.0):
            share = np.mean(sketch <= s)
            assert share == pytest.approx(mass.mass(s) / mass.n, abs=0.01)
            assert mass.coarse_mass(s) == pytest.approx(mass.mass(s), rel=0.01)

    def test_some_of_the_subjects(self):
        found = contribution(random_outcome(30, 5, whole=True))
        n = len(found.law_rows)
        kept = np.arange(n) % 2 == 0
        q = np.linspace(3, 12, n)
        whole, first, second = (
            Mass(law, part).mass(1.5)
            for law, part in (
                (found.law, q),
                (found.law.select(kept), q[kept]),
                (found.law.select(~kept), q[~kept]),
            )
        )
        assert first + second == pytest.approx(whole, rel=1e-14)


class TestRedistribution:
    """With one common curve F is Kaplan–Meier itself (Efron 1967)."""

    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.parametrize("seed", range(10))
    def test_f_is_kaplan_meier_before_q_minus_s(self, seed, whole):
        y = random_outcome(30 + 20 * seed, seed, whole=whole)
        km, q = KaplanMeier(y), 20.0
        found = contribution(y, q=np.full((len(y), 1), q))
        mass = Mass(found.law, np.full(len(found.law_rows), q))
        # Event times, the places just after, in between, and the tail.
        x = np.concatenate([km.times, np.linspace(0.01, 1.1 * km.t_end, 60)])
        for s in q - x:
            points = np.count_nonzero(q - found.point_times <= s)
            f = (points + mass.mass(s)) / len(y)
            assert f == pytest.approx(float(km.survival_before(q - s)), abs=2e-15)

    @pytest.mark.parametrize("few", [0, 1 << 20])
    @pytest.mark.parametrize("seed", range(5))
    def test_so_the_adjusted_time_is_that_of_kaplan_meier(self, seed, few, monkeypatch):
        # b is the smallest s with S((q − s)⁻) ≥ k/N, so q − b is the largest time
        # that still is reached with that probability.
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        y = random_outcome(59, seed, whole=False)
        km = KaplanMeier(y)
        levels = np.arange(1, 20) / 20
        shifts = conformal_shifts(np.full((59, 19), 20.0), levels, y)
        adjusted = 20.0 - shifts
        assert (km.survival_before(adjusted) >= levels * 60 / 59 - 1e-9).all()
        later = adjusted + 1e-9
        assert (km.survival_before(later) < levels * 60 / 59 + 1e-12).all()
