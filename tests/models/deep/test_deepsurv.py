import numpy as np
import pytest

torch = pytest.importorskip("torch")

from consurv.curves.breslow import breslow  # noqa: E402
from consurv.models import DeepSurv  # noqa: E402
from consurv.models.deep.deepsurv import cox_loss  # noqa: E402
from consurv.outcome import Outcome  # noqa: E402


def by_hand(log_risk, time, event):
    """Minus the log partial likelihood per event, one event after the other."""
    losses = [
        torch.log(sum(torch.exp(log_risk[j]) for j in range(len(time)) if time[j] >= t))
        - log_risk[i]
        for i, t in enumerate(time)
        if event[i]
    ]
    return sum(losses) / len(losses)


@pytest.fixture
def batch():
    """Scores, whole-number times with ties, events."""
    generator = torch.Generator().manual_seed(0)
    log_risk = torch.randn(40, generator=generator, dtype=torch.float64)
    time = torch.randint(1, 9, (40,), generator=generator)
    event = torch.rand(40, generator=generator) < 0.6
    return log_risk, time, event


class TestLoss:
    def test_agrees_with_a_loop_when_times_are_tied(self, batch):
        torch.testing.assert_close(cox_loss(*batch), by_hand(*batch))

    def test_by_hand(self):
        # Risk sets {1, 2, 3} twice and {3}: (2 log 3 + log 1) / 3.
        time, event = torch.tensor([1, 1, 2]), torch.tensor([True, True, True])
        assert float(cox_loss(torch.zeros(3), time, event)) == pytest.approx(
            2 * np.log(3) / 3
        )

    def test_has_the_right_gradient(self, batch):
        log_risk, time, event = batch
        log_risk.requires_grad_()
        assert torch.autograd.gradcheck(lambda s: cox_loss(s, time, event), log_risk)

    def test_does_not_depend_on_the_order_of_rows(self, batch):
        order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
        shuffled = [tensor[order] for tensor in batch]
        torch.testing.assert_close(cox_loss(*shuffled), cox_loss(*batch))

    def test_of_a_batch_without_events_is_zero_and_teaches_nothing(self):
        log_risk = torch.randn(3, requires_grad=True)
        loss = cox_loss(log_risk, torch.arange(3), torch.zeros(3, dtype=torch.bool))
        loss.backward()
        assert loss.item() == 0
        assert log_risk.grad.tolist() == [0, 0, 0]

    def test_is_finite_for_scores_whose_exponential_is_not(self):
        log_risk = torch.tensor([500.0, -500.0, 0.0], requires_grad=True)
        loss = cox_loss(log_risk, torch.arange(3), torch.ones(3, dtype=torch.bool))
        loss.backward()
        assert torch.isfinite(loss)
        assert torch.isfinite(log_risk.grad).all()

    @pytest.mark.filterwarnings("ignore:Ties in `time` detected")
    def test_is_that_of_torchsurv(self, batch):
        cox = pytest.importorskip("torchsurv.loss.cox")
        log_risk, time, event = batch
        theirs = cox.neg_partial_log_likelihood(
            log_risk.float(), event, time.float(), "breslow", reduction="sum"
        )
        ours = cox_loss(log_risk.float(), time, event) * event.sum()
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=0)

    @pytest.mark.filterwarnings("ignore")
    def test_is_that_of_pycox_without_ties(self, batch):
        loss = pytest.importorskip("pycox.models.loss")
        log_risk, _, event = batch
        time = torch.arange(40)
        theirs = loss.cox_ph_loss_sorted(log_risk.flip(0), event.flip(0))
        torch.testing.assert_close(
            cox_loss(log_risk, time, event), theirs, rtol=1e-5, atol=0
        )


class TestModel:
    def test_uses_the_baseline_of_the_whole_training_set(self, simulated):
        X, y = simulated
        model = DeepSurv(max_epochs=3, random_state=0)
        model.fit(X, y, X[:20], y[:20])
        with torch.no_grad():
            scores = model.network_(torch.tensor(X, dtype=torch.float32))[:, 0].numpy()
        expected = breslow(scores, y)
        np.testing.assert_array_equal(model.baseline_.times, expected.times)
        np.testing.assert_allclose(
            model.baseline_.log_hazard, expected.log_hazard, rtol=1e-6
        )

    def test_tells_times_apart_that_float32_would_not(self):
        y = Outcome([1, 1 + 1e-9, 1], [1, 1, 0])
        assert DeepSurv()._encode(y)["rank"].tolist() == [0, 1, 0]

    def test_without_hidden_layers_is_the_cox_model(self, simulated):
        from consurv.models import CoxPH

        X, y = simulated
        model = DeepSurv(
            hidden=(), learning_rate=0.02, weight_decay=0, max_epochs=300, patience=300
        )
        weights = model.fit(X, y, X, y).network_[0].weight[0].detach().numpy()
        expected = CoxPH(penalty=1e-9).fit(X, y).coef_
        np.testing.assert_allclose(weights, expected, atol=1e-3)
