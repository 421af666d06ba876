from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pytest
from numpy.typing import NDArray

from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome

mpl.use("Agg")


@dataclass(frozen=True)
class Predicted:
    X: NDArray[np.float64]
    y: Outcome
    good: SurvivalCurves
    optimistic: SurvivalCurves


def exponential(X, stretch=1.0):
    """Curves of exponential times with mean 10·exp(x), stretched."""
    times = np.linspace(0.2, 200, 400)
    return times, np.exp(-times / (stretch * 10 * np.exp(X[:, :1])))


def twice_too_long(X):
    return exponential(X, stretch=2.0)


@pytest.fixture(scope="session")
def predicted() -> Predicted:
    """200 subjects, about a third censored, with right and with stretched curves."""
    rng = np.random.default_rng(7)
    X = rng.normal(scale=0.4, size=(200, 1))
    time = rng.exponential(10 * np.exp(X[:, 0]))
    censoring = rng.exponential(20.0, size=200)
    y = Outcome(np.minimum(time, censoring), time <= censoring)
    good, optimistic = (SurvivalCurves(*f(X)) for f in (exponential, twice_too_long))
    return Predicted(X, y, good, optimistic)


@pytest.fixture(scope="session")
def stretched_model():
    return twice_too_long


@pytest.fixture(scope="session")
def right_model():
    return exponential


@pytest.fixture(scope="session")
def simulate():
    """Subjects for whom `right_model` is right, about a third censored."""

    def draw(n, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.normal(scale=0.4, size=(n, 1))
        time = rng.exponential(10 * np.exp(X[:, 0]))
        censoring = rng.exponential(20.0, size=n)
        return X, Outcome(np.minimum(time, censoring), time <= censoring)

    return draw


@pytest.fixture(scope="session")
def followed():
    """Subjects with exponential times, seen until 1, and their curves as they are.

    *hazard* is that of the middle subject: 0.0175 gives events to 2 %, 0.65 to half.
    """

    def draw(n, hazard, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 1))
        time = rng.exponential(np.exp(-0.5 * X[:, 0]) / hazard)
        return X, Outcome(np.minimum(time, 1), time <= 1)

    return draw


@pytest.fixture(scope="session")
def curves_of_hazard():
    """The model that is right for them, if *hazard* is that of the middle subject."""
    grid = np.linspace(0.02, 1.2, 60)

    def of(hazard):
        return lambda X: (grid, np.exp(-hazard * np.exp(0.5 * X[:, :1]) * grid))

    return of


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(figsize=(6, 4), layout="constrained").subplots()


@pytest.fixture(autouse=True)
def figures_are_closed():
    """Close what a test made on purpose; a figure from before would be a leak."""
    from matplotlib import pyplot as plt

    assert plt.get_fignums() == []
    yield
    plt.close("all")
