"""A recalibrated model keeps the conformal promise on rows that neither stage saw."""

import numpy as np
import pytest

from consurv import ConformalSurvival, Outcome

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
TIMES = np.linspace(0.02, 12, 200)


def slow(X):
    """Times that are 1.5 × too long and too even between subjects."""
    return TIMES, np.exp(-TIMES / (1.5 * np.exp(0.4 * X[:, :1])))


def draw(rng, n):
    X = rng.normal(size=(n, 1))
    return X, Outcome(rng.exponential(np.exp(0.8 * X[:, 0])), np.ones(n))


@pytest.mark.slow
@pytest.mark.parametrize(("n_fresh", "repeats"), [(19, 150), (99, 50)])
def test_share_above_adjusted_times(n_fresh, repeats):
    """P(T ≥ q'(ρ)) = k/(N₂ + 1), k = ⌈ρ(N₂ + 1)⌉, as for any model."""
    rng = np.random.default_rng(0)
    share = np.zeros((repeats, len(LEVELS)))
    for i in range(repeats):
        mended = ConformalSurvival(slow, percentiles=LEVELS).conformalize(
            *draw(rng, 60)
        )
        whole = ConformalSurvival(mended, percentiles=LEVELS, adjustment="log-time")
        whole.conformalize(*draw(rng, n_fresh))
        X, _ = draw(rng, 400)
        times = whole.predict_quantile(X, LEVELS)
        share[i] = np.exp(-times / np.exp(0.8 * X)).mean(axis=0)
    wanted = np.ceil(LEVELS * (n_fresh + 1)) / (n_fresh + 1)
    error = share.std(axis=0) / np.sqrt(repeats)
    assert (np.abs(share.mean(axis=0) - wanted) < 4 * error + 1e-3).all()
