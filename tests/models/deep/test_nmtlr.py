import numpy as np
import pytest

torch = pytest.importorskip("torch")

from consurv.models import NMTLR  # noqa: E402
from consurv.models.deep.nmtlr import (  # noqa: E402
    mtlr_log_probabilities,
    mtlr_loss,
)
from consurv.outcome import Outcome  # noqa: E402


def by_hand(outputs, bins, share, event):
    """The definition, subject by subject and bin by bin."""
    losses = []
    for f, i, left, happened in zip(outputs, bins, share, event, strict=True):
        k = len(f)
        scores = [sum(f[j] for j in range(a, k)) for a in range(k)] + [0.0 * f[0]]
        p = [torch.exp(s) for s in scores]
        total = sum(p)
        chance = p[i] if happened else left * p[i] + sum(p[int(i) + 1 :])
        losses.append(-torch.log(chance / total))
    return sum(losses) / len(losses)


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(0)
    outputs = torch.randn(30, 5, generator=generator, dtype=torch.float64)
    event = torch.rand(30, generator=generator) < 0.5
    bins = torch.randint(0, 6, (30,), generator=generator)
    share = torch.rand(30, generator=generator, dtype=torch.float64)
    share[bins == 5] = 1.0  # the open bin has no end
    share[:6:2] = torch.where(bins[:6:2] < 5, 0.0, 1.0).double()
    return outputs, bins, share, event


class TestLoss:
    def test_agrees_with_a_loop(self, batch):
        torch.testing.assert_close(mtlr_loss(*batch), by_hand(*batch))

    def test_has_the_right_gradient(self, batch):
        outputs, *targets = batch
        outputs.requires_grad_()
        assert torch.autograd.gradcheck(lambda f: mtlr_loss(f, *targets), outputs)

    @pytest.mark.parametrize("happened", [True, False])
    @pytest.mark.parametrize("i", [0, 1, 2])
    def test_stays_finite_for_extreme_outputs(self, i, happened):
        outputs = torch.tensor([[300.0, -300.0], [-300.0, 300.0]], requires_grad=True)
        share = torch.full((2,), 1.0 if i == 2 else 0.0)
        event = torch.full((2,), happened)
        loss = mtlr_loss(outputs, torch.full((2,), i), share, event)
        loss.backward()
        assert torch.isfinite(loss)
        assert torch.isfinite(outputs.grad).all()

    @pytest.mark.filterwarnings("ignore")
    def test_is_that_of_pycox_for_censorings_at_the_edges(self, batch):
        loss = pytest.importorskip("pycox.models.loss")
        outputs, bins, share, event = batch
        bins = bins.clamp(max=4)  # pycox has no open bin for observed times
        theirs = loss.nll_mtlr(outputs, bins, event, epsilon=0.0)
        ours = mtlr_loss(outputs, bins, torch.zeros_like(share), event)
        torch.testing.assert_close(ours, theirs)

    def test_probabilities_sum_to_one(self, batch):
        total = mtlr_log_probabilities(batch[0]).exp().sum(dim=1)
        torch.testing.assert_close(total, torch.ones(30, dtype=torch.float64))


class TestModel:
    def test_has_a_bin_for_each_root_of_events(self, simulated):
        X, y = simulated
        model = NMTLR(max_epochs=1, random_state=0).fit(X, y, X[:20], y[:20])
        assert len(model.edges_) == int(np.ceil(np.sqrt(y.n_events)))
        assert model.edges_[-1] == y.time[y.event].max()

    def test_has_curves_that_are_straight_between_the_edges(self, simulated):
        X, y = simulated
        model = NMTLR(max_epochs=1, random_state=0).fit(X, y)
        curves = model.predict_survival_function(X)
        assert curves.interpolation == "linear"
        np.testing.assert_array_equal(curves.times, np.append(0, model.edges_))
        with torch.no_grad():
            outputs = model.network_(torch.tensor(X, dtype=torch.float32))
            p = mtlr_log_probabilities(outputs).exp().numpy()
        expected = 1 - np.cumsum(p, axis=1)[:, :-1]
        np.testing.assert_allclose(curves.survival[:, 1:], expected, atol=1e-6)

    def test_places_outcomes_in_bins(self):
        model = NMTLR()
        model.edges_ = np.array([2.0, 4.0])
        y = Outcome(time=[2, 3, 3, 5, 5], event=[1, 1, 0, 0, 1])
        targets = model._encode(y)
        # The last, an event after the last edge, counts in the last bin with an end.
        assert targets["bin"].tolist() == [0, 1, 1, 2, 1]
        assert targets["share"][[2, 3]].tolist() == [0.5, 1.0]

    def test_of_one_group_comes_to_the_kaplan_meier_curve(self):
        from consurv.curves import KaplanMeier

        rng = np.random.default_rng(0)
        time, censored = rng.exponential(size=800), rng.exponential(2.0, 800)
        y = Outcome(np.minimum(time, censored), time <= censored)
        X = rng.normal(size=(800, 1))
        model = NMTLR(
            hidden=(),
            learning_rate=0.2,
            weight_decay=0,
            batch_size=800,
            max_epochs=100,
            random_state=0,
        )
        mean = model.fit(X, y, X, y).predict_survival_function(X).survival.mean(axis=0)
        km = KaplanMeier(y).survival_at(model.edges_)
        np.testing.assert_allclose(mean[1:], km, atol=5e-3)
