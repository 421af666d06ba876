"""What inverse weights and a right model differ by."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import Outcome, SurvivalCurves
from consurv.weighting.augmented import Augmented
from consurv.weighting.right_model import covariance_if_right
from consurv.weighting.sample import Sample, before
from tests.weighting.samples import exponential, world


def drawn(rng, curves):
    """Return a time of each subject by its step curve."""
    u = rng.random((len(curves), 1))
    return curves._form.percentile_times(u)[:, 0]


@pytest.mark.parametrize("smooth", [True, False])
def test_is_what_repetitions_vary_by(smooth):
    rng = np.random.default_rng(0)
    n, levels = 60, np.array([0.9, 0.7])
    x = world(n, rng)[0]
    s, g = exponential(5 * np.exp(x), k=300), exponential(8 * np.exp(-2 * x), k=300)
    if not smooth:
        times = np.arange(0.5, 60, 0.5)
        s, g = (SurvivalCurves(times, c.survival_at(times), "step") for c in (s, g))
    gaps, told = [], []
    for _ in range(800):
        time, limit = drawn(rng, s), drawn(rng, g)
        if not smooth:
            limit = limit + 0.1  # no ties
        y = Outcome(np.minimum(time, limit), time <= limit)
        sample = Sample(y, s, g).capped(0.3)
        q, covered = sample.bounds(levels), sample.covered(levels)
        theta = Augmented(sample).at(q, covered)
        left = before(s, q) / np.maximum(sample.score, 1e-12)[:, None]
        own = np.where(y.event[:, None] | covered, covered, np.minimum(left, 1))
        gaps.append((own - theta).sum(axis=0))
        told.append(covariance_if_right(sample, q))
    assert_allclose(np.mean(told, axis=0), np.cov(np.transpose(gaps)), rtol=0.2)
    assert (np.abs(np.mean(gaps, axis=0)) < 4 * np.std(gaps, axis=0) / 800**0.5).all()


def test_weights_count():
    x, time, limit = world(30, np.random.default_rng(0))
    y = Outcome(np.minimum(time, limit), time <= limit)
    s, g = exponential(5 * np.exp(x)), exponential(8 * np.exp(-x))
    q = Sample(y, s, g).bounds(np.array([0.9, 0.8]))
    once, twice = (
        covariance_if_right(Sample(y, s, g, weight=np.full(30, w)), q) for w in (1.0, 2)
    )
    assert_allclose(twice, 4 * once)
    assert (once > 0).all()


def test_curves_that_all_but_end_are_no_harm():
    times = np.linspace(1, 900, 900)
    s = SurvivalCurves(times, np.exp(-(times[None] ** np.full((5, 1), 1.0))))
    y = Outcome(time=np.arange(1.0, 6), event=np.ones(5))
    found = covariance_if_right(Sample(y, s, s), s.percentile_times([0.5, 0.3]))
    assert np.isfinite(found).all()
    assert found[1, 1] > 0
