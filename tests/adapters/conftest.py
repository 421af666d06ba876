from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from consurv.outcome import Outcome


@dataclass(frozen=True)
class Simulated:
    X: NDArray[np.float64]
    y: Outcome


@pytest.fixture(scope="session")
def small() -> Simulated:
    """160 subjects with Weibull times, three features, about 40 % censored."""
    rng = np.random.default_rng(20240721)
    X = rng.normal(size=(160, 3))
    X[:, 2] = rng.integers(0, 2, size=160)
    time = 10 * np.exp(0.6 * X[:, 0] - 0.4 * X[:, 2]) * rng.weibull(1.5, size=160)
    censoring = rng.exponential(18.0, size=160)
    return Simulated(X, Outcome(np.minimum(time, censoring), time <= censoring))
