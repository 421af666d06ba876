"""The caution that censoring is not explained."""

import numpy as np
import pytest

from consurv import Outcome, SurvivalCurves
from consurv.report.censoring import about_censoring


def frail(n, rng):
    """Return x, T and C: who is frail dies four times as fast and leaves early."""
    x = rng.integers(0, 2, n)
    time, limit = rng.exponential(16 / 4.0**x), rng.exponential(40 / 20.0**x)
    return x[:, None].astype(float), Outcome(np.minimum(time, limit), time <= limit)


def curves(scale):
    times = np.linspace(0.05, 60, 600)
    return SurvivalCurves(times, np.exp(-times / np.asarray(scale)[:, None]))


class TestCaution:
    def test_a_model_that_does_not_know_who_is_frail(self):
        X, y = frail(2000, np.random.default_rng(0))
        [caution] = about_censoring(X, y, curves(np.full(2000, 12.0)))
        assert caution.title == "Censoring is not explained"
        assert "use ConformalLowerBound(model)" in caution.text

    def test_a_model_that_knows(self):
        X, y = frail(2000, np.random.default_rng(0))
        assert about_censoring(X, y, curves(16 / 4.0 ** X[:, 0])) == []

    @pytest.mark.parametrize("n", [20, 2000])
    def test_nothing_is_said_of_few(self, n):
        X, y = frail(n, np.random.default_rng(0))
        whole = Outcome(y.time, np.ones(n)) if n == 2000 else y
        assert about_censoring(X, whole, curves(np.full(n, 12.0))) == []

    def test_nothing_is_said_where_the_forest_cannot_read(self):
        X, y = frail(2000, np.random.default_rng(0))
        text = np.where(X > 0, "frail", "robust").astype(object)
        assert about_censoring(text, y, curves(np.full(2000, 12.0))) == []
