import numpy as np
import pytest

from consurv import Outcome


def weibull(n, seed, *, censored=True, effect=0.7):
    """Features (n, 3) and outcomes whose scale depends on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    time = 10 * np.exp(effect * X[:, 0] - 0.4 * X[:, 1]) * rng.weibull(1.5, n)
    limit = rng.exponential(25, n) if censored else np.full(n, np.inf)
    return X, Outcome(time=np.minimum(time, limit), event=time <= limit)


@pytest.fixture
def simulate():
    return weibull


@pytest.fixture
def true_model():
    """The curves that ``weibull`` draws from, as a function of X."""
    times = np.geomspace(0.01, 400, 400)

    def model(X, stretch=1.0):
        X = np.asarray(X)
        scale = stretch * 10 * np.exp(0.7 * X[:, 0] - 0.4 * X[:, 1])
        return times, np.exp(-((times / scale[:, None]) ** 1.5))

    return model
