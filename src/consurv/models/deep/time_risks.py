"""Relative risks that change with time: the network and its Breslow baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_linear_bn_eval

from consurv._checks import Float
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["TimeNetwork", "breslow_increments"]

# Hidden units held at once when a network is evaluated on many times: they stay in the
# cache of a core, which makes it twice as fast as with 2**20.
_UNITS_AT_ONCE = 2**17
# Times whose risks are summed at once.
_TIMES_AT_ONCE = 32


class TimeNetwork(nn.Module):
    """A multilayer perceptron g(x, t) with time as one more input.

    Parameters
    ----------
    n_features : int
    hidden : sequence of int
    dropout : float

    Examples
    --------
    >>> network = TimeNetwork(3, (8,), 0.4).eval()
    >>> x, times = torch.zeros(5, 3), torch.tensor([0.0, 1.0])
    >>> network(x, torch.ones(5)).shape, network.on_grid(x, times).shape
    (torch.Size([5]), torch.Size([5, 2]))
    >>> network(x, times, rows=torch.tensor([3, 3])).shape
    torch.Size([2])
    """

    def __init__(
        self, n_features: int, hidden: Sequence[int] = (64, 64), dropout: float = 0.4
    ) -> None:
        super().__init__()
        first, *rest = mlp(n_features + 1, 1, hidden, dropout).children()
        assert isinstance(first, nn.Linear)
        self.first, self.rest = first, nn.Sequential(*rest)

    def forward(self, x: Tensor, time: Tensor, rows: Tensor | None = None) -> Tensor:
        """Return g(x_i, t_i) for rows (n, m) and times (n,).

        With *rows* (k,) and times (k,) it is g(x_rows, t), where a row may come often.
        """
        weight, bias = self.first.weight, self.first.bias
        of_x = nn.functional.linear
        if rows is None:
            units = of_x(x, weight[:, :-1], bias)
        elif len(rows) < len(x):
            units = of_x(x.index_select(0, rows), weight[:, :-1], bias)
        else:  # every row passes the first layer once
            units = of_x(x, weight[:, :-1], bias).index_select(0, rows)
        log_risk: Tensor = self.rest(units + time[:, None] * weight[:, -1])
        return log_risk[:, 0]

    @torch.no_grad()
    def on_grid(self, x: Tensor, times: Tensor) -> Tensor:
        """Return g(x_i, t_k) for rows (n, m) and times (k,), of shape (n, k).

        For a trained network in evaluation mode. The features pass the first layer
        once and not once for every time; batch norms become part of the layers.
        """
        first, *rest = self._fused_layers()
        of_time = times[:, None] * first.weight[:, -1]
        of_x = nn.functional.linear(x, first.weight[:, :-1], first.bias)
        n, k = len(x), len(times)
        block = min(n, max(1, _UNITS_AT_ONCE // of_time.numel()))
        # The same memory for all blocks: fresh memory costs more than the sums.
        widths = [layer.out_features for layer in (first, *rest)]
        weights = [layer.weight.T.contiguous() for layer in rest]
        room = [x.new_empty(block * k, width) for width in widths]
        log_risk = x.new_empty(n, k)
        for start in range(0, n, block):
            rows = slice(start, min(start + block, n))
            units, *outputs = (r[: (rows.stop - start) * k] for r in room)
            torch.add(of_x[rows, None], of_time, out=units.view(-1, k, widths[0]))
            for layer, weight, output in zip(rest, weights, outputs, strict=True):
                torch.addmm(layer.bias, units.relu_(), weight, out=output)
                units = output
            log_risk[rows] = units.view(-1, k)
        return log_risk

    def _fused_layers(self) -> list[nn.Linear]:
        layers = [self.first, *self.rest]
        return [
            fuse_linear_bn_eval(layer, after)
            if isinstance(after, nn.BatchNorm1d)
            else layer
            for layer, after in zip(layers, [*layers[1:], None], strict=True)
            if isinstance(layer, nn.Linear)
        ]


def breslow_increments(
    log_risks: Callable[[int, Float], Float], outcome: Outcome, max_times: int
) -> tuple[Float, Float]:
    """Estimate the baseline hazard under relative risks that change with time.

    Each event at t_i adds 1 / Σ_j exp(g(x_j, t_i)), the sum over those at risk. With
    more than *max_times* event times, events are grouped at quantiles and g is taken
    at the end of their group.

    Parameters
    ----------
    log_risks : callable
        Maps a first subject i and times (k,) to g of the subjects from i on, of shape
        (n − i, k).
    outcome : Outcome of n subjects
        In order of time.
    max_times : int

    Returns
    -------
    times, increments : array of shape (k,)
        Event times, ascending, and what the cumulative baseline hazard gains there.

    Examples
    --------
    >>> y = Outcome(time=[1, 2, 4], event=[1, 0, 1])
    >>> breslow_increments(lambda i, times: np.zeros((3 - i, len(times))), y, 100)
    (array([1., 4.]), array([0.33333333, 1.        ]))
    """
    own = outcome.time[outcome.event]
    times = np.unique(own)
    if len(times) > max_times:
        shares = np.arange(1, max_times + 1) / max_times
        times = np.unique(np.quantile(own, shares, method="inverted_cdf"))
    group = np.searchsorted(times, own, side="left")
    first_at_risk = np.searchsorted(outcome.time, own, side="left")
    increments = np.zeros(len(times))
    for start in range(0, len(times), _TIMES_AT_ONCE):
        block = slice(start, start + _TIMES_AT_ONCE)
        inside = (group >= start) & (group < start + _TIMES_AT_ONCE)
        first = first_at_risk[inside]
        earliest = int(first.min())  # nobody before is at risk in this block
        risks = np.exp(log_risks(earliest, times[block]))
        sums = np.cumsum(risks[::-1], axis=0)[::-1]
        gained = 1 / sums[first - earliest, group[inside] - start]
        increments += np.bincount(group[inside], gained, minlength=len(times))
    return times, increments
