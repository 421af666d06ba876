"""The networks of pycox as the authors' code makes them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from consurv.models.deep.network import Dropout
from consurv.models.deep.time_risks import TimeNetwork

__all__ = ["LateNormTimeNetwork", "late_norm_mlp"]


def late_norm_mlp(
    n_in: int, n_out: int, hidden: Sequence[int], dropout: float, *, bias: bool = True
) -> nn.Sequential:
    """Return a perceptron whose batch norm follows the ReLU, with He's weights.

    Parameters
    ----------
    n_in, n_out : int
    hidden : sequence of int
    dropout : float
    bias : bool
        Of the last layer.

    Examples
    --------
    >>> [type(layer).__name__ for layer in late_norm_mlp(3, 2, (8,), 0.4)]
    ['Linear', 'ReLU', 'BatchNorm1d', 'Dropout', 'Linear']
    """
    layers: list[nn.Module] = []
    for width in hidden:
        linear = nn.Linear(n_in, width)
        nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        layers += [linear, nn.ReLU(), nn.BatchNorm1d(width), Dropout(dropout)]
        n_in = width
    return nn.Sequential(*layers, nn.Linear(n_in, n_out, bias))


class LateNormTimeNetwork(TimeNetwork):
    """Cox-Time's network with the layers of pycox; its output has no bias.

    Examples
    --------
    >>> network = LateNormTimeNetwork(3, (8,), 0.4).eval()
    >>> x, times = torch.ones(5, 3), torch.tensor([0.5])
    >>> one, other = network(x, times.expand(5)), network.on_grid(x, times)[:, 0]
    >>> bool(torch.allclose(one, other, atol=1e-6))
    True
    """

    def __init__(self, n_features: int, hidden: Sequence[int], dropout: float) -> None:
        super().__init__(n_features, hidden, dropout)
        layers = late_norm_mlp(n_features + 1, 1, hidden, dropout, bias=False)
        first, *rest = layers.children()
        assert isinstance(first, nn.Linear)
        self.first, self.rest = first, nn.Sequential(*rest)

    def _fused_layers(self) -> list[nn.Linear]:
        """Return linear layers with a ReLU between; a norm joins the layer after it."""
        found: list[nn.Linear] = []
        norm: nn.BatchNorm1d | None = None
        for layer in (self.first, *self.rest):
            if isinstance(layer, nn.BatchNorm1d):
                norm = layer
            elif isinstance(layer, nn.Linear):
                found.append(layer if norm is None else _after_norm(layer, norm))
        return found


def _after_norm(layer: nn.Linear, norm: nn.BatchNorm1d) -> nn.Linear:
    """Return one layer that does what *norm* and then *layer* do."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    fused = nn.Linear(layer.in_features, layer.out_features)
    with torch.no_grad():
        fused.weight.copy_(layer.weight * factor)
        shift = layer.weight @ (norm.bias - norm.running_mean * factor)
        fused.bias.copy_(shift if layer.bias is None else shift + layer.bias)
    return fused
