"""Data with a known effect, and one thread for torch."""

import numpy as np
import pytest

from consurv.outcome import Outcome


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Small networks gain nothing from more, and tests share the machine."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def simulated():
    """200 subjects, one feature that matters, 30 % censored."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, 200)
    return X, Outcome(time=np.minimum(time, censored), event=time <= censored)
