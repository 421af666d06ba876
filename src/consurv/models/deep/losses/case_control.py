"""Cases with sampled controls: how they are drawn and the loss of Cox models."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

__all__ = ["case_control_loss", "draw_controls"]


def case_control_loss(case: Tensor, controls: Tensor) -> Tensor:
    """Return the partial likelihood loss with sampled risk sets.

    The mean over events of log(1 + Σ_j exp(g(x_j, t_i) − g(x_i, t_i))), the sum over
    the controls j drawn from those at risk at t_i.

    Parameters
    ----------
    case : Tensor of shape (m,)
        Log relative risks g(x_i, t_i) of the events.
    controls : Tensor of shape (m, c)
        Log relative risks g(x_j, t_i) of their controls at the same time.

    Returns
    -------
    scalar Tensor

    Examples
    --------
    >>> case_control_loss(torch.zeros(1), torch.zeros(1, 3))  # log 4
    tensor(1.3863)
    """
    # The case itself is the 1: log-sum-exp does not overflow for bad networks.
    return pad(controls - case[:, None], (1, 0)).logsumexp(dim=1).mean()


def draw_controls(first: Tensor, n: int, n_controls: int) -> Tensor:
    """Draw controls uniformly from those at risk, with replacement.

    Parameters
    ----------
    first : integer Tensor of shape (m,)
        Row of the first subject at risk at each event, subjects in order of time;
        those after it are at risk too. The case itself may be drawn.
    n : int
        Number of subjects.
    n_controls : int

    Returns
    -------
    integer Tensor of shape (n_controls, m)
        Rows of the controls, from torch's global generator.

    Examples
    --------
    >>> draw_controls(torch.tensor([2, 2]), n=3, n_controls=1)
    tensor([[2, 2]])
    """
    draws = torch.rand((n_controls, len(first)), device=first.device)
    rows = first + (draws * (n - first)).long()
    return rows.clamp_max(n - 1)  # a draw next to 1 may be rounded up
