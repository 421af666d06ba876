"""Bounds by the weighted Kaplan–Meier curve of the scores."""

import numpy as np
import pytest

from consurv import Outcome
from consurv.bounds import METHODS
from consurv.bounds.methods.method import Options
from consurv.errors import InvalidInput
from consurv.weighting.product_limit import covered_shares
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, small, world

METHOD = METHODS["kaplan-meier"]


class TestBound:
    @pytest.mark.parametrize("least", [None, 0.6])
    def test_is_the_lowest_level_with_enough(self, least):
        sample = small(6, n=60, ties=False)
        bound = METHOD.find(sample, 0.8, Options(least_seen=least))
        levels = sample.candidates
        shares = covered_shares(sample.capped(least), levels)
        assert bound.level == levels[60 * shares >= 0.8 * 61 - 1e-9][-1]
        assert bound.least_censoring == least

    def test_mass_is_that_of_any_level(self):
        sample = small(6, n=60, ties=False)
        mass, levels = METHOD.mass(sample, Options()), sample.candidates
        wanted = 60 * covered_shares(sample, levels)
        assert (mass(levels) == wanted).all()
        between = (levels[:-1] + levels[1:]) / 2
        assert (mass(between) == wanted[1:]).all()
        assert mass(levels[-1:] / 2) == 0

    def test_g_of_0_where_it_is_needed_is_refused(self):
        sample = small(6, n=60, ties=False)
        dead = sample.censoring.__class__([0.4], np.zeros((60, 1)), "step")
        bad = Sample(sample.outcome, sample.model, dead)
        with pytest.raises(InvalidInput, match="G = 0"):
            METHOD.find(bad, 0.8, Options())

    def test_clipping_is_done_as_asked(self):
        sample = small(7, n=200, ties=False)
        clipped = METHOD.find(sample, 0.6, Options(clip=0.5)).weights.largest
        assert clipped < METHOD.find(sample, 0.6, Options()).weights.largest

    def test_a_g_that_is_wrong_for_all_alike_does_no_harm(self):
        # Half of G before anybody dies: means of weights are off, ratios are not.
        sample = small(8, n=200, ties=False)
        g = sample.censoring
        times = np.append(0.1, g.times[1:])
        wrong = type(g)(times, g.survival / 2, "step")
        other = Sample(sample.outcome, sample.model, wrong)
        found, wanted = (METHOD.find(s, 0.8, Options()).level for s in (other, sample))
        assert abs(found - wanted) < 0.05
        assert METHODS["ipcw"].find(other, 0.8, Options()).level > wanted + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["event", "censoring"])
def test_covers_as_asked_if_either_model_is_right(wrong):
    found = []
    for seed in range(60):
        x, time, limit = world(800, np.random.default_rng(seed))
        y = Outcome(np.minimum(time, limit), time <= limit)
        s = np.full(800, 9.0) if wrong == "event" else 5 * np.exp(x)
        g = np.full(800, 1.5) if wrong == "censoring" else 8 * np.exp(-x)
        sample = Sample(y, exponential(s, k=150), exponential(g, k=150))
        bound = METHOD.find(sample, 0.9, Options())
        L = bound.of(sample.model, sample.censoring)
        found.append(np.mean(np.exp(-L / (5 * np.exp(x)))))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 0.9) < 3 * error + 2e-3
