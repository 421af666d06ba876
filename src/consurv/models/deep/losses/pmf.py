"""Losses of models that put probabilities on time bins: likelihood and ranking."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

__all__ = ["bin_log_probabilities", "bin_negative_log_likelihood", "ranking_loss"]


def bin_log_probabilities(logits: Tensor) -> Tensor:
    """Return the log probabilities of k bins and of surviving them all.

    Parameters
    ----------
    logits : Tensor of shape (n, k)

    Returns
    -------
    Tensor of shape (n, k + 1)
        The log softmax after a logit 0 for the time past the last bin is appended.

    Examples
    --------
    >>> bin_log_probabilities(torch.zeros(1, 3)).exp()
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """
    return pad(logits, (0, 1)).log_softmax(dim=1)


def bin_negative_log_likelihood(
    log_probabilities: Tensor, index: Tensor, event: Tensor
) -> Tensor:
    """Return the mean negative log-likelihood of censored bin outcomes.

    An event in bin j contributes log p_j. A subject censored in bin j + 1 is known to
    have survived bin j and contributes log(p_{j+1} + p_{j+2} + ...), where the time
    past the last bin counts.

    Parameters
    ----------
    log_probabilities : Tensor of shape (n, k + 1)
        From `bin_log_probabilities`.
    index : integer Tensor of shape (n,)
        The bin of an event; the last bin that a censored subject has survived, −1 if
        none.
    event : bool Tensor of shape (n,)

    Returns
    -------
    scalar Tensor

    Examples
    --------
    >>> log_p = bin_log_probabilities(torch.zeros(2, 3))
    >>> index, event = torch.tensor([0, 1]), torch.tensor([True, False])
    >>> bin_negative_log_likelihood(log_p, index, event)  # log 4 and log 2
    tensor(1.0397)
    """
    happened = log_probabilities[event].gather(1, index[event, None])
    bins = torch.arange(log_probabilities.shape[1], device=index.device)
    survived = bins <= index[~event, None]
    left = log_probabilities[~event].masked_fill(survived, -torch.inf)
    return -(happened.sum() + left.logsumexp(dim=1).sum()) / len(event)


def ranking_loss(
    log_probabilities: Tensor, index: Tensor, event: Tensor, sigma: float
) -> Tensor:
    """Return DeepHit's ranking loss.

    The mean over all n² ordered pairs (i, j) of

        1(i has its event first) · exp(−(F_i(t_i) − F_j(t_i)) / σ),

    F the distribution function over bins: who has the event first should be the more
    likely to have it by then. A censored subject of the same index comes later.

    Parameters
    ----------
    log_probabilities, index, event
        As in `bin_negative_log_likelihood`.
    sigma : float
        Width of the exponential, > 0.

    Returns
    -------
    scalar Tensor

    Examples
    --------
    >>> log_p = bin_log_probabilities(torch.zeros(2, 3))
    >>> index, event = torch.tensor([0, 1]), torch.tensor([True, False])
    >>> ranking_loss(log_p, index, event, 0.1)  # one pair of four, no difference
    tensor(0.2500)
    """
    bins = torch.arange(log_probabilities.shape[1], device=index.device)
    reached = (bins[:, None] <= bins).to(log_probabilities.dtype) / sigma
    # F_j / σ at every bin. Products of matrices and no cumulative sum and look-up,
    # whose gradient a GPU would sum in another order each time.
    by_then = log_probabilities.exp() @ reached
    # An event comes before a censoring of the same index.
    later = (index + ~event)[:, None] > bins
    # exp(F_j − F_i) is a product, so that subjects meet bins and not one another; the
    # largest F_j of a bin is taken out of both factors, which keeps them in range.
    top = by_then.detach().masked_fill(~later, 0.0).amax(dim=0)
    # In place where the arrays are largest; exp(−inf) would be slow.
    others = (by_then - top).masked_fill_(~later, 0.0).exp_() * later
    here = ((bins == index[:, None]) & event[:, None]).to(by_then.dtype)
    own = ((top - by_then) * here).sum(dim=1).exp()
    return (own * (here @ others.sum(dim=0))).sum() / len(event) ** 2
