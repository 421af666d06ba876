"""Data that the tests of several deep models share."""

import numpy as np
import pytest

from consurv.metrics import concordance_of_risk
from consurv.outcome import Outcome
from consurv.splits import split


def simulate(n, rng, n_features=5, effect=1.0):
    """Weibull times with log-linear effects of two features, 30 % censored."""
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    risk = effect * (X[:, 0] - 0.7 * X[:, 1])
    event_time = 10 * np.exp(-risk / 1.5) * rng.weibull(1.5, n)
    censoring_time = rng.exponential(25, n)
    time = np.minimum(event_time, censoring_time)
    return X, Outcome(time=time, event=event_time <= censoring_time), risk


@pytest.fixture(scope="session")
def small():
    """120 subjects to train on in a moment."""
    return simulate(120, np.random.default_rng(1))[:2]


@pytest.fixture(scope="session")
def wide():
    """Expression data in shape: 240 subjects, 2,000 features, two of them matter."""
    return simulate(240, np.random.default_rng(2), n_features=2000, effect=2.0)[:2]


@pytest.fixture(scope="session")
def learns():
    """Return a check that a model ranks almost as well as the truth does."""
    rng = np.random.default_rng(0)
    X, y, _ = simulate(2000, rng)
    X_test, y_test, risk = simulate(2000, rng)
    oracle = float(concordance_of_risk(y_test, risk))

    def check(model, tolerance=0.02):
        assert model.fit(X, y).score(X_test, y_test) >= oracle - tolerance

    return check


@pytest.fixture(scope="session")
def gbsg():
    """GBSG with standardised features, four fifths to train on and one to test."""
    pytest.importorskip("survival")
    from consurv.datasets import load_dataset

    data = load_dataset("GBSG")
    X, y = np.asarray(data.X, dtype=float), Outcome.of(data.y)
    kept, held = split(y, 0.2, random_state=0, stratify="event+time")
    X = (X - X[kept].mean(axis=0)) / X[kept].std(axis=0)
    return (X[kept], y[kept]), (X[held], y[held])
