"""DeepHit for one kind of event: probabilities of time bins, with a ranking loss."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from consurv._params import Between, Constraints, OneOf
from consurv.curves.curves import SurvivalCurves
from consurv.models.deep.bins import event_quantiles, find_bins
from consurv.models.deep.deep_survival import DeepSurvival
from consurv.models.deep.losses.pmf import (
    bin_log_probabilities,
    bin_negative_log_likelihood,
    ranking_loss,
)
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["DeepHit"]


class DeepHit(DeepSurvival):
    """DeepHit for one kind of event.

    The network gives the probability of each time bin and of surviving them all. The
    √(events) bins have their edges at quantiles of the event times.
    The loss is α · likelihood + (1 − α) · ranking, pycox's weighting. A curve is
    linear between the edges, from (0, 1).

    Parameters
    ----------
    alpha : float, default=0.2
        Weight of the likelihood in [0, 1]; the ranking loss has the rest.
    sigma : float, default=0.1
        Width of the exponential in the ranking loss.
    hidden, dropout, learning_rate, ..., verbose
        As in :class:`~consurv.models.deep.deep_survival.DeepSurvival`.

    Attributes
    ----------
    edges_ : array of shape (k,)
        Upper edges of the bins; the first begins at 0.

    References
    ----------
    Lee, Zame, Yoon, van der Schaar: DeepHit: A Deep Learning Approach to Survival
    Analysis with Competing Risks, AAAI 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(200))
    >>> model = DeepHit(max_epochs=2, random_state=0).fit(X, y)
    >>> len(model.edges_), model.predict_survival_function(X[:3])
    (14, SurvivalCurves(n=3, nodes=15, grid='shared', interpolation='linear'))
    """

    _rules: ClassVar[Constraints] = {
        **DeepSurvival._rules,
        "alpha": (OneOf(0, 0.0, 1, 1.0), Between(0, 1)),
        "sigma": Between(0, np.inf),
    }

    def __init__(
        self,
        *,
        alpha: float = 0.2,
        sigma: float = 0.1,
        hidden: tuple[int, ...] = (64, 64),
        dropout: float = 0.4,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-3,
        batch_size: int = 256,
        max_epochs: int = 1000,
        patience: int = 20,
        validation_fraction: float = 0.1,
        device: str = "auto",
        random_state: int | np.random.Generator | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            hidden=hidden,
            dropout=dropout,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            batch_size=batch_size,
            max_epochs=max_epochs,
            patience=patience,
            validation_fraction=validation_fraction,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.alpha = alpha
        self.sigma = sigma

    def _prepare(self, outcome: Outcome) -> None:
        self.edges_ = event_quantiles(outcome)

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        # Events of a validation set after the last edge count in the last bin.
        happened = np.minimum(
            find_bins(self.edges_, outcome.time), len(self.edges_) - 1
        )
        # An event at an edge lies before it; who is censored there survived the bin.
        survived = np.searchsorted(self.edges_, outcome.time, side="right") - 1
        index = np.where(outcome.event, happened, survived)
        return {
            "index": torch.from_numpy(index),
            "event": torch.from_numpy(outcome.event.copy()),
        }

    def _network(self, n_features: int) -> nn.Module:
        return mlp(n_features, len(self.edges_), self.hidden, self.dropout)

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        log_p = bin_log_probabilities(network(batch["x"]))
        index, event = batch["index"], batch["event"]
        likelihood = bin_negative_log_likelihood(log_p, index, event)
        ranking = ranking_loss(log_p, index, event, self.sigma)
        return self.alpha * likelihood + (1 - self.alpha) * ranking

    def _curves(self, x: Tensor) -> SurvivalCurves:
        probabilities = bin_log_probabilities(self.network_(x)).double().exp()
        # Summed from the right, survival is exact where it is small.
        beyond = probabilities.flip(1).cumsum(1).flip(1)[:, 1:]
        return SurvivalCurves(self.edges_, beyond.clamp_max(1.0).numpy())
