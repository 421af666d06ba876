"""The finite-sample quantile against MAPIE's split conformal method, uncensored."""

from __future__ import annotations

import numpy as np
import pytest
from mapie.regression import SplitConformalRegressor
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, RegressorMixin

from consurv.conformal.adjustments.shifts import conformal_shifts
from consurv.outcome import Outcome


class Given(RegressorMixin, BaseEstimator):
    """A model whose predictions are its features."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def interval(q, true, new, level):
    model = SplitConformalRegressor(
        Given().fit(None, None), confidence_level=level, prefit=True
    )
    model.conformalize(q[:, None], true)
    _, bounds = model.predict_interval(new[:, None])
    return bounds[:, 0, 0], bounds[:, 1, 0]


class TestSplitConformal:
    @pytest.mark.parametrize("n", [20, 30, 57, 99, 200])
    @pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
    @pytest.mark.parametrize("whole", [True, False])
    def test_lower_ends_are_adjusted_percentile_times(self, n, level, whole):
        # Every prediction is too late, so MAPIE's |T − q| is our score q − T and its
        # lower end q − (⌈level·(N + 1)⌉-th smallest) our adjusted percentile time.
        rng = np.random.default_rng(n)
        true = rng.exponential(10, n)
        true = np.ceil(true) if whole else true
        q = true + (rng.integers(0, 9, n) if whole else rng.exponential(3, n))
        shifts = conformal_shifts(q[:, None], [level], Outcome(true, np.ones(n)))
        new = rng.uniform(20, 50, 5)
        lower, _ = interval(q, true, new, level)
        assert_allclose(new - shifts, lower, rtol=1e-14)

    @pytest.mark.parametrize("n", [39, 99])
    @pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
    def test_upper_ends_are_those_of_the_level_from_below(self, n, level):
        # Every prediction too early: |T − q| = −(q − T). Where ρ(N + 1) is whole, the
        # (1 − ρ)-quantile from the other side is the same order statistic.
        rng = np.random.default_rng(n)
        q = rng.exponential(10, n)
        true = q + rng.exponential(3, n)
        shifts = conformal_shifts(q[:, None], [1 - level], Outcome(true, np.ones(n)))
        new = rng.uniform(20, 50, 5)
        _, upper = interval(q, true, new, level)
        assert_allclose(new - shifts, upper, rtol=1e-14)
