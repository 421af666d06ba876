"""A recalibrated model keeps the conformal promise on rows that neither stage saw."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consurv import ConformalSurvival, Outcome

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
TIMES = np.linspace(0.02, 12, 200)
JUDGED = np.linspace(-2.5, 2.5, 60)[:, None]
WEIGHTS = np.exp(-(JUDGED[:, 0] ** 2) / 2)
# Without censoring all rules are the same, and this one is quick.
STEP = {"percentiles": LEVELS, "adjustment": "log-time", "censoring": "uncensored"}
MAPS = 10


def slow(X):
    """Times that are 1.5 × too long and too even between subjects."""
    return TIMES, np.exp(-TIMES / (1.5 * np.exp(0.4 * X[:, :1])))


def draw(rng, n):
    X = rng.normal(size=(n, 1))
    return X, Outcome(rng.exponential(np.exp(0.8 * X[:, 0])), np.ones(n))


def mended_model(rng):
    model = ConformalSurvival(slow, percentiles=LEVELS)
    return model.conformalize(*draw(rng, 60))


def looked_up(curves):
    """Return a model that has its curves already; its rows are their numbers."""
    return lambda rows: curves[rows[:, 0].astype(int)]


def shares(rng, n_fresh, sets):
    """Return P(T ≥ q'(ρ)) of so many fresh sets beside one mended model."""
    n = n_fresh * sets
    X, y = draw(rng, n)
    curves = mended_model(rng).predict_survival_function(np.concatenate([X, JUDGED]))
    rows = np.arange(len(curves))[:, None]
    whole, found = ConformalSurvival(looked_up(curves), **STEP), []
    for own in np.arange(n).reshape(sets, n_fresh):
        whole.conformalize(rows[own], y[own])
        times = whole.predict_quantile(rows[n:], LEVELS)
        survival = np.exp(-times / np.exp(0.8 * JUDGED))
        found.append(np.average(survival, axis=0, weights=WEIGHTS))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("n_fresh", "sets"), [(19, 25), (99, 130)])
def test_share_above_adjusted_times(n_fresh, sets):
    """P(T ≥ q'(ρ)) = k/(N₂ + 1), k = ⌈ρ(N₂ + 1)⌉, as for any model."""
    rng = np.random.default_rng(0)
    share = np.concatenate([shares(rng, n_fresh, sets) for _ in range(MAPS)])
    wanted = np.ceil(LEVELS * (n_fresh + 1)) / (n_fresh + 1)
    error = share.std(axis=0) / np.sqrt(len(share))
    assert (np.abs(share.mean(axis=0) - wanted) < 3 * error).all()
    # Tight enough: a rank that is off by one is at least 7 standard errors away.
    assert (7 * error < 1 / (n_fresh + 1)).all()


def test_curves_that_are_looked_up_are_those_of_the_mended_model():
    rng = np.random.default_rng(1)
    mended, fresh = mended_model(rng), draw(rng, 99)
    curves = mended.predict_survival_function(fresh[0])
    rows = np.arange(99)[:, None]
    known = ConformalSurvival(looked_up(curves), **STEP).conformalize(rows, fresh[1])
    # As docs/recalibration.md has it, no rule named.
    whole = ConformalSurvival(mended, percentiles=LEVELS, adjustment="log-time")
    times = whole.conformalize(*fresh).predict_quantile(fresh[0], LEVELS)
    assert_allclose(times, known.predict_quantile(rows, LEVELS))
