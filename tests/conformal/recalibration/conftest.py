import numpy as np
import pytest

from consurv import Outcome
from consurv.conformal.recalibration.shapes import FINE_LEVELS


def weibull_reading(n, seed, *, stretch=1.0, widths=0.2, effect=0.7):
    """What is read off Weibull curves, and outcomes of the law with stretch 1."""
    rng = np.random.default_rng(seed)
    x, width = rng.normal(size=n), np.exp(rng.normal(scale=widths, size=n)) / 1.5
    time = 10 * np.exp(0.7 * x) * rng.exponential(size=n) ** width
    limit = rng.exponential(25, n)
    q = (-np.log(FINE_LEVELS)) ** width[:, None]
    q *= stretch * 10 * np.exp(effect * x)[:, None]
    ends = np.zeros(n), np.full(n, np.inf)
    y = Outcome(np.minimum(time, limit), time <= limit)
    return np.column_stack([q, *ends]), y


@pytest.fixture
def readings():
    return weibull_reading
