import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from consurv.errors import ConsurvError, InvalidInput
from consurv.models import CoxPH, cox, newton
from consurv.outcome import Outcome


@pytest.fixture
def tied():
    """Whole-number times: many ties of events with events and censorings."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    time = np.ceil(5 * rng.exponential(np.exp(-X[:, 0])))
    return X, Outcome(np.minimum(time, 9), (time <= 9) & (rng.random(80) < 0.8))


def naive_loss(X, y, beta):
    """Minus the log partial likelihood with Breslow's ties, event by event."""
    scores, total = X @ beta, 0.0
    for i in np.flatnonzero(y.event):
        total += np.log(np.exp(scores[y.time >= y.time[i]]).sum()) - scores[i]
    return total


class TestPartialLikelihood:
    def test_and_its_derivatives_agree_with_a_loop(self, tied):
        X, y = tied
        likelihood = cox._PartialLikelihood(X, y)
        beta = np.array([0.5, -1.0, 0.2])
        loss, gradient = likelihood.value(beta)
        assert loss == pytest.approx(naive_loss(X, y, beta), rel=1e-12)
        by_differences = approx_fprime(beta, lambda b: naive_loss(X, y, b), 1e-7)
        assert_allclose(gradient, by_differences, atol=1e-4)
        by_differences = approx_fprime(beta, lambda b: likelihood.value(b)[1], 1e-7)
        assert_allclose(likelihood.hessian(beta), by_differences, atol=1e-4)

    def test_is_finite_far_away(self, tied):
        likelihood = cox._PartialLikelihood(*tied)
        far = np.full(3, 2000.0)
        loss, gradient = likelihood.value(far)
        assert np.isfinite(loss)
        assert np.isfinite(gradient).all()
        assert np.isfinite(likelihood.hessian(far)).all()


class TestCoxPH:
    def test_agrees_with_scikit_survival_when_times_are_tied(self, tied):
        linear_model = pytest.importorskip("sksurv.linear_model")
        X, y = tied
        theirs = linear_model.CoxPHSurvivalAnalysis().fit(X, y.to_structured())
        ours = CoxPH(penalty=1e-10).fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
        expected = theirs.predict_survival_function(X, return_array=True)
        curves = ours.predict_survival_function(X)
        assert_allclose(curves.survival_at(theirs.unique_times_), expected, atol=1e-6)

    def test_means_by_penalty_what_lifelines_means(self, simulated):
        lifelines = pytest.importorskip("lifelines")
        X, y = simulated
        frame = pd.DataFrame(X, columns=list("abc")).assign(t=y.time, e=y.event)
        theirs = lifelines.CoxPHFitter(penalizer=0.5).fit(frame, "t", "e")
        ours = CoxPH(penalty=0.5).fit(X, y)
        # They divide by n − 1 where they standardise.
        assert_allclose(ours.coef_, theirs.params_, rtol=0.01, atol=2e-3)

    def test_does_not_care_for_units(self, simulated):
        X, y = simulated
        scaled = X * [1e6, 1e-6, 1] + [5, 0, 1e3]
        assert_allclose(
            CoxPH().fit(X, y).predict(X), CoxPH().fit(scaled, y).predict(scaled)
        )

    def test_finds_the_same_with_more_features_than_subjects(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30, 40))
        y = Outcome(rng.exponential(np.exp(-X[:, 0])), np.ones(30))
        wide = CoxPH(penalty=0.1).fit(X, y)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        direct = cox._newton(Z, y, 0.1) / X.std(axis=0)
        assert_allclose(wide.coef_, direct, atol=1e-6)

    def test_gives_a_constant_feature_no_weight(self, simulated):
        X, y = simulated
        X = np.column_stack([X, np.full(len(X), 0.1), X[:, 0]])
        model = CoxPH().fit(X, y)
        assert model.coef_[3] == 0
        assert model.coef_[4] == pytest.approx(model.coef_[0])  # a copy shares

    def test_works_on_constant_features_only(self, simulated):
        _, y = simulated
        assert CoxPH().fit(np.ones((200, 1)), y).coef_.tolist() == [0]

    def test_bears_separation(self):
        X = np.arange(20.0)[:, None]
        model = CoxPH().fit(X, Outcome(np.arange(20, 0, -1), np.ones(20)))
        assert model.score(X, Outcome(np.arange(20, 0, -1), np.ones(20))) == 1

    def test_tells_if_it_did_not_converge(self, simulated, monkeypatch):
        monkeypatch.setattr(newton, "_MAX_STEPS", 1)
        with pytest.raises(ConsurvError, match="did not converge in 1 steps"):
            CoxPH().fit(*simulated)

    def test_needs_a_penalty(self, simulated):
        with pytest.raises(InvalidInput, match="penalty=0 is not valid"):
            CoxPH(penalty=0).fit(*simulated)
