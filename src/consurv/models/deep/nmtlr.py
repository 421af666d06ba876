"""N-MTLR: multi-task logistic regression behind a network."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from consurv.curves.curves import SurvivalCurves
from consurv.models.deep.bins import event_quantiles, find_bins, share_left
from consurv.models.deep.deep_survival import DeepSurvival
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["NMTLR", "mtlr_log_probabilities", "mtlr_loss"]


class NMTLR(DeepSurvival):
    """Neural multi-task logistic regression: a probability for each time bin.

    There are √(events) bins with edges at quantiles of the event times, and an open
    one after the last event. Curves are straight lines between the edges, from (0, 1).
    An event contributes the probability of its bin, a censored subject its survival on
    that line [1]_, [2]_.

    Parameters are those of ``DeepSurvival``.

    Attributes
    ----------
    edges_ : array of shape (k,)
        Upper edges of the bins.

    References
    ----------
    .. [1] Yu et al. "Learning patient-specific cancer survival distributions as a
       sequence of dependent regressors", NeurIPS 2011.
    .. [2] Fotso. "Deep neural networks for survival analysis based on a multi-task
       framework", arXiv:1801.05512.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)).astype("float32")
    >>> y = Outcome(time=rng.exponential(np.exp(-2 * X[:, 0])), event=[True] * 200)
    >>> model = NMTLR(max_epochs=20, random_state=0).fit(X, y)
    >>> len(model.edges_), model.score(X, y) > 0.8
    (14, True)
    """

    def _prepare(self, outcome: Outcome) -> None:
        self.edges_ = event_quantiles(outcome)

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        bins = find_bins(self.edges_, outcome.time)
        # An event of the validation set after the last edge counts in the last bin
        # that has events: no training event could teach the open one.
        bins[outcome.event] = np.minimum(bins[outcome.event], len(self.edges_) - 1)
        share = share_left(self.edges_, outcome.time)
        return {
            "bin": torch.from_numpy(bins),
            "share": torch.tensor(share, dtype=torch.float32),
            "event": torch.tensor(outcome.event),
        }

    def _network(self, n_features: int) -> nn.Module:
        return mlp(n_features, len(self.edges_), self.hidden, self.dropout)

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        outputs = network(batch["x"])
        return mtlr_loss(outputs, batch["bin"], batch["share"], batch["event"])

    def _curves(self, x: Tensor) -> SurvivalCurves:
        probabilities = mtlr_log_probabilities(self.network_(x).double()).exp()
        later = probabilities.flip(1).cumsum(1).flip(1)[:, 1:]
        return SurvivalCurves(self.edges_, later.clamp(max=1.0).numpy())


def mtlr_log_probabilities(outputs: Tensor) -> Tensor:
    """Return the log probability of each bin, the open one last.

    The score of bin i is the sum of the outputs i, i + 1, …; that of the open bin is 0.

    Parameters
    ----------
    outputs : Tensor of shape (n, k)

    Returns
    -------
    Tensor of shape (n, k + 1)

    Examples
    --------
    >>> mtlr_log_probabilities(torch.zeros(1, 3)).exp()
    tensor([[0.2500, 0.2500, 0.2500, 0.2500]])
    """
    scores = outputs.flip(1).cumsum(1).flip(1)
    return torch.log_softmax(nn.functional.pad(scores, (0, 1)), dim=1)


def mtlr_loss(outputs: Tensor, bins: Tensor, share: Tensor, event: Tensor) -> Tensor:
    """Return the mean negative log-likelihood.

    With p the probabilities of the bins, an event in bin i contributes pᵢ and a
    censored subject share · pᵢ + Σ over j > i of pⱼ.

    Parameters
    ----------
    outputs : Tensor of shape (n, k)
    bins : int Tensor of shape (n,)
        Bin of each observed time; k is the open one.
    share : Tensor of shape (n,)
        Share of the bin that lies after the time; only used where censored.
    event : bool Tensor of shape (n,)

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> outputs, bins = torch.zeros(2, 3), torch.tensor([0, 2])
    >>> share, event = torch.tensor([0.0, 0.0]), torch.tensor([True, False])
    >>> round(float(mtlr_loss(outputs, bins, share, event)), 4)  # log(4)
    1.3863
    """
    log_p = mtlr_log_probabilities(outputs)
    own = log_p.gather(1, bins[:, None])[:, 0]
    # log(0) has no gradient: events take another branch, so any share will do there.
    weight = torch.where(event, torch.ones_like(share), share)
    number = torch.arange(log_p.shape[1], device=bins.device)
    # One masked sum: a cumulative one is several times slower, most of all backwards.
    after = log_p.masked_fill(number <= bins[:, None], -torch.inf)
    survival = torch.logaddexp(own + weight.log(), after.logsumexp(dim=1))
    return -torch.where(event, own, survival).mean()
