"""Calibration as part of a loss: X-cal and survival function matching."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import relu

__all__ = ["batch_kaplan_meier", "mean_curve_distance", "x_calibration"]

# A censored survival probability this small is spread over the first bin alone.
_TINY = 1e-6


def x_calibration(
    survival: Tensor, event: Tensor, n_bins: int = 10, gamma: float = 1e4
) -> Tensor:
    """Return X-cal, D-calibration that can be differentiated.

    The sum over n_bins equal bins I = [a, b] of (share of I − |I|)². An event at
    S(t) = u counts in I by the soft membership 1 / (1 + exp(−γ (u − a)(b − u))), with
    the outer bins open to the outside. A censored subject with S(c) = u is spread
    evenly over (0, u) as in D-calibration: |I ∩ (0, u)| / u.

    Parameters
    ----------
    survival : Tensor of shape (n,)
        S(t_i | x_i) at the observed times.
    event : bool Tensor of shape (n,)
    n_bins : int, default=10
    gamma : float, default=1e4
        Sharpness of the membership.

    Returns
    -------
    scalar Tensor

    References
    ----------
    Goldstein, Han, Puli, Perotte, Ranganath: X-CAL: Explicit Calibration for Survival
    Analysis, NeurIPS 2020.

    Examples
    --------
    >>> middle_of_bins = (torch.arange(10) + 0.5) / 10
    >>> x_calibration(middle_of_bins, torch.ones(10, dtype=torch.bool)) < 1e-6
    tensor(True)
    """
    edges = torch.linspace(
        0, 1, n_bins + 1, dtype=survival.dtype, device=survival.device
    )
    low, high = edges[:-1].clone(), edges[1:].clone()
    u = survival[:, None]
    spread = u.clamp_min(_TINY)
    censored = torch.minimum(relu(spread - low), high - low) / spread
    low[0], high[-1] = -1.0, 2.0
    exact = torch.sigmoid(gamma * (u - low) * (high - u))
    share = torch.where(event[:, None], exact, censored).mean(dim=0)
    return ((share - 1 / n_bins) ** 2).sum()


def batch_kaplan_meier(time: Tensor, event: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sorted times and the Kaplan–Meier curve at each of them.

    Parameters
    ----------
    time, event : Tensor of shape (n,)

    Returns
    -------
    times, survival : Tensor of shape (n,)
        Ascending; tied times all have the value of the curve after their events.

    Examples
    --------
    >>> time, event = torch.tensor([2.0, 1.0, 2.0]), torch.tensor([True, True, False])
    >>> batch_kaplan_meier(time, event)
    (tensor([1., 2., 2.]), tensor([0.6667, 0.3333, 0.3333]))
    """
    # Stable sorts: events before censorings at a tied time.
    order = torch.argsort(event, descending=True, stable=True)
    order = order[torch.argsort(time[order], stable=True)]
    times, events = time[order], event[order]
    n = times.shape[0]
    at_risk = torch.arange(n, 0, -1, dtype=time.dtype, device=time.device)
    survival = (1 - events.to(time.dtype) / at_risk).cumprod(dim=0)
    last = torch.searchsorted(times, times, right=True) - 1
    return times, survival[last]


def mean_curve_distance(times: Tensor, km: Tensor, mean_curve: Tensor) -> Tensor:
    """Return the mean absolute distance of two curves over time.

    (1 / t_max) ∫ |K(t) − M(t)| dt from 0 to t_max by the trapezoidal rule on the
    given times: KM-calibration with the absolute in place of the squared error, the
    core of survival function matching.

    Parameters
    ----------
    times : Tensor of shape (m,)
        Ascending, > 0.
    km, mean_curve : Tensor of shape (m,)
        The Kaplan–Meier curve and the mean predicted curve at these times.

    Returns
    -------
    scalar Tensor

    References
    ----------
    Chapfuwa, Tao, Li, Khan, Chandross, Pencina, Carin, Henao: Calibration and
    Uncertainty in Neural Time-to-Event Modeling, 2020.

    Examples
    --------
    >>> times = torch.tensor([1.0, 2.0])
    >>> mean_curve_distance(times, torch.tensor([0.5, 0.0]), torch.tensor([0.7, 0.0]))
    tensor(0.1000)
    """
    start = times.new_zeros(1)  # both curves are 1 at time 0
    distance = torch.cat([start, (km - mean_curve).abs()])
    return torch.trapezoid(distance, torch.cat([start, times])) / times[-1]
