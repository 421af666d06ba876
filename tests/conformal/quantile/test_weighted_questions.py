"""What partitions with weights answer: sums that no split moves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from consurv import KaplanMeier, Outcome
from consurv.conformal.censoring.rules import resolve_rule
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.masses import (
    LevelMass,
    below_places,
    in_units,
    to_mass,
)
from consurv.conformal.quantile.questions import ask
from consurv.conformal.quantile.weighted_questions import (
    Places,
    Rise,
    WeightedSketch,
    Within,
)

LEVELS = np.array([0.3, 0.7])
COLUMNS = np.arange(2)


def contributions(cuts, n=400):
    rng = np.random.default_rng(0)
    scale = 10 * np.exp(rng.normal(0, 0.5, n))
    y = Outcome(rng.exponential(scale), rng.random(n) < 0.6, weight=rng.random(n))
    q, km = -np.log(LEVELS) * scale[:, None], KaplanMeier(y)
    rule = resolve_rule("kaplan-meier")
    blocks = [
        Block(q[rows], LEVELS, y[rows], km, member=True)
        for rows in np.split(rng.permutation(n), cuts)
    ]
    return y, [rule.contribution(block, rng) for block in blocks]


class TestPoints:
    MASS = LevelMass(
        np.array([3.0, 1.0, 2.0]),
        events=np.array([True, True, False]),
        weights=np.array([0.5, 2.0, 1.0]),
    )

    def test_few_are_listed_with_their_weights(self):
        found = self.MASS.answer(WeightedSketch(np.array([0]), few=3))
        assert found.listed.all()
        assert_array_equal(found.total, [3.5])
        assert_array_equal(found.weights, [0.5, 2.0, 1.0])
        assert_array_equal(found.events, [True, True, False])

    def test_many_are_told_by_quantiles_of_the_same_weight(self):
        found = self.MASS.answer(WeightedSketch(np.array([0]), few=2))
        assert not found.listed.any()
        assert_array_equal(found.scores, [1.0, 1.0, 2.0])
        assert_allclose(found.weights, 3.5 / 3)

    def test_a_point_counts_from_its_score_on(self):
        places = np.array([[0.0, 1.0, 2.5, 3.0]])
        found = self.MASS.answer(Rise(np.array([0]), places, scale=2.0))
        assert_array_equal(2 * to_mass(found.mass), [[0, 2, 3, 3.5]])
        assert_array_equal(2 * to_mass(found.events), [[0, 2, 2, 2.5]])
        assert_array_equal(found.between, [[1, 1, 1]])

    def test_places_are_the_scores_in_a_bracket(self):
        one = np.array([1.0]), np.array([3.0])
        found = self.MASS.answer(Places(np.array([0]), *one))
        assert_array_equal(found.score, [2.0, 3.0])

    def test_points_of_a_bracket_come_with_weights_and_events(self):
        one = np.array([1.0]), np.array([3.0])
        found = self.MASS.answer(Within(np.array([0]), *one))
        assert_array_equal(found.score, [3.0, 2.0])
        assert_array_equal(found.weight, [0.5, 1.0])
        assert_array_equal(found.event, [True, False])

    def test_sums_up_to_places_are_those_of_units_to_the_last_bit(self):
        rng = np.random.default_rng(0)
        share, place = rng.random(20_000), rng.integers(0, 6, 20_000)
        found = below_places(place, 5, share)
        for j in range(5):
            wanted = in_units(np.where(place <= j, share, 0.0))
            assert_array_equal(found[j], wanted)

    def test_without_weights_each_counts_one(self):
        plain = LevelMass(np.array([3.0, 1.0]))
        found = plain.answer(Rise(np.array([0]), np.array([[0.0, 2.0]]), scale=1.0))
        assert_array_equal(to_mass(found.mass), [[0, 1]])
        assert_array_equal(to_mass(found.events), [[0, 1]])


class TestSplits:
    @pytest.mark.parametrize("cuts", [[], [100], [1, 2, 250]])
    def test_no_bit_of_a_mass_depends_on_them(self, cuts):
        asked = Rise(COLUMNS, np.array([[-9.0, 0.0, 4.0], [-3.0, 0.0, 2.0]]), 1.0)
        wanted = ask(contributions([200])[1], asked)
        found = ask(contributions(cuts)[1], asked)
        assert_array_equal(found.mass, wanted.mass)
        assert_array_equal(found.events, wanted.events)

    def test_sketches_of_parts_add_up(self):
        y, parts = contributions([100])
        found = ask(parts, WeightedSketch(COLUMNS, few=0))
        assert_allclose(found.total, y.weight.sum())
        assert_allclose(found.largest, y.weight.max())
        for level in COLUMNS:
            own = found.weights[found.level == level]
            assert own.sum() == pytest.approx(y.weight.sum())

    def test_a_mass_is_that_of_its_definition(self):
        _, parts = contributions([])
        found = ask(parts, Rise(COLUMNS, np.array([[1.0], [1.0]]), 1.0))
        block, km = parts[0].block, parts[0].block.kaplan_meier
        for level in COLUMNS:
            q, some = block.percentile_times[:, level], block.outcome
            law = km.survival_before(np.maximum(q - 1.0, 0)) / km.survival_at(some.time)
            share = np.where(some.event, q - some.time <= 1.0, np.minimum(law, 1))
            mass = to_mass(found.mass)[level, 0]
            assert mass == pytest.approx(some.weight @ share, rel=1e-12)
