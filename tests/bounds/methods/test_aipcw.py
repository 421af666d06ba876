"""Doubly robust bounds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import Outcome
from consurv.bounds.methods.aipcw import AIPCW
from consurv.bounds.methods.ipcw import IPCW
from consurv.bounds.methods.method import Options
from consurv.errors import InvalidInput
from consurv.weighting.augmented import Augmented, seen_at
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, small, world


def literal(sample, i, q, s, drops):
    """Return θ of subject i as the formula has it, term by term."""
    time, event = sample.outcome.time[i], sample.outcome.event[i]
    g = sample.censoring[[i]]
    at = lambda u: g.survival_at_observed([u])[0]  # noqa: E731
    before = lambda u: g.survival_before_observed([u])[0]  # noqa: E731
    top = s.survival_before_observed([q])[0] if q > 0 else 1.0

    def eta(u):
        return 1.0 if u >= q else top / s.survival_at_observed([u])[0]

    first = (time >= q) / before(time) if event else eta(time) / at(time)
    passed = drops[(drops < time) | ((drops == time) & (not event))]
    return first - sum(eta(u) * (1 / at(u) - 1 / before(u)) for u in passed)


class TestTheta:
    @pytest.mark.parametrize("ties", [True, False])
    @pytest.mark.parametrize("other", [True, False])
    def test_is_the_formula_term_by_term(self, ties, other):
        sample = small(3, ties=ties)
        if other:
            event = small(4).model
            sample = Sample(sample.outcome, sample.model, sample.censoring, event)
        s = sample.event or sample.model
        levels = np.array([0.99, 0.9, 0.7, 0.5, 0.3])
        q = sample.bounds(levels)
        found = Augmented(sample).at(q, sample.covered(levels))
        drops = np.arange(1.0, 7)
        for i in range(len(sample)):
            for j in range(len(levels)):
                exact = literal(sample, i, q[i, j], s[[i]], drops)
                assert found[i, j] == pytest.approx(exact, abs=1e-11)

    def test_is_1_of_everybody_at_time_0(self):
        sample = small(5)
        found = Augmented(sample).at(np.zeros((40, 1)), np.ones((40, 1), bool))
        assert_allclose(found, 1.0, atol=1e-12)

    def test_means_the_truth_if_either_model_is_right(self):
        rng = np.random.default_rng(0)
        n = 40_000
        x, time, limit = world(n, rng)
        y = Outcome(np.minimum(time, limit), time <= limit)
        q = np.full((n, 1), 2.0)
        truth = np.mean(np.exp(-2.0 / (5 * np.exp(x))))
        s, g = exponential(5 * np.exp(x), k=120), exponential(8 * np.exp(-x), k=120)
        wrong_s, wrong_g = (
            exponential(np.full(n, 9.0), k=120),
            exponential(np.full(n, 4.0), k=120),
        )
        covered = (y.time >= 2.0)[:, None]

        def mean(event, censoring):
            theta = Augmented(Sample(y, event, censoring)).at(q, covered)
            return theta.mean(), theta.std() / np.sqrt(n)

        for pair in ((s, g), (wrong_s, g), (s, wrong_g)):
            found, error = mean(*pair)
            assert abs(found - truth) < 4 * error + 1e-3
        # The test could fail: with both wrong it is far off.
        found, error = mean(wrong_s, wrong_g)
        assert abs(found - truth) > 6 * error


class TestBound:
    def test_is_the_lowest_level_with_enough_by_the_formula(self):
        sample = small(6, n=60, ties=False)
        bound = AIPCW().find(sample, 0.8, Options())
        theta = Augmented(sample)
        passes = []
        for level in np.unique(sample.score)[::-1]:
            u = np.array([level])
            mass = theta.at(sample.bounds(u), sample.covered(u)).sum()
            if mass < 0.8 * 61 - 1e-9:
                break
            passes.append(level)
        assert bound.level == passes[-1]

    def test_g_of_0_where_it_is_needed_is_refused(self):
        sample = small(6, n=60, ties=False)
        dead = sample.censoring.__class__([0.4], np.zeros((60, 1)), "step")
        bad = Sample(sample.outcome, sample.model, dead)
        with pytest.raises(InvalidInput, match="G = 0"):
            AIPCW().find(bad, 0.8, Options())

    def test_a_cap_ends_bounds_and_bounds_weights(self):
        sample = small(7, n=200, ties=False)
        free = AIPCW().find(sample, 0.6, Options())
        capped = AIPCW().find(sample, 0.6, Options(least_seen=0.8))
        assert capped.weights.largest <= 1 / 0.8 + 1e-12 < free.weights.largest
        ends = sample.censoring.percentile_times([0.8])[:, 0]
        assert (capped.of(sample.model, sample.censoring) <= ends).all()

    def test_clipping_is_done_as_asked(self):
        sample = small(7, n=200, ties=False)
        clipped = AIPCW().find(sample, 0.6, Options(clip=0.5)).weights.largest
        assert clipped < AIPCW().find(sample, 0.6, Options()).weights.largest

    def test_weights_are_of_those_who_are_known(self):
        sample = small(8)
        q = np.full(40, 3.0)
        weight = seen_at(sample, q, np.inf)
        unknown = ~sample.outcome.event & (sample.outcome.time < 3.0)
        assert (weight[unknown] == 0).all()
        assert (weight[~unknown] >= 1).all()

    def test_both_methods_agree_where_the_event_model_has_no_say(self):
        # One event model that is all but sure: S(q⁻) ≈ 1 before any censoring.
        rng = np.random.default_rng(1)
        x, time, limit = world(500, rng)
        y = Outcome(np.minimum(time, limit), time <= limit)
        sample = Sample(y, exponential(5 * np.exp(x)), exponential(8 * np.exp(-x)))
        doubly = AIPCW().find(sample, 0.95, Options()).level
        singly = IPCW().find(sample, 0.95, Options()).level
        assert abs(doubly - singly) < 0.03


@pytest.mark.slow
class TestCoverage:
    """One model is wrong: the bound covers as asked."""

    @pytest.mark.parametrize("wrong", ["event", "censoring"])
    def test_tends_to_what_is_asked(self, wrong):
        found = []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            n = 800
            x, time, limit = world(n, rng)
            y = Outcome(np.minimum(time, limit), time <= limit)
            right_s, right_g = 5 * np.exp(x), 8 * np.exp(-x)
            s = np.full(n, 9.0) if wrong == "event" else right_s
            g = np.full(n, 3.0) if wrong == "censoring" else right_g
            sample = Sample(y, exponential(s, k=150), exponential(g, k=150))
            bound = AIPCW().find(sample, 0.9, Options())
            L = bound.of(sample.model, sample.censoring)
            found.append(np.mean(np.exp(-L / right_s)))
        error = np.std(found) / np.sqrt(len(found))
        assert abs(np.mean(found) - 0.9) < 3 * error + 2e-3

    def test_inverse_weights_alone_are_off_where_g_is_wrong(self):
        found = []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            x, time, limit = world(800, rng)
            y = Outcome(np.minimum(time, limit), time <= limit)
            s = 5 * np.exp(x)
            g = exponential(np.full(800, 1.5), k=150)
            sample = Sample(y, exponential(s, k=150), g)
            bound = IPCW().find(sample, 0.9, Options())
            L = bound.of(sample.model, sample.censoring)
            found.append(np.mean(np.exp(-L / s)))
        assert np.mean(found) > 0.9 + 4 * np.std(found) / np.sqrt(30)
