import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from consurv.models.deep.network import mlp  # noqa: E402


class TestNetwork:
    def test_has_four_parts_for_each_hidden_layer_and_a_linear_end(self):
        network = mlp(5, 2, hidden=(64, 32), dropout=0.4)
        kinds = [type(layer) for layer in network]
        hidden = [nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Dropout]
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
