"""The weighted Kaplan–Meier curve of scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import KaplanMeier, Outcome
from consurv.weighting.product_limit import covered_shares
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, small, world


def literal(sample, levels):
    """Return the shares as the formula has it, term by term."""
    time, event = sample.outcome.time, sample.outcome.event
    cap = np.full(len(sample), np.inf) if sample.cap is None else sample.cap

    def weight(i, t):
        return 1 / sample.censoring[[i]].survival_before_observed([t])[0]

    found, share, above = [], 1.0, 1.0
    for level in levels:
        top = np.array([above])
        q = sample.bounds(top)[:, 0] if above < 1 else np.zeros(len(sample))
        seen = sum(weight(i, q[i]) for i in range(len(sample)) if time[i] >= q[i])
        lost = sum(
            weight(i, time[i])
            for i in range(len(sample))
            if event[i] and time[i] < cap[i] and level < sample.score[i] <= above
        )
        share *= 1 - min(lost / seen, 1)
        found.append(share)
        above = level
    return np.array(found)


@pytest.mark.parametrize("least", [None, 0.6])
@pytest.mark.parametrize("ties", [True, False])
def test_is_the_formula_term_by_term(least, ties):
    sample = small(3, n=60, ties=ties).capped(least)
    for levels in (sample.candidates, sample.candidates[2::7]):
        found = covered_shares(sample, levels)
        assert_allclose(found, literal(sample, levels), atol=1e-12)
        assert found[-1] < 0.9  # something happens


def test_is_kaplan_meier_where_all_weigh_the_same():
    # One curve for all, G = 1: the curve of the times, whatever the levels are.
    rng = np.random.default_rng(0)
    time, event = rng.uniform(1, 30, 200), rng.random(200) < 0.6
    y = Outcome(time, event)
    sample = Sample(y, exponential(np.full(200, 9.0)), exponential(np.full(200, 1e300)))
    found = covered_shares(sample, sample.candidates)
    q = np.sort(time)
    assert_allclose(found, KaplanMeier(y).survival_at(np.nextafter(q, 0)), atol=1e-12)


def test_stops_once_too_little_is_covered():
    sample = small(4, n=200, ties=False)
    whole = covered_shares(sample, sample.candidates)
    some = covered_shares(sample, sample.candidates, enough=0.9)
    assert (some[whole >= 0.9] == whole[whole >= 0.9]).all()
    assert some[-1] == 0


@pytest.mark.parametrize(
    ("wrong", "is_right"), [("event", True), ("censoring", True), ("both", False)]
)
def test_tends_to_the_truth_if_either_model_is_right(wrong, is_right):
    n = 20_000
    x, time, limit = world(n, np.random.default_rng(0))
    y = Outcome(np.minimum(time, limit), time <= limit)
    s = np.full(n, 5.0) if wrong in ("event", "both") else 5 * np.exp(x)
    g = 8 * np.exp(x) if wrong in ("censoring", "both") else 8 * np.exp(-x)
    sample = Sample(y, exponential(s, k=120), exponential(g, k=120))
    levels = np.linspace(1, 0.5, 101)[1:]
    found = covered_shares(sample, levels)[-1]
    truth = np.mean(np.exp(-s * np.log(2) / (5 * np.exp(x))))
    assert (abs(found - truth) < 0.01) == is_right
