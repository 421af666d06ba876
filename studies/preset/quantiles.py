"""CQRNN on times as they are, in days or months."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from consurv.models.deep.cqrnn import CQRNN
from consurv.models.deep.losses.portnoy import censored_pinball_loss, crossing_penalty
from consurv.outcome import Outcome

__all__ = ["PaperCQRNN"]

_FAR = 1.2  # of the largest training time
_MARGIN = 0.1  # between neighbouring percentile times, in the unit of the data


class PaperCQRNN(CQRNN):
    """CQRNN whose times are not scaled.

    The network has to reach days by steps of the learning rate, against a weight decay
    that times of any unit meet alike.
    """

    def _prepare(self, outcome: Outcome) -> None:
        super()._prepare(outcome)
        self._far = _FAR * float(outcome.time.max())
        self._unit = 1.0

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        predicted = network(batch["x"])
        quantiles = torch.from_numpy(1 - self.levels_[::-1]).to(predicted)
        pinball = censored_pinball_loss(
            predicted, batch["time"], batch["event"], quantiles, self._far
        )
        return pinball + self.crossing_weight * crossing_penalty(predicted, _MARGIN)
