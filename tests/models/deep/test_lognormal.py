"""LogNormalNN: likelihood, CRPS, X-cal, SFM and the model."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from scipy import stats
from scipy.integrate import quad
from torch.autograd import gradcheck

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics import d_calibration, km_calibration
from consurv.models.deep.lognormal import LogNormalNN
from consurv.models.deep.losses.calibration import (
    batch_kaplan_meier,
    mean_curve_distance,
    x_calibration,
)
from consurv.models.deep.losses.lognormal import lognormal_crps, lognormal_nll
from consurv.outcome import Outcome

torch.set_num_threads(1)

LOSSES = ["likelihood", "crps", "x-cal", "sfm"]


def doubles(*values):
    return tuple(torch.tensor(v, dtype=torch.float64) for v in values)


def random_batch(n=12, seed=0):
    rng = np.random.default_rng(seed)
    log_time, mu, sigma = doubles(
        rng.normal(size=n), rng.normal(size=n), rng.uniform(0.3, 1.5, n)
    )
    return log_time, torch.tensor(rng.random(n) < 0.5), mu, sigma


class TestLikelihood:
    def test_is_that_of_scipy_up_to_the_jacobian(self):
        log_time, event, mu, sigma = random_batch()
        law = stats.lognorm(s=sigma, scale=mu.exp())
        t = log_time.exp().numpy()
        terms = np.where(event, law.logpdf(t) + np.log(t), law.logsf(t))
        found = lognormal_nll(log_time, event, mu, sigma)
        assert_allclose(float(found), -terms.mean(), rtol=1e-12)

    def test_is_finite_far_in_the_tail(self):
        log_time = torch.tensor([40.0], requires_grad=True)
        loss = lognormal_nll(
            log_time, torch.tensor([False]), torch.zeros(1), torch.ones(1)
        )
        loss.backward()
        assert_allclose(float(loss.detach()), -stats.norm.logsf(40), rtol=1e-6)
        assert_allclose(float(log_time.grad), 40, rtol=1e-2)

    def test_gradients_are_right(self):
        log_time, event, mu, sigma = random_batch()
        inputs = (mu.requires_grad_(), sigma.requires_grad_())
        assert gradcheck(lambda m, s: lognormal_nll(log_time, event, m, s), inputs)


def integrated_crps(t, event, mu, sigma):
    law = stats.lognorm(s=sigma, scale=np.exp(mu))
    knots = [p for p in law.ppf([0.01, 0.5, 0.99]) if p < t]
    left = quad(lambda u: law.cdf(u) ** 2, 0, t, points=knots, epsabs=1e-12)[0]
    ends = [t, *(p for p in law.isf([0.5, 1e-2, 1e-4, 1e-8, 1e-16]) if p > t)]
    right = sum(
        quad(lambda u: law.sf(u) ** 2, a, b, epsabs=1e-12)[0] for a, b in pairwise(ends)
    )
    return left + event * right


class TestCRPS:
    @pytest.mark.parametrize("event", [True, False])
    @pytest.mark.parametrize("sigma", [0.05, 0.4, 1.0, 2.5])
    @pytest.mark.parametrize("log_time", [-2.0, 0.3, 3.0])
    def test_is_the_integral(self, log_time, sigma, event):
        expected = integrated_crps(np.exp(log_time), event, 0.5, sigma)
        found = lognormal_crps(
            *doubles([log_time]), torch.tensor([event]), *doubles([0.5], [sigma])
        )
        assert_allclose(float(found), expected, rtol=1e-6, atol=1e-9)

    def test_has_the_closed_form_of_an_event(self):
        log_time, event, mu, sigma = random_batch()
        y, m, s = log_time.exp().numpy(), mu.numpy(), sigma.numpy()
        shifted = (np.log(y) - m - s**2) / s
        expected = y * (2 * stats.norm.cdf((np.log(y) - m) / s) - 1) - 2 * np.exp(
            m + s**2 / 2
        ) * (stats.norm.cdf(shifted) + stats.norm.cdf(s / np.sqrt(2)) - 1)
        found = lognormal_crps(log_time, event | True, mu, sigma)
        assert_allclose(float(found), expected.mean(), rtol=1e-9)

    @pytest.mark.parametrize("z", [-30.0, 30.0])
    def test_far_from_the_law_it_is_a_distance(self, z):
        # A point mass at 1 and an outcome at exp(0.01 z).
        found = lognormal_crps(
            *doubles([0.01 * z]), torch.tensor([True]), *doubles([0.0], [0.01])
        )
        expected = abs(np.exp(0.01 * z) - 1)
        assert_allclose(float(found), expected, atol=0.01)

    @pytest.mark.parametrize("mu", [-5.0, 0.0, 200.0])
    @pytest.mark.parametrize("sigma", [0.01, 15.0, 19.0, 25.0, 60.0])
    def test_a_wide_law_stays_finite_in_single_precision(self, mu, sigma):
        mu = torch.tensor([mu], requires_grad=True)
        sigma = torch.tensor([sigma], requires_grad=True)
        loss = lognormal_crps(torch.zeros(1), torch.tensor([True]), mu, sigma)
        loss.backward()
        for found in (loss, mu.grad, sigma.grad, sigma.grad**2):  # Adam's square, too
            assert torch.isfinite(found).all()

    def test_beyond_the_ceiling_it_grows_with_the_logarithm(self):
        def crps(sigma):
            zero, event = torch.zeros(1).double(), torch.tensor([True])
            return lognormal_crps(zero, event, zero, sigma)

        def crps_of_an_event_at_1(sigma):  # the closed form, mostly its first term
            return 2 * np.exp(sigma**2 / 2) * stats.norm.sf(sigma / np.sqrt(2))

        log_value = np.log(crps_of_an_event_at_1(12.0))
        assert log_value > 20
        expected = np.exp(20) * (1 + log_value - 20)
        (wide,) = doubles([12.0])
        assert_allclose(float(crps(wide)), expected, rtol=1e-6)
        # No jump where it starts, and it never falls.
        found = [float(crps(*doubles([s]))) for s in np.linspace(8, 12, 401)]
        steps = np.diff(np.log(found))
        assert (steps > 0).all()
        assert steps.max() < 0.06

    def test_gradients_are_right(self):
        log_time, event, mu, sigma = random_batch()
        inputs = (mu.requires_grad_(), sigma.requires_grad_())
        assert gradcheck(lambda m, s: lognormal_crps(log_time, event, m, s), inputs)


class TestXCal:
    def test_is_that_of_a_loop_over_bins_and_subjects(self):
        rng = np.random.default_rng(0)
        u, event, gamma = rng.random(40), rng.random(40) < 0.5, 300.0
        total = 0.0
        for k in range(10):
            a, b, share = k / 10, (k + 1) / 10, 0.0
            low, high = (-1.0 if k == 0 else a), (2.0 if k == 9 else b)
            for ui, happened in zip(u, event, strict=True):
                if happened:
                    share += 1 / (1 + np.exp(-gamma * (ui - low) * (high - ui)))
                else:
                    share += max(0.0, min(ui, b) - a) / ui
            total += (share / 40 - 0.1) ** 2
        found = x_calibration(torch.tensor(u), torch.tensor(event), gamma=gamma)
        assert_allclose(float(found), total, rtol=1e-9)

    def test_sharp_membership_is_d_calibration(self):
        rng = np.random.default_rng(1)
        u, event = rng.beta(2, 1, 300), rng.random(300) < 0.6
        curves = SurvivalCurves(np.ones((300, 1)), u[:, None])
        y = Outcome(time=np.ones(300), event=event)
        found = x_calibration(torch.tensor(u), torch.tensor(event), gamma=1e8)
        shares = d_calibration(y, curves).histogram / 300
        assert_allclose(float(found), ((shares - 0.1) ** 2).sum(), rtol=1e-6)

    def test_survival_zero_belongs_to_the_first_bin(self):
        u, event = torch.zeros(2), torch.tensor([True, False])
        expected = (1 - 0.1) ** 2 + 9 * 0.1**2
        assert_allclose(float(x_calibration(u, event)), expected, rtol=1e-4)

    def test_gradients_are_right(self):
        u, event = doubles([0.03, 0.22, 0.48, 0.96, 0.33, 0.71]), [1, 1, 1, 1, 0, 0]
        survival = u[0].requires_grad_()
        happened = torch.tensor(event, dtype=torch.bool)
        assert gradcheck(lambda s: x_calibration(s, happened, gamma=20.0), (survival,))


class TestSFM:
    @pytest.fixture
    def tied(self):
        rng = np.random.default_rng(2)
        return Outcome(time=rng.integers(1, 12, 60), event=rng.random(60) < 0.6)

    def test_the_curve_is_kaplan_meier(self, tied):
        times, survival = batch_kaplan_meier(
            torch.tensor(tied.time), torch.tensor(tied.event)
        )
        assert_allclose(times, np.sort(tied.time))
        expected = KaplanMeier(tied)
        rows = np.searchsorted(expected.times, times.numpy())
        assert_allclose(survival, expected.survival[rows], rtol=1e-12)

    def test_the_distance_is_that_of_km_calibration_with_absolute_errors(self, tied):
        curves = SurvivalCurves([6.0, 14.0], np.tile([0.7, 0.1], (60, 1)))
        result = km_calibration(tied, curves)
        gap = np.abs(result.km - result.mean_curve)
        expected = np.trapezoid(gap, result.times) / result.times[-1]
        times, km = batch_kaplan_meier(
            torch.tensor(tied.time), torch.tensor(tied.event)
        )
        mean = torch.tensor(curves.survival_at(times.numpy()).mean(axis=0))
        assert_allclose(float(mean_curve_distance(times, km, mean)), expected)

    def test_the_order_of_subjects_does_not_matter(self, tied):
        order = np.random.default_rng(0).permutation(60)
        first, second = (
            batch_kaplan_meier(torch.tensor(y.time), torch.tensor(y.event))[1]
            for y in (tied, tied[order])
        )
        assert_allclose(first, second)

    def test_gradients_are_right(self):
        times, km, mean = doubles([1.0, 2.0, 4.0], [0.8, 0.5, 0.1], [0.7, 0.6, 0.3])
        mean.requires_grad_()
        assert gradcheck(lambda m: mean_curve_distance(times, km, m), (mean,))


class TestModel:
    @pytest.mark.parametrize("loss", LOSSES)
    def test_every_loss_is_the_sum_it_says(self, small, loss):
        X, y = small
        model = LogNormalNN(loss=loss, weight=100.0)
        model._prepare(y)
        network = model._network(X.shape[1]).eval()
        batch = {"x": torch.tensor(X), **model._encode(y)}
        with torch.no_grad():
            found = float(model._loss(network, batch))
            mu, sigma = model._parameters(network, batch["x"])
        args = (batch["log_time"], batch["event"], mu, sigma)
        law = stats.lognorm(s=sigma.double(), scale=mu.double().exp())
        t = y.time / np.exp(model._center)
        u = torch.tensor(law.sf(t))
        times, km = batch_kaplan_meier(torch.tensor(t), batch["event"])
        mean = torch.tensor([law.sf(s).mean() for s in times.numpy()])
        likelihood = float(lognormal_nll(*args))
        expected = {
            "likelihood": likelihood,
            "crps": float(lognormal_crps(*args)),
            "x-cal": likelihood + 100 * float(x_calibration(u, batch["event"])),
            "sfm": likelihood + 100 * float(mean_curve_distance(times, km, mean)),
        }
        assert_allclose(found, expected[loss], rtol=1e-3)

    def test_percentile_times_are_those_of_the_law(self, small):
        X, y = small
        model = LogNormalNN(max_epochs=3, random_state=0).fit(X, y)
        curves = model.predict_survival_function(X[:6])
        with torch.no_grad():
            mu, sigma = model._parameters(model.network_, torch.tensor(X[:6]))
        law = stats.lognorm(
            s=sigma.numpy()[:, None],
            scale=np.exp(mu.numpy() + model._center)[:, None],
        )
        levels = np.array([0.99, 0.9, 0.5, 0.25, 0.01])
        assert_allclose(curves.percentile_times(levels), law.isf(levels), rtol=1e-5)
        at = np.array([2.0, 6.0, 20.0])
        assert_allclose(curves.survival_at(at), law.sf(at), atol=2e-3)

    @pytest.mark.parametrize("loss", LOSSES)
    def test_the_unit_of_time_does_not_matter(self, small, loss):
        X, y = small
        first, second = (
            LogNormalNN(loss=loss, max_epochs=3, random_state=0)
            .fit(X, Outcome(time=y.time * unit, event=y.event))
            .predict(X)
            for unit in (1.0, 2.0**20)
        )
        assert_allclose(first * 2.0**20, second, rtol=1e-3)

    def test_equal_times_can_be_learned(self):
        X = np.random.default_rng(0).normal(size=(40, 2))
        y = Outcome(time=np.full(40, 3.0), event=np.ones(40))
        model = LogNormalNN(max_epochs=3, random_state=0).fit(X, y)
        assert np.isfinite(model.predict(X)).all()

    @pytest.mark.parametrize("bad", [{"loss": "brier"}, {"weight": -1.0}])
    def test_refuses_bad_parameters(self, small, bad):
        with pytest.raises(InvalidInput, match=next(iter(bad))):
            LogNormalNN(**bad).fit(*small)

    def test_many_subjects_are_matched_at_some_times_only(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(900, 2))
        y = Outcome(time=np.exp(rng.normal(size=900)), event=np.ones(900))
        model = LogNormalNN(loss="sfm", max_epochs=1, random_state=0)
        model.fit(X, y, X[:600], y[:600])
        assert np.isfinite(model.history_.validation_loss).all()

    @pytest.mark.slow
    @pytest.mark.parametrize("loss", LOSSES)
    def test_learns_a_simulated_effect(self, learns, loss):
        learns(LogNormalNN(loss=loss, random_state=0))

    @pytest.mark.slow
    def test_a_heavy_weight_buys_calibration_where_the_law_is_wrong(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(1000, 2))
        y = Outcome(time=rng.uniform(0, 1, 1000), event=np.ones(1000))

        def curves(**options):
            model = LogNormalNN(
                dropout=0.0,
                learning_rate=1e-2,
                weight_decay=0.0,
                max_epochs=40,
                random_state=0,
                **options,
            )
            return model.fit(X, y, X, y).predict_survival_function(X)

        plain = curves()
        for loss, metric in {"x-cal": d_calibration, "sfm": km_calibration}.items():
            better = metric(y, curves(loss=loss, weight=1000.0))
            assert float(better) < 0.5 * float(metric(y, plain))

    @pytest.mark.slow
    def test_works_where_features_outnumber_subjects(self, wide):
        X, y = wide
        assert LogNormalNN(max_epochs=5, random_state=0).fit(X, y).score(X, y) > 0.6

    @pytest.mark.slow
    def test_ranks_gbsg(self, gbsg):
        train, test = gbsg
        assert LogNormalNN(random_state=0).fit(*train).score(*test) >= 0.65
