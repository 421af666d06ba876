"""Relative risks that change with time: the network and its Breslow baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from torch import Tensor, nn

from consurv._checks import Float
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["TimeNetwork", "breslow_increments"]

# Hidden units held at once when a network is evaluated on many times.
_UNITS_AT_ONCE = 2**20
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
    >>> import torch
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

    def on_grid(self, x: Tensor, times: Tensor) -> Tensor:
        """Return g(x_i, t_k) for rows (n, m) and times (k,), of shape (n, k).

        The features pass the first layer once and not once for every time.
        """
        weight, bias = self.first.weight, self.first.bias
        of_time = times[:, None] * weight[:, -1]
        block = max(1, _UNITS_AT_ONCE // of_time.numel())
        log_risk = x.new_empty(len(x), len(times))
        for start in range(0, len(x), block):
            of_x = nn.functional.linear(x[start : start + block], weight[:, :-1], bias)
            units = (of_x[:, None] + of_time).flatten(0, 1)
            log_risk[start : start + block] = self.rest(units).view(len(of_x), -1)
        return log_risk


def breslow_increments(
    log_risks: Callable[[Float], Float], outcome: Outcome, max_times: int
) -> tuple[Float, Float]:
    """Estimate the baseline hazard under relative risks that change with time.

    Each event at t_i adds 1 / Σ_j exp(g(x_j, t_i)), the sum over those at risk. With
    more than *max_times* event times, events are grouped at quantiles and g is taken
    at the end of their group.

    Parameters
    ----------
    log_risks : callable
        Maps times (k,) to g of all subjects, of shape (n, k).
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
    >>> breslow_increments(lambda times: np.zeros((3, len(times))), y, 100)
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
        risks = np.exp(log_risks(times[block]))
        sums = np.cumsum(risks[::-1], axis=0)[::-1]
        inside = (group >= start) & (group < start + _TIMES_AT_ONCE)
        gained = 1 / sums[first_at_risk[inside], group[inside] - start]
        increments += np.bincount(group[inside], gained, minlength=len(times))
    return times, increments
