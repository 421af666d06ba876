"""CQRNN: the loss with Portnoy's weights, the crossing penalty and the model."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.models.deep.cqrnn import CQRNN
from consurv.models.deep.losses.portnoy import (
    censored_pinball_loss,
    crossing_penalty,
    portnoy_weights,
)
from consurv.outcome import Outcome

torch.set_num_threads(1)

TAU = torch.tensor([0.1, 0.25, 0.5, 0.75, 0.9], dtype=torch.float64)


def random_batch(n=30, seed=0):
    rng = np.random.default_rng(seed)
    predicted = torch.tensor(rng.random((n, len(TAU))))
    time = torch.tensor(rng.random(n))
    return predicted, time, torch.tensor(rng.random(n) < 0.5)


def pinball(y, q, tau):
    return tau * (y - q) if y >= q else (1 - tau) * (q - y)


def naive_loss(predicted, time, event, tau, far):
    total = 0.0
    for q, t, happened in zip(predicted, time, event, strict=True):
        nearest = np.abs(t - q).min()
        own = max(
            s for s, value in zip(tau, q, strict=True) if abs(t - value) == nearest
        )
        for s, value in zip(tau, q, strict=True):
            if happened:
                total += pinball(t, value, s)
            else:
                w = 1.0 if s < own else (s - own) / (1 - own)
                total += w * pinball(t, value, s) + (1 - w) * pinball(far, value, s)
    return total / len(time)


class TestWeights:
    def test_of_a_worked_example(self):
        # The censored time 3.2 is nearest to the median.
        predicted = torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]], dtype=torch.float64)
        weights = portnoy_weights(predicted, torch.tensor([3.2]).double(), TAU)
        assert_allclose(weights[0], [1, 1, 0, 0.5, 0.8])

    def test_of_equally_near_quantiles_the_highest_counts(self):
        predicted = torch.tensor([[1.0, 2.0, 2.0, 4.0, 5.0]], dtype=torch.float64)
        weights = portnoy_weights(predicted, torch.tensor([2.0]).double(), TAU)
        assert_allclose(weights[0], [1, 1, 0, 0.5, 0.8])

    def test_carry_no_gradient(self):
        predicted, time, _ = random_batch()
        predicted.requires_grad_()
        assert not portnoy_weights(predicted, time, TAU).requires_grad


class TestLoss:
    @pytest.mark.parametrize("seed", range(3))
    def test_is_that_of_a_loop_over_subjects_and_quantiles(self, seed):
        predicted, time, event = random_batch(seed=seed)
        found = censored_pinball_loss(predicted, time, event, TAU, 1.2)
        arrays = (a.numpy() for a in (predicted, time, event, TAU))
        assert_allclose(float(found), naive_loss(*arrays, 1.2), rtol=1e-12)

    def test_without_censoring_is_the_pinball_loss(self):
        sklearn = pytest.importorskip("sklearn.metrics")
        predicted, time, event = random_batch()
        found = censored_pinball_loss(predicted, time, event | True, TAU, 1.2)
        expected = sum(
            sklearn.mean_pinball_loss(time, predicted[:, k], alpha=float(tau))
            for k, tau in enumerate(TAU)
        )
        assert_allclose(float(found), expected, rtol=1e-12)

    def test_gradients_are_right(self):
        predicted, time, event = random_batch(n=8)
        predicted.requires_grad_()

        def loss(q):
            return censored_pinball_loss(q, time, event, TAU, 1.2)

        assert gradcheck(loss, (predicted,))

    def test_its_minimum_for_one_population_is_the_kaplan_meier_curve(self):
        # Portnoy: without features the estimator is Kaplan–Meier's.
        rng = np.random.default_rng(0)
        event_time, censoring = rng.exponential(1, 2000), rng.exponential(2, 2000)
        time, event = np.minimum(event_time, censoring), event_time <= censoring
        tau = torch.linspace(0.05, 0.8, 16, dtype=torch.float64)
        q = torch.linspace(0.1, 2.0, 16, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([q], lr=0.02)
        y, d = torch.tensor(time), torch.tensor(event)
        for _ in range(200):
            optimizer.zero_grad()
            loss = censored_pinball_loss(q.expand(2000, 16), y, d, tau, 20.0)
            loss.backward()
            optimizer.step()
        km = KaplanMeier(Outcome(time=time, event=event))
        at_quantiles = km.survival_at(q.detach().numpy())
        # The nearest level of the grid stands for a censored time.
        assert_allclose(1 - at_quantiles, tau, atol=0.04)


class TestCrossing:
    def test_is_that_of_a_loop(self):
        predicted = random_batch()[0]
        gaps = [
            max(0.0, 0.1 - float(row[k + 1] - row[k]))
            for row in predicted
            for k in range(len(TAU) - 1)
        ]
        found = crossing_penalty(predicted, 0.1)
        assert_allclose(float(found), np.mean(gaps), rtol=1e-12)

    def test_monotone_quantiles_cost_nothing(self):
        assert float(crossing_penalty(torch.tensor([[1.0, 2.0, 2.0]]))) == 0

    def test_one_quantile_cannot_cross(self):
        assert float(crossing_penalty(torch.tensor([[1.0], [0.0]]))) == 0

    def test_gradients_are_right(self):
        predicted = random_batch(n=5)[0].requires_grad_()
        assert gradcheck(crossing_penalty, (predicted, 0.1))


@pytest.fixture(scope="module")
def model(small):
    return CQRNN(max_epochs=5, crossing_weight=0.0, random_state=0).fit(*small)


class TestModel:
    def test_has_the_levels_of_its_percentiles(self, model, small):
        assert_allclose(model.levels_, np.arange(1, 20) / 20)
        given = CQRNN(percentiles=[0.9, 0.1], max_epochs=1, random_state=0).fit(*small)
        assert given.levels_.tolist() == [0.1, 0.9]

    def test_raw_percentile_times_cross_and_the_curves_do_not(self, model, small):
        X, _ = small
        raw = model.predict_percentile_times(X)
        rearranged = model.predict_survival_function(X).percentile_times(model.levels_)
        assert raw.shape == (len(X), 19)
        assert raw.min() >= 0
        assert (np.diff(raw, axis=1) > 0).any()
        assert (np.diff(rearranged, axis=1) <= 0).all()

    def test_rows_that_do_not_cross_are_kept(self, small):
        X, y = small
        model = CQRNN(percentiles=3, max_epochs=60, learning_rate=1e-2, random_state=0)
        raw = model.fit(X, y).predict_percentile_times(X)
        kept = (np.diff(raw, axis=1) <= 0).all(axis=1)
        curves = model.predict_survival_function(X[kept])
        assert_allclose(curves.percentile_times(model.levels_), raw[kept], rtol=1e-6)

    def test_percentile_times_are_those_of_the_levels(self, small):
        X, y = small
        model = CQRNN(learning_rate=1e-2, max_epochs=60, random_state=0).fit(X, y)
        at_level = dict(
            zip(
                model.levels_.round(2),
                model.predict_percentile_times(X).mean(axis=0),
                strict=True,
            )
        )
        assert at_level[0.9] < at_level[0.5] < at_level[0.1]

    def test_the_unit_of_time_does_not_matter(self, small):
        X, y = small
        first, second = (
            CQRNN(max_epochs=3, random_state=0)
            .fit(X, Outcome(time=y.time * unit, event=y.event))
            .predict_percentile_times(X)
            for unit in (1.0, 2.0**20)
        )
        assert_allclose(first * 2.0**20, second, rtol=1e-6)

    def test_one_percentile_is_enough(self, small):
        X, y = small
        model = CQRNN(percentiles=1, max_epochs=2, random_state=0).fit(X, y)
        assert len(model.predict_survival_function(X)) == len(X)

    @pytest.mark.parametrize(
        "bad",
        [{"percentiles": 0}, {"percentiles": [0.5, 1.5]}, {"crossing_weight": -1}],
    )
    def test_refuses_bad_parameters(self, small, bad):
        with pytest.raises(InvalidInput, match=next(iter(bad))):
            CQRNN(**bad).fit(*small)

    @pytest.mark.slow
    def test_learns_a_simulated_effect(self, learns):
        learns(CQRNN(random_state=0))

    @pytest.mark.slow
    def test_works_where_features_outnumber_subjects(self, wide):
        X, y = wide
        assert CQRNN(max_epochs=30, random_state=0).fit(X, y).score(X, y) > 0.6

    @pytest.mark.slow
    def test_ranks_gbsg(self, gbsg):
        train, test = gbsg
        assert CQRNN(random_state=0).fit(*train).score(*test) >= 0.65
