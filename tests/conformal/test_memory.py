"""Long curves are predicted a few rows at a time, so that memory stays small."""

import tracemalloc

import numpy as np
import pytest

from consurv import Outcome
from consurv.conformal.reading.raw_model import RawModel
from consurv.models import CoxPH

LEVELS = np.array([0.25, 0.5, 0.75])
N_NODES, N_ROWS = 20_000, 4_000
FEWER_ROWS = 2_100  # still more than a chunk of short curves


def peak_megabytes(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def cox():
    """A model whose curves have a node for each of 20,000 event times."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_NODES, 2))
    y = Outcome(time=rng.exponential(np.exp(X[:, 0])), event=np.ones(N_NODES))
    return CoxPH().fit(X, y), X[:N_ROWS]


@pytest.mark.slow
class TestMemory:
    # 2,048 of these curves are 313 MB, and making them takes as much again.
    def test_of_percentile_times_is_that_of_a_few_curves(self, cox):
        model, X = cox
        peak = peak_megabytes(lambda: RawModel(model).percentile_times(X, LEVELS))
        assert peak < 150

    def test_of_a_function_is_that_of_a_few_curves(self):
        times = np.linspace(0.001, 10, N_NODES)

        def model(X):
            return times, np.exp(-np.exp(X[:, :1]) * times)

        X = np.random.default_rng(0).normal(size=(FEWER_ROWS, 1))
        y = Outcome(time=np.ones(FEWER_ROWS), event=np.ones(FEWER_ROWS))
        found = []
        peak = peak_megabytes(
            lambda: found.append(RawModel(model).survival_around_observed(X, y.time))
        )
        assert peak < 150
        np.testing.assert_allclose(found[0][:, 0], np.exp(-np.exp(X[:, 0])), atol=1e-6)

    def test_of_risk_scores_is_that_of_a_few_curves(self, cox):
        model, X = cox
        assert peak_megabytes(lambda: model.predict(X[:FEWER_ROWS])) < 150
