"""Screening with few false discoveries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import Outcome
from consurv.bounds.screening import adjusted, p_values, screened
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, small, world


class TestPValues:
    def test_are_the_formula(self):
        sample = small(1, n=80, ties=False)
        new = small(2, n=20).model
        time, event = sample.outcome.time, sample.outcome.event
        g = sample.censoring.survival_before_observed(np.minimum(time, 3.0))
        weight = np.where(event | (time > 3.0), np.minimum(80, 1 / g), 0.0)
        at = new.survival_at([3.0])[:, 0]
        score = sample.model.survival_at([3.0])[:, 0]
        counted = event & (time <= 3.0)
        for i, p in enumerate(p_values(sample, new, 3.0)):
            above = weight[counted & (score >= at[i])].sum()
            assert p == pytest.approx((1 + above) / (1 + weight.sum()))

    def test_without_censoring_all_count_1(self):
        y = Outcome(np.arange(1.0, 20), np.ones(19))
        sample = Sample(y, exponential(np.full(19, 8.0)))
        assert p_values(sample, sample.model[:1], 4.5)[0] == 5 / 20

    @pytest.mark.slow
    def test_who_dies_has_no_small_value_too_often(self):
        rng = np.random.default_rng(0)
        hits, total = 0, 0
        for _ in range(300):
            x, time, _ = world(120, rng)
            s = exponential(5 * np.exp(x), k=100)
            y = Outcome(time[:100], np.ones(100))
            p = p_values(Sample(y, s[:100]), s[100:], 2.0)
            hits += np.sum((p <= 0.1) & (time[100:] <= 2.0))
            total += 20
        assert hits / total < 0.1 + 3 * np.sqrt(0.09 / total)


class TestAdjusted:
    def test_rejects_whom_benjamini_and_hochberg_reject(self):
        rng = np.random.default_rng(0)
        for _ in range(30):
            p = rng.random(15) ** 3
            order = np.sort(p)
            passed = np.flatnonzero(order <= 0.1 * np.arange(1, 16) / 15)
            wanted = p <= order[passed[-1]] if passed.size else np.zeros(15, bool)
            assert ((adjusted(p) <= 0.1) == wanted).all()


class TestScreened:
    def test_the_stricter_of_both_wishes_counts(self):
        y = Outcome(np.arange(1.0, 200), np.ones(199))
        sample = Sample(y, exponential(np.linspace(1, 200, 199), last=300.0))
        both = screened(sample, sample.model, 25.0, survival=0.5, fdr=0.1)
        strict = screened(sample, sample.model, 25.0, survival=0.9, fdr=0.5)
        loose = screened(sample, sample.model, 25.0, survival=0.5, fdr=0.5)
        assert (both.selected == strict.selected).all()
        assert loose.selected.sum() > both.selected.sum() > 0
        assert_allclose(both.survival, 1 - adjusted(both.p_values))

    @pytest.mark.slow
    def test_false_discoveries_are_at_most_nominal_in_100_simulations(self):
        shares, flagged = [], []
        for seed in range(100):
            rng = np.random.default_rng(seed)
            x = rng.uniform(-3, 3, 800)
            time = rng.exponential(5 * np.exp(x))
            limit = rng.exponential(6 * np.exp(-x / 3))
            y = Outcome(np.minimum(time, limit), time <= limit)
            s, g = (
                exponential(5 * np.exp(x), k=150),
                exponential(6 * np.exp(-x / 3), k=150),
            )
            sample = Sample(y[:500], s[:500], g[:500])
            found = screened(sample, s[500:], 2.0, 0.9, 0.1).selected
            shares.append(np.sum(found & (time[500:] <= 2.0)) / max(found.sum(), 1))
            flagged.append(found.mean())
        assert np.mean(shares) <= 0.1
        assert np.mean(flagged) > 0.2  # it says something
        assert np.mean(shares) > 0.01
