"""DeepHit: its losses against naive loops and pycox, and the model."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.autograd import gradcheck

from consurv.errors import InvalidInput
from consurv.models.deep.deephit import DeepHit
from consurv.models.deep.losses.pmf import (
    bin_log_probabilities,
    bin_negative_log_likelihood,
    ranking_loss,
)
from consurv.outcome import Outcome

torch.set_num_threads(1)


def random_batch(n=40, k=6, seed=0):
    rng = np.random.default_rng(seed)
    logits = torch.tensor(rng.normal(size=(n, k)), dtype=torch.float64)
    index = torch.tensor(rng.integers(0, k, n))
    event = torch.tensor(rng.random(n) < 0.6)
    return logits, index, event


def naive_likelihood(p, index, event):
    terms = [
        p[i, index[i]] if event[i] else p[i, index[i] + 1 :].sum()
        for i in range(len(p))
    ]
    return -np.mean(np.log(terms))


def naive_ranking(p, index, event, sigma):
    n, total = len(p), 0.0
    for i in range(n):
        for j in range(n):
            later = index[j] > index[i] or (index[j] == index[i] and not event[j])
            if event[i] and later:
                own = p[i, : index[i] + 1].sum()
                other = p[j, : index[i] + 1].sum()
                total += np.exp(-(own - other) / sigma)
    return total / n**2


class TestLikelihood:
    def test_is_that_of_a_loop_over_subjects(self):
        logits, index, event = random_batch()
        log_p = bin_log_probabilities(logits)
        found = bin_negative_log_likelihood(log_p, index, event)
        expected = naive_likelihood(log_p.exp().numpy(), index.numpy(), event.numpy())
        assert_allclose(float(found), expected, rtol=1e-12)

    def test_a_subject_censored_in_the_first_bin_tells_nothing(self):
        log_p = bin_log_probabilities(torch.randn(1, 4))
        index, event = torch.tensor([-1]), torch.tensor([False])
        found = bin_negative_log_likelihood(log_p, index, event)
        assert_allclose(float(found), 0.0, atol=1e-6)

    def test_extreme_logits_stay_finite(self):
        logits = torch.tensor([[-200.0, 200.0], [200.0, -200.0]], requires_grad=True)
        index, event = torch.tensor([0, 0]), torch.tensor([True, False])
        log_p = bin_log_probabilities(logits)
        loss = bin_negative_log_likelihood(log_p, index, event)
        loss.backward()
        assert_allclose(float(loss.detach()), (400 + 200) / 2)
        assert torch.isfinite(logits.grad).all()

    def test_gradients_are_right(self):
        logits, index, event = random_batch(n=8)
        logits.requires_grad_()

        def loss(z):
            log_p = bin_log_probabilities(z)
            return bin_negative_log_likelihood(log_p, index, event)

        assert gradcheck(loss, (logits,))


class TestRanking:
    def test_is_that_of_a_loop_over_pairs(self):
        logits, index, event = random_batch()
        log_p = bin_log_probabilities(logits)
        expected = naive_ranking(
            log_p.exp().numpy(), index.numpy(), event.numpy(), sigma=0.1
        )
        found = ranking_loss(log_p, index, event, 0.1)
        assert_allclose(float(found), expected, rtol=1e-12)

    def test_a_narrow_exponential_stays_in_range(self):
        # exp(F / σ) alone would overflow; no difference of these F does.
        logits, index, event = random_batch()
        logits, sigma = 0.05 * logits, 1e-3
        log_p = bin_log_probabilities(logits.float().requires_grad_())
        found = ranking_loss(log_p, index, event, sigma)
        p = bin_log_probabilities(logits).exp().numpy()
        expected = naive_ranking(p, index.numpy(), event.numpy(), sigma)
        assert np.isfinite(expected)
        assert_allclose(float(found.detach()), expected, rtol=1e-2)

    def test_who_is_never_outlived_costs_nothing(self):
        log_p = bin_log_probabilities(torch.zeros(2, 3)).requires_grad_()
        index, event = torch.tensor([2, 1]), torch.tensor([True, False])
        loss = ranking_loss(log_p, index, event, 1e-3)
        loss.backward()
        assert float(loss.detach()) == 0
        assert torch.isfinite(log_p.grad).all()

    def test_is_zero_without_events(self):
        logits, index, _ = random_batch()
        log_p = bin_log_probabilities(logits)
        assert float(ranking_loss(log_p, index, index < 0, 0.1)) == 0

    def test_gradients_are_right(self):
        logits, index, event = random_batch(n=8)
        logits.requires_grad_()

        def loss(z):
            return ranking_loss(bin_log_probabilities(z), index, event, 0.5)

        assert gradcheck(loss, (logits,))

    def test_the_order_of_subjects_does_not_matter(self):
        logits, index, event = random_batch()
        order = torch.randperm(len(index), generator=torch.Generator().manual_seed(1))
        first = ranking_loss(bin_log_probabilities(logits), index, event, 0.1)
        second = ranking_loss(
            bin_log_probabilities(logits[order]), index[order], event[order], 0.1
        )
        assert_allclose(float(first), float(second), rtol=1e-12)


class TestPycox:
    # Its likelihood adds 1e-7 inside the logarithm.
    @pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0])
    def test_has_the_same_loss(self, alpha):
        pycox_loss = pytest.importorskip("pycox.models.loss")
        data = pytest.importorskip("pycox.models.data")
        logits, index, event = random_batch()
        ranks = data.pair_rank_mat(index.numpy(), event.numpy(), "float64")
        oracle = pycox_loss.DeepHitSingleLoss(alpha, 0.1)
        # It makes its ones in the default type.
        torch.set_default_dtype(torch.float64)
        try:
            expected = oracle(logits, index, event.double(), torch.tensor(ranks))
        finally:
            torch.set_default_dtype(torch.float32)
        model, batch = DeepHit(alpha=alpha), {"x": logits}
        batch |= {"index": index, "event": event}
        found = model._loss(torch.nn.Identity(), batch)
        assert_allclose(float(found), float(expected), rtol=1e-6)


class TestTargets:
    def test_events_belong_to_their_bin_and_the_censored_to_the_last_they_survived(
        self,
    ):
        model = DeepHit()
        model.edges_ = np.array([2.0, 4.0])
        time = [1, 2, 3, 4, 9, 1, 2, 3, 4, 9]
        targets = model._encode(Outcome(time=time, event=[1] * 5 + [0] * 5))
        assert targets["index"].tolist() == [0, 0, 1, 1, 1, -1, 0, 0, 1, 1]


class TestModel:
    def test_curves_are_linear_between_the_edges(self, small):
        X, y = small
        model = DeepHit(max_epochs=3, random_state=0).fit(X, y)
        curves = model.predict_survival_function(X[:4])
        assert curves.interpolation == "linear"
        assert_allclose(curves.times, np.concatenate([[0], model.edges_]))
        assert len(model.edges_) <= np.ceil(np.sqrt(y.n_events))

    def test_the_unit_of_time_does_not_matter(self, small):
        X, y = small
        fitted = [
            DeepHit(max_epochs=3, random_state=0).fit(
                X, Outcome(time=y.time * unit, event=y.event)
            )
            for unit in (1.0, 2.0**20)
        ]
        first, second = (m.predict_survival_function(X) for m in fitted)
        assert_allclose(first.survival, second.survival, rtol=1e-6)
        assert_allclose(first.times * 2.0**20, second.times)

    @pytest.mark.parametrize("bad", [{"alpha": 1.5}, {"sigma": 0}])
    def test_refuses_bad_parameters(self, small, bad):
        with pytest.raises(InvalidInput, match=next(iter(bad))):
            DeepHit(**bad).fit(*small)

    def test_one_event_makes_one_bin(self):
        X = np.arange(12.0)[:, None] / 12
        y = Outcome(time=np.arange(1, 13), event=[0] * 5 + [1] + [0] * 6)
        with pytest.warns(UserWarning, match="validation set"):
            model = DeepHit(max_epochs=2, random_state=0).fit(X, y)
        assert model.edges_.tolist() == [6.0]
        assert len(model.predict_survival_function(X)) == 12

    @pytest.mark.slow
    def test_learns_a_simulated_effect(self, learns):
        learns(DeepHit(random_state=0))

    @pytest.mark.slow
    def test_works_where_features_outnumber_subjects(self, wide):
        X, y = wide
        assert DeepHit(max_epochs=5, random_state=0).fit(X, y).score(X, y) > 0.6

    @pytest.mark.slow
    def test_ranks_gbsg(self, gbsg):
        train, test = gbsg
        assert DeepHit(random_state=0).fit(*train).score(*test) >= 0.65
