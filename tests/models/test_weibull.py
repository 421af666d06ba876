import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from consurv.datasets import TableEncoder, load_dataset
from consurv.models.weibull import _Likelihood, regress
from consurv.outcome import Outcome

# Beyond their own settings, which stop where coefficients are off by 1e-4 of them.
EXACT = {"ftol": 1e-18, "maxiter": 2000}


def oracle(X, y, penalty):
    """Return coefficients, intercept and scale as lifelines finds them."""
    lifelines = pytest.importorskip("lifelines")
    names = [f"x{i:03d}" for i in range(X.shape[1])]  # it sorts them
    frame = pd.DataFrame(X, columns=names).assign(t=y.time, e=y.event)
    fitter = lifelines.WeibullAFTFitter(penalizer=penalty)
    fitter.fit(frame, "t", "e", fit_options=EXACT)
    slopes = fitter.params_["lambda_"]
    scale = np.exp(-fitter.params_["rho_"]["Intercept"])
    return slopes[names].to_numpy(), slopes["Intercept"], scale


def shifted(seed):
    """Return features of several sizes, far from 0, and censored times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)) * [1, 10, 0.1, 3] + [0, 5, 0, 100]
    time = 10 * rng.weibull(1.5, 300) * np.exp(0.5 * X[:, 0] - 0.05 * X[:, 1])
    limit = rng.exponential(14, 300)
    return X, Outcome(np.minimum(time, limit), time <= limit)


def real(name):
    data = load_dataset(name)
    X = TableEncoder().fit(data.X).transform(data.X)
    return np.asarray(X, dtype=float), Outcome.of(data.y)


DATA = {
    "simulated": lambda: shifted(0),
    "another": lambda: shifted(1),
    "VALCT": lambda: real("VALCT"),
    "PBC": lambda: real("PBC"),
    "GBSG": lambda: real("GBSG"),
}


class TestRegress:
    @pytest.mark.parametrize("penalty", [0.0, 0.01, 1.0])
    @pytest.mark.parametrize("name", list(DATA))
    def test_is_that_of_lifelines(self, name, penalty):
        X, y = DATA[name]()
        coef, intercept, scale = oracle(X, y, penalty)
        found = regress(X, y, penalty)
        spread = X.std(axis=0)
        largest = np.abs(coef * spread).max()
        assert_allclose(found.coef * spread, coef * spread, rtol=0, atol=1e-6 * largest)
        assert_allclose(found.intercept - found.mean @ found.coef, intercept, rtol=1e-6)
        assert_allclose(found.scale, scale, rtol=1e-6)

    def test_finds_what_was_drawn(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20_000, 3)) + 7
        W = np.log(rng.exponential(size=20_000))
        y = Outcome(np.exp(2 + X @ [1, 0, -0.5] + 0.4 * W), np.ones(20_000))
        found = regress(X, y, 0)
        assert_allclose(found.coef, [1, 0, -0.5], atol=0.02)
        assert found.intercept == pytest.approx(2 + 7 * 0.5, abs=0.03)
        assert found.scale == pytest.approx(0.4, abs=0.01)

    def test_finds_a_narrow_law(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        found = regress(X, Outcome(1e6 + rng.exponential(size=60), np.ones(60)), 0.01)
        assert 0 < found.scale < 1e-5

    def test_finds_a_wide_law(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        found = regress(X, Outcome(np.exp(50 * rng.normal(size=60)), np.ones(60)), 0.01)
        assert 20 < found.scale < 60

    def test_copies_no_table(self):
        import tracemalloc

        rng = np.random.default_rng(0)
        X = rng.normal(size=(100_000, 10))
        y = Outcome(rng.exponential(size=100_000), np.ones(100_000))
        tracemalloc.start()
        regress(X, y, 0.01)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes


class TestLikelihood:
    def test_and_its_derivatives_agree_with_a_loop(self):
        X, y = shifted(2)
        likelihood = _Likelihood(X, y, 0.3)
        params = np.array([0.4, -0.2, 0.1, 0.0, 2.0, 0.7])
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        scale, total = np.exp(-0.7), 0.0
        for i in range(len(X)):
            z = (np.log(y.time[i]) - 2.0 - Z[i] @ params[:4]) / scale
            total += np.exp(z) - y.event[i] * (z - np.log(scale))
        penalty = 0.3 / 2 * (params[:4] @ params[:4] + 0.7**2)
        loss, gradient = likelihood.value(params)
        assert loss == pytest.approx(total / len(X) + penalty, rel=1e-12)
        by_differences = approx_fprime(params, lambda p: likelihood.value(p)[0], 1e-7)
        assert_allclose(gradient, by_differences, atol=1e-5)
        by_differences = approx_fprime(params, lambda p: likelihood.value(p)[1], 1e-7)
        assert_allclose(likelihood.hessian(params), by_differences, atol=1e-4)
