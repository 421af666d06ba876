"""Weighted conformal quantiles: rows repeated so often, and k = ⌈ρ(W + 1)⌉."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import consurv.conformal.quantile.weighted_search as weighted_search
from consurv import (
    ConformalSurvival,
    DoublyRobust,
    FromEstimator,
    KaplanMeier,
    Outcome,
    SurvivalCurves,
    conformal_shifts,
)
from consurv.conformal.adjustments.shifts import find_shifts
from consurv.conformal.censoring.rules import resolve_rule
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.search import rank
from consurv.errors import InvalidInput

pytestmark = pytest.mark.filterwarnings("ignore::consurv.errors.CalibrationWarning")

LEVELS = np.array([0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95])
RULES = "uncensored", "margin", "kaplan-meier", "auto"


def subjects(seed, n, whole=False, common=False):
    """Return percentile times and outcomes, and weights among 0 … 3."""
    rng = np.random.default_rng(seed)
    scale = np.full(n, 10.0) if common else 10 * np.exp(rng.normal(0, 0.5, n))
    event_time, limit = rng.exponential(scale), rng.exponential(12, n)
    if whole:
        event_time, limit = np.ceil(event_time), np.ceil(limit)
    event = event_time <= limit
    event[:2] = True
    y = Outcome(np.minimum(event_time, limit), event)
    weight = rng.integers(0, 4, n).astype(float)
    weight[:2] = 2
    return -np.log(LEVELS) * scale[:, None], y, weight


def repeated(q, y, weight):
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    return q[rows], y[rows]


def shifts_in_blocks(parts, rule, proportional=False):
    whole = KaplanMeier(Outcome.concatenate([y for _, y in parts]))
    blocks = [
        Block(q, LEVELS, y, whole, member=True, proportional=proportional)
        for q, y in parts
    ]
    return find_shifts(blocks, resolve_rule(rule), np.random.default_rng(0))


class TestWholeNumbers:
    @pytest.mark.parametrize("rule", RULES)
    @given(
        seed=st.integers(0, 1000),
        n=st.integers(4, 120),
        whole=st.booleans(),
        common=st.booleans(),
    )
    @settings(max_examples=40, deadline=None)
    def test_are_repeated_rows(self, rule, seed, n, whole, common):
        q, y, weight = subjects(seed, n, whole, common)
        found = conformal_shifts(q, LEVELS, y, censoring=rule, sample_weight=weight)
        wanted = conformal_shifts(*_given(*repeated(q, y, weight)), censoring=rule)
        assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("whole", [False, True])
    def test_of_many_subjects_are_repeated_rows(self, rule, whole):
        # More points than are listed, and more breakpoints.
        q, y, weight = subjects(7, 20_000, whole)
        found = conformal_shifts(q, LEVELS, y, censoring=rule, sample_weight=weight)
        wanted = conformal_shifts(*_given(*repeated(q, y, weight)), censoring=rule)
        assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)

    @pytest.mark.parametrize("rule", RULES)
    def test_all_that_is_told_is_that_of_repeated_rows(self, rule):
        told = []
        for seed in range(20):
            q, y, weight = subjects(seed, 8)
            some = weight > 0
            found = shifts_in_blocks([(q[some], y.weighted(weight)[some])], rule)
            wanted = shifts_in_blocks([repeated(q, y, weight)], rule)
            assert_array_equal(found.beyond, wanted.beyond)
            assert_array_equal(found.identified, wanted.identified)
            told.append((found.beyond, found.identified))
        # The test sees both answers.
        assert len(np.unique(told)) == 2

    def test_infinite_percentile_times_do_not_count(self):
        q, y, weight = subjects(5, 300)
        q[::7] = np.inf
        q[3::11, 0] = np.inf
        for rule in RULES:
            found = conformal_shifts(q, LEVELS, y, censoring=rule, sample_weight=weight)
            wanted = conformal_shifts(*_given(*repeated(q, y, weight)), censoring=rule)
            assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def _given(q, y):
    return q, LEVELS, y


class TestAnyWeights:
    @pytest.mark.parametrize("seed", range(8))
    def test_the_quantile_is_the_smallest_score_that_reaches_k(self, seed):
        q, y, weight = subjects(seed, 150, whole=seed % 2 == 0)
        weight = weight * 0.37 + 0.01
        found = conformal_shifts(
            q, LEVELS, y, censoring="kaplan-meier", sample_weight=weight
        )
        km = KaplanMeier(y, sample_weight=weight)
        for p, (level, s) in enumerate(zip(LEVELS, found, strict=True)):

            def mass(s, p=p):
                ahead = km.survival_before(np.maximum(q[:, p] - s, 0))
                alive = np.maximum(km.survival_at(y.time), 1e-9)
                law = np.minimum(ahead / alive, 1)
                point = q[:, p] - y.time <= s
                return weight @ np.where(y.event, point, law)

            k = min(rank(level, weight.sum()), weight.sum())
            step = 1e-8 * max(abs(s), 1)
            assert mass(s + step) >= k - 1e-6
            assert mass(s - step) < k

    @pytest.mark.parametrize("rule", RULES)
    @pytest.mark.parametrize("proportional", [False, True])
    def test_split_and_order_do_not_matter(self, rule, proportional):
        q, y, weight = subjects(11, 500)
        y = y.weighted(weight * 0.37 + 0.01)
        order = np.random.default_rng(0).permutation(500)
        cuts = np.split(order, [3, 200])
        whole = shifts_in_blocks([(q, y)], rule, proportional)
        parts = shifts_in_blocks([(q[i], y[i]) for i in cuts], rule, proportional)
        assert_allclose(parts.shifts, whole.shifts, rtol=1e-11, atol=1e-11)

    def test_blocks_without_weights_count_one_each(self):
        q, y, weight = subjects(2, 200)
        both = [(q, y), (q[weight > 0], y.weighted(weight)[weight > 0])]
        ones = [(q, y), repeated(q, y, weight)]
        found, wanted = (shifts_in_blocks(p, "kaplan-meier") for p in (both, ones))
        assert_allclose(found.shifts, wanted.shifts, rtol=1e-10, atol=1e-10)

    def test_more_than_the_weights_gives_the_largest_score(self):
        q = np.full((3, 1), 5.0)
        y = Outcome([1, 2, 3], [1, 1, 1], weight=[0.5, 0.5, 0.5])
        assert rank(0.9, 1.5) > 1.5
        assert_array_equal(conformal_shifts(q, [0.9], y), [4.0])

    def test_many_rounds_are_an_error_and_not_a_hang(self, monkeypatch):
        monkeypatch.setattr(weighted_search, "MAX_ROUNDS", 1)
        q, y, weight = subjects(2, 200)
        with pytest.raises(RuntimeError, match="no quantile after 1 rounds"):
            conformal_shifts(q, LEVELS, y, sample_weight=weight)

    @pytest.mark.parametrize("rule", ["kaplan-meier", "auto"])
    def test_a_few_rounds_suffice(self, rule, monkeypatch):
        seen = []
        search = weighted_search.weighted_quantiles

        def watched(*args):
            seen.append(search(*args).rounds)
            return search(*args)

        monkeypatch.setattr(
            "consurv.conformal.adjustments.shifts.weighted_quantiles", watched
        )
        q, y, weight = subjects(13, 3000)
        conformal_shifts(q, LEVELS, y, censoring=rule, sample_weight=weight)
        assert seen[0] <= 12


class TestModels:
    """Rules with models of their own, by ConformalSurvival."""

    TIMES = np.linspace(0.1, 200, 400)

    def model(self, scale, X):
        survival = np.exp(-self.TIMES / (scale * np.exp(X[:, :1])))
        return SurvivalCurves(self.TIMES, survival)

    def shifts(self, X, y, weight, kind):
        rules = {
            "from-estimator": FromEstimator(partial(self.model, 11)),
            "doubly-robust": DoublyRobust(
                event=partial(self.model, 11), censoring=partial(self.model, 14)
            ),
        }
        model = ConformalSurvival(
            partial(self.model, 20),
            adjustment="time",
            censoring=rules[kind],
            percentiles=9,
        )
        return model.conformalize(X, y, sample_weight=weight).shifts_

    @pytest.mark.parametrize("kind", ["from-estimator", "doubly-robust"])
    def test_whole_weights_are_repeated_rows(self, kind):
        rng = np.random.default_rng(0)
        X = rng.normal(scale=0.4, size=(150, 1))
        event_time, limit = rng.exponential(10 * np.exp(X.T)), rng.exponential(15, 150)
        y = Outcome(np.minimum(event_time, limit)[0], (event_time <= limit)[0])
        weight = rng.integers(0, 4, 150)
        rows = np.repeat(np.arange(150), weight)
        found = self.shifts(X, y, weight, kind)
        assert_allclose(found, self.shifts(X[rows], y[rows], None, kind), rtol=1e-9)
        assert (found != self.shifts(X, y, None, kind)).any()


class TestOnes:
    @pytest.mark.parametrize("rule", RULES)
    def test_change_no_bit(self, rule):
        q, y, _ = subjects(4, 300)
        found = conformal_shifts(
            q, LEVELS, y, censoring=rule, sample_weight=np.ones(300)
        )
        assert_array_equal(found, conformal_shifts(q, LEVELS, y, censoring=rule))


class TestRefusals:
    @pytest.mark.parametrize("rule", ["pseudo-observation", "self-consistent", "local"])
    def test_rules_that_cannot_count_by_weights(self, rule):
        q, y, weight = subjects(4, 50)
        with pytest.raises(InvalidInput, match="takes no sample_weight; choose one of"):
            conformal_shifts(q, LEVELS, y, censoring=rule, sample_weight=weight)

    def test_draws(self):
        q, y, weight = subjects(4, 50)
        with pytest.raises(InvalidInput, match="without n_samples"):
            conformal_shifts(
                q,
                LEVELS,
                y,
                censoring="kaplan-meier",
                n_samples=10,
                sample_weight=weight,
            )

    def test_fewer_than_two_subjects_with_weight(self):
        q, y, _ = subjects(4, 50)
        with pytest.raises(InvalidInput, match="1 subjects count"):
            conformal_shifts(q, LEVELS, y, sample_weight=[5] + [0] * 49)
