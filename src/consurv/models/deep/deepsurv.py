"""DeepSurv: a network in place of the Cox model's linear predictor."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from consurv.curves.breslow import breslow
from consurv.curves.curves import SurvivalCurves
from consurv.models.deep.deep_survival import DeepSurvival
from consurv.outcome import Outcome

__all__ = ["DeepSurv", "cox_loss"]


class DeepSurv(DeepSurvival):
    """Proportional hazards whose log hazard ratio is a network.

    The loss is the Cox partial likelihood with Breslow's ties, where a subject is
    compared with those of its batch who are at risk. Curves use Breslow's baseline of
    the whole training set [1]_.

    Parameters are those of ``DeepSurvival``.

    Attributes
    ----------
    baseline_ : Baseline
        Cumulative baseline hazard of the training set.

    References
    ----------
    .. [1] Katzman et al. "DeepSurv: personalized treatment recommender system using a
       Cox proportional hazards deep neural network", BMC Med. Res. Methodol. 2018.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2)).astype("float32")
    >>> y = Outcome(time=rng.exponential(np.exp(-2 * X[:, 0])), event=[True] * 200)
    >>> model = DeepSurv(max_epochs=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.8
    True
    """

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        # Only the order of times matters, and ranks keep it where float32 would not.
        rank = torch.unique(torch.tensor(outcome.time), return_inverse=True)[1]
        return {"rank": rank, "event": torch.tensor(outcome.event)}

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        return cox_loss(network(batch["x"])[:, 0], batch["rank"], batch["event"])

    def _finish(self, x: Tensor, outcome: Outcome) -> None:
        self.baseline_ = breslow(self.network_(x)[:, 0].numpy(), outcome)

    def _curves(self, x: Tensor) -> SurvivalCurves:
        return self.baseline_.curves(self.network_(x)[:, 0].numpy())


def cox_loss(log_risk: Tensor, time: Tensor, event: Tensor) -> Tensor:
    """Return minus the log partial likelihood per event, with Breslow's ties.

    Parameters
    ----------
    log_risk : Tensor of shape (n,)
    time : Tensor of shape (n,)
        Observed times or anything in the same order, such as their ranks.
    event : bool Tensor of shape (n,)

    Returns
    -------
    Tensor
        A scalar; 0 if there is no event.

    Examples
    --------
    >>> time, event = torch.tensor([1.0, 2.0]), torch.tensor([True, True])
    >>> round(float(cox_loss(torch.zeros(2), time, event)), 4)  # log(2) / 2
    0.3466
    """
    falling, order = torch.sort(-time)
    log_risk, event = log_risk[order], event[order]
    # All who share a time are at risk there, so the last of them counts.
    last = torch.searchsorted(falling, falling, right=True) - 1
    log_at_risk = torch.logcumsumexp(log_risk, dim=0)[last]
    losses = (log_at_risk - log_risk) * event
    return losses.sum() / event.sum().clamp(min=1)
