"""Laws given by draws, as the paper has them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import consurv.conformal.censoring.laws.sampled as sampled
import consurv.conformal.quantile.search as quantile
from consurv.conformal.adjustments import shifts
from consurv.conformal.censoring.laws.sampled import SampledLaw
from consurv.conformal.censoring.rules.kaplan_meier import KaplanMeierRule
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome
from tests.conformal.masses import Mass

# The rule that these tests are about; others are named where they are meant.
conformal_shifts = partial(shifts.conformal_shifts, censoring="kaplan-meier")


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    return rng.exponential(5, 30), rng.exponential(5, (30, 12))


class TestMass:
    def test_counts_scores_up_to_s(self, case):
        q, times = case
        mass = Mass(SampledLaw(times), q)
        scores = q[:, None] - times
        for s in (-4.0, 0.0, float(scores[3, 4])):
            assert mass.mass(s) == pytest.approx(np.mean(scores <= s) * 30, rel=1e-14)
            assert mass.coarse_mass(s) == mass.mass(s)

    def test_pieces_are_the_scores_in_the_interval(self, case):
        q, times = case
        mass = Mass(SampledLaw(times), q)
        scores = (q[:, None] - times).ravel()
        pieces = mass.pieces(-1.0, 2.0)
        inside = scores[(scores > -1) & (scores <= 2)]
        assert_array_equal(np.sort(pieces.position), np.sort(inside))
        assert_array_equal(pieces.jump, np.full(inside.size, 1 / 12))
        assert mass.mass(-1.0) == pytest.approx(np.count_nonzero(scores <= -1) / 12)
        assert mass.n_pieces(-1.0, 2.0) == inside.size
        assert mass.n_pieces(-np.inf, np.inf) == 360

    def test_the_lower_end_of_an_interval_is_out_and_the_upper_one_in(self):
        # Scores 1, 2, 2, 3.
        mass = Mass(
            SampledLaw(np.array([[4.0, 3.0], [3.0, 2.0]])), np.array([5.0, 5.0])
        )
        pieces = mass.pieces(1.0, 2.0)
        assert_array_equal(pieces.position, [2, 2])
        assert mass.mass(1.0) == 0.5
        assert mass.n_pieces(1.0, 2.0) == 2

    def test_memory_blocks_do_not_change_it(self, case, monkeypatch):
        q, times = case
        mass = Mass(SampledLaw(times), q)
        whole = mass.mass(0.5), np.sort(mass.pieces(-1.0, 1.0).position)
        monkeypatch.setattr(sampled, "_BLOCK", 25)
        assert mass.mass(0.5) == whole[0]
        assert_array_equal(np.sort(mass.pieces(-1.0, 1.0).position), whole[1])

    @pytest.mark.parametrize("size", [1, 5, 12, 30])
    def test_a_sketch_holds_size_scores_of_each_subject(self, case, size):
        q, times = case
        sketch = Mass(SampledLaw(times), q).sketch(size)
        assert sketch.size == 30 * size
        assert np.isin(sketch, q[:, None] - times).all()

    def test_some_of_the_subjects(self, case):
        q, times = case
        rows = np.arange(30) < 10
        part = Mass(SampledLaw(times).select(rows), q[rows])
        assert part.n == 10
        assert part.mass(np.inf) == pytest.approx(10)


class TestShifts:
    @pytest.mark.parametrize("few", [0, 1 << 20])
    @pytest.mark.parametrize("n_samples", [1, 3, 50])
    def test_equal_the_weighted_quantile_of_all_scores(
        self, n_samples, few, monkeypatch
    ):
        monkeypatch.setattr(quantile, "FEW_PIECES", few)
        rng = np.random.default_rng(1)
        y = Outcome(rng.integers(1, 20, 60), rng.random(60) < 0.5)
        q = rng.integers(1, 25, (60, 3)).astype(float)
        levels = [0.2, 0.5, 0.9]
        shifts = conformal_shifts(
            q, levels, y, n_samples=n_samples, random_state=np.random.default_rng(2)
        )
        block = Block(q, np.array(levels), y)
        drawn = KaplanMeierRule(n_samples).contribution(block, np.random.default_rng(2))
        points, rows = drawn.point_rows, drawn.law_rows
        for p, level in enumerate(levels):
            scores = np.concatenate(
                [
                    np.repeat(q[points, p] - drawn.point_times, n_samples),
                    (q[rows, p, None] - drawn.law.times).ravel(),
                ]
            )
            # N subjects, R scores of weight 1/R each: rank k·R of N·R.
            assert shifts[p] == np.sort(scores)[rank(level, 60) * n_samples - 1]

    def test_n_counts_subjects_not_draws(self):
        # ⌈0.9·(9 + 1)⌉ = 9 of 9 subjects. With N·R = 9000 the rank would be 8101 and
        # 899 of the 1000 draws at the score 0 would be left above it.
        y = Outcome([5] * 8 + [1], [1] * 8 + [0])
        q = [[3.0]] * 8 + [[5.0]]
        options = {"kaplan_meier": KaplanMeier(Outcome([5, 5], [1, 1]))}
        sampled_shift = conformal_shifts(q, [0.9], y, n_samples=1000, **options)
        assert_array_equal(sampled_shift, [0])
        assert_array_equal(conformal_shifts(q, [0.9], y, **options), [0])

    def test_draws_come_at_event_times_and_not_one_grid_step_early(self):
        # The only event of the curve is at 5. The code of the paper's authors samples
        # from a curve on the grid 1, 2, … and reports the step before, 4: the scores
        # of censored subjects become 3 and the adjusted time 4, where nothing happens.
        km = KaplanMeier(Outcome([5, 5], [1, 1]))
        y = Outcome([2, 2, 5], [0, 0, 1])
        for n_samples in (None, 10):
            shifts = conformal_shifts(
                np.full((3, 1), 7.0), [0.5], y, n_samples=n_samples, kaplan_meier=km
            )
            assert_array_equal(shifts, [2])

    def test_many_draws_agree_with_the_exact_law(self):
        rng = np.random.default_rng(5)
        true, censoring = rng.weibull(1.5, 25) * 10, rng.uniform(0, 14, 25)
        y = Outcome(np.minimum(true, censoring), true <= censoring)
        q = 10 * rng.uniform(0.5, 2, (25, 1)) * (-np.log([0.2, 0.4, 0.6, 0.8])) ** 0.7
        levels = [0.2, 0.4, 0.6, 0.8]
        exact = conformal_shifts(q, levels, y)
        drawn = conformal_shifts(q, levels, y, n_samples=100_000, random_state=6)
        assert_allclose(drawn, exact, atol=0.02)
