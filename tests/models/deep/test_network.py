import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from consurv.models.deep.network import Dropout, mlp  # noqa: E402


class TestNetwork:
    def test_has_four_parts_for_each_hidden_layer_and_a_linear_end(self):
        network = mlp(5, 2, hidden=(64, 32), dropout=0.4)
        kinds = [type(layer) for layer in network]
        hidden = [nn.Linear, nn.BatchNorm1d, nn.ReLU, Dropout]
        assert kinds == [*hidden, *hidden, nn.Linear]
        assert [layer.p for layer in network if isinstance(layer, nn.Dropout)] == (
            [0.4, 0.4]
        )
        shapes = [tuple(m.weight.shape) for m in network if isinstance(m, nn.Linear)]
        assert shapes == [(64, 5), (32, 64), (2, 32)]

    def test_without_hidden_layers_is_linear(self):
        network = mlp(3, 1, hidden=())
        a, b = torch.randn(4, 3), torch.randn(4, 3)
        zero = network(torch.zeros(4, 3))
        torch.testing.assert_close(network(a + b), network(a) + network(b) - zero)


class TestDropout:
    def test_keeps_the_mean_and_drops_the_share(self):
        torch.manual_seed(0)
        dropped = Dropout(0.4)(torch.ones(100_000))
        assert dropped.unique().tolist() == pytest.approx([0, 1 / 0.6])
        assert float((dropped == 0).float().mean()) == pytest.approx(0.4, abs=0.01)

    def test_the_gradient_is_that_of_what_is_kept(self):
        x = torch.ones(50, requires_grad=True)
        dropped = Dropout(0.4)(x)
        dropped.sum().backward()
        torch.testing.assert_close(x.grad, dropped.detach())

    def test_does_nothing_outside_training(self):
        x = torch.randn(20)
        assert torch.equal(Dropout(0.4).eval()(x), x)
        assert torch.equal(Dropout(0.0)(x), x)
