"""When the model's own curve does not explain censoring."""

import numpy as np
import pytest

from consurv import CalibrationWarning, ConformalSurvival, Outcome, check_censoring
from consurv.bounds.diagnostic import censoring_test
from consurv.errors import InvalidInput
from consurv.models import CoxPH
from consurv.weighting.sample import Sample
from tests.weighting.samples import exponential, world


def frail(n, seed):
    """Return x, T and C: who is frail dies four times as fast and leaves early."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, n)
    time, limit = rng.exponential(16 / 4.0**x), rng.exponential(40 / 20.0**x)
    return x[:, None].astype(float), Outcome(np.minimum(time, limit), time <= limit)


def one_for_all(X):
    times = np.linspace(0.05, 60, 600)
    return times, [np.exp(-times / 12)] * len(X)


class TestSample:
    def sample(self, seed, n=1000, scale=None):
        x, time, limit = world(n, np.random.default_rng(seed))
        y = Outcome(np.minimum(time, limit), time <= limit)
        s = exponential(5 * np.exp(x) if scale is None else np.full(n, scale), k=150)
        return Sample(y, s, exponential(8 * np.exp(-x), k=150))

    def test_a_right_model_has_no_gap(self):
        found = censoring_test(self.sample(0, n=20_000))
        assert np.abs(found.gap).max() < 0.004
        assert found.explained

    def test_optimism_where_few_are_seen_is_a_gap_above_0(self):
        # Who dies early is censored early, which one curve for all does not know.
        x, time, _ = world(3000, np.random.default_rng(0))
        short = rng_limit(x)
        y = Outcome(np.minimum(time, short), time <= short)
        s, g = (
            exponential(np.full(3000, 6.0), k=150),
            exponential(8 * np.exp(2 * x), k=150),
        )
        assert censoring_test(Sample(y, s, g)).gap.max() > 0.01

    @pytest.mark.slow
    def test_false_alarms_are_rare(self):
        flags = [not censoring_test(self.sample(s)).explained for s in range(200)]
        assert np.mean(flags) <= 0.05


def rng_limit(x):
    return np.random.default_rng(1).exponential(8 * np.exp(2 * x))


class TestCheck:
    def test_warns_and_says_what_to_use(self):
        X, y = frail(2000, 0)
        with pytest.warns(
            CalibrationWarning, match=r"use ConformalLowerBound\(model\)"
        ):
            found = check_censoring(one_for_all, X, y)
        assert not found.explained
        assert found.p_value < 0.01

    def test_looks_inside_a_conformal_model(self):
        X, y = frail(2000, 0)
        model = ConformalSurvival(one_for_all).conformalize(X, y)
        with pytest.warns(CalibrationWarning, match="does not explain censoring"):
            check_censoring(model, X, y)

    def test_is_silent_where_the_model_sees_what_matters(self):
        X, y = frail(2000, 0)
        model = CoxPH().fit(X[:1000], y[:1000])
        assert check_censoring(model, X[1000:], y[1000:]).explained

    def test_nobody_censored(self):
        X, y = frail(100, 0)
        assert check_censoring(one_for_all, X, Outcome(y.time, np.ones(100))) is None

    def test_bad_input(self):
        X, y = frail(100, 0)
        with pytest.raises(InvalidInput, match="n_folds=1"):
            check_censoring(one_for_all, X, y, n_folds=1)
        with pytest.raises(InvalidInput, match="length"):
            check_censoring(one_for_all, X[:5], y)
