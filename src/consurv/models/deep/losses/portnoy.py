"""Quantile regression for censored times with Portnoy's weights."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import relu

__all__ = ["censored_pinball_loss", "crossing_penalty", "portnoy_weights"]


def _pinball(residual: Tensor, quantiles: Tensor) -> Tensor:
    """Return ρ_τ(r) = r (τ − 1(r < 0))."""
    return quantiles * residual + relu(-residual)


def portnoy_weights(predicted: Tensor, time: Tensor, quantiles: Tensor) -> Tensor:
    """Return the weight of each censored time at each quantile.

    A subject censored at c, where c is its quantile τ*, stays at c with the weight
    (τ − τ*) / (1 − τ*) for τ ≥ τ*; the rest of it lies far to the right. Below τ*
    it does not matter where it lies. τ* is the quantile whose prediction is nearest
    to c (of equally near ones the highest).

    Parameters
    ----------
    predicted : Tensor of shape (n, p)
    time : Tensor of shape (n,)
    quantiles : Tensor of shape (p,)
        In (0, 1), ascending.

    Returns
    -------
    Tensor of shape (n, p)

    Examples
    --------
    >>> tau = torch.tensor([0.25, 0.5, 0.75])
    >>> portnoy_weights(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([2.1]), tau)
    tensor([[1.0000, 0.0000, 0.5000]])
    """
    distance = (time[:, None] - predicted.detach()).abs()
    nearest = distance == distance.amin(dim=1, keepdim=True)
    own = (nearest * quantiles).amax(dim=1, keepdim=True)
    kept = (quantiles - own) / (1 - own)
    return torch.where(quantiles < own, torch.ones_like(kept), kept)


def censored_pinball_loss(
    predicted: Tensor, time: Tensor, event: Tensor, quantiles: Tensor, far: float
) -> Tensor:
    """Return the pinball loss with censored subjects split by Portnoy's weights.

    The sum over quantiles, averaged over subjects. An event at t contributes ρ_τ(t −
    q_τ), a subject censored at c contributes w ρ_τ(c − q_τ) + (1 − w) ρ_τ(far − q_τ)
    with the weights of `portnoy_weights`, which carry no gradient.

    Parameters
    ----------
    predicted : Tensor of shape (n, p)
        Times q_τ(x) at the quantiles.
    time, event : Tensor of shape (n,)
    quantiles : Tensor of shape (p,)
        In (0, 1), ascending: P(T ≤ q_τ) = τ.
    far : float
        Where the rest of a censored subject lies, past all times.

    Returns
    -------
    scalar Tensor

    References
    ----------
    Pearce, Jeong, Jia, Zhu: Censored Quantile Regression Neural Networks for
    Distribution-Free Survival Analysis, NeurIPS 2022.

    Examples
    --------
    >>> tau = torch.tensor([0.25, 0.75])
    >>> predicted, time = torch.tensor([[1.0, 2.0]]), torch.tensor([2.0])
    >>> censored_pinball_loss(predicted, time, torch.tensor([True]), tau, 3.0)
    tensor(0.2500)
    >>> censored_pinball_loss(predicted, time, torch.tensor([False]), tau, 3.0)
    tensor(1.)
    """
    here = _pinball(time[:, None] - predicted, quantiles)
    there = _pinball(far - predicted, quantiles)
    weights = portnoy_weights(predicted, time, quantiles)
    weights = weights.masked_fill(event[:, None], 1.0)
    return (weights * here + (1 - weights) * there).sum(dim=1).mean()


def crossing_penalty(predicted: Tensor, margin: float = 0.0) -> Tensor:
    """Return the mean of max(0, margin − (q_{k+1} − q_k)) over neighbours.

    Parameters
    ----------
    predicted : Tensor of shape (n, p)
        Times at ascending quantiles.
    margin : float, default=0.0
        The least distance that costs nothing.

    Returns
    -------
    scalar Tensor
        0 where there is one quantile.

    Examples
    --------
    >>> crossing_penalty(torch.tensor([[1.0, 3.0, 2.0]]))
    tensor(0.5000)
    """
    gaps = predicted.diff(dim=1)
    return relu(margin - gaps).sum() / max(gaps.numel(), 1)
