"""DeepSurv, Cox-Time and boosting as the authors' code trains them."""

from __future__ import annotations

import numpy as np
from torch import Tensor, nn

from consurv.curves.breslow import breslow
from consurv.curves.risk_sets import RiskSets
from consurv.models.boosting import GradientBoosting
from consurv.models.deep.coxtime import CoxTime
from consurv.models.deep.deepsurv import DeepSurv
from consurv.models.deep.losses.case_control import case_control_loss, draw_controls
from consurv.models.deep.training import seeded
from consurv.models.model import Data
from consurv.outcome import Outcome
from studies.preset.networks import LateNormTimeNetwork

__all__ = ["PaperBoosting", "PaperCoxTime", "PaperDeepSurv"]


class PaperDeepSurv(DeepSurv):
    """DeepSurv whose loss is divided by the events and by the rows of the batch.

    Adam does not mind a factor of the loss, but the weight decay beside it does: 0.1
    acts as 25.6 would with batches of 256 and the mean over events.
    """

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        return super()._loss(network, batch) / len(batch["event"])


class PaperCoxTime(CoxTime):
    """Cox-Time as in pycox: its network, and one fresh control in validation.

    One draw makes the validation loss noisy, so that patience soon comes to its end.
    """

    def _prepare(self, outcome: Outcome) -> None:
        super()._prepare(outcome)
        self._n_validated = 0

    def _network(self, n_features: int) -> nn.Module:
        return LateNormTimeNetwork(n_features, self.hidden, self.dropout)

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        if network.training:
            return super()._loss(network, batch)
        at_risk, row = self._at_risk[False], batch["row"]
        self._n_validated += 1
        with seeded(self._n_validated):  # the trainer repeats its draws every epoch
            control = draw_controls(batch["first"], len(at_risk), 1)[0]
        case, other = (network(at_risk, batch["time"], r) for r in (row, control))
        return case_control_loss(case, other[:, None]) * batch["event"].any()

    def _finish(self, x: Tensor, outcome: Outcome) -> None:
        super()._finish(x, outcome)
        last = float(outcome.time.max())
        if last > self.times_[-1]:  # pycox's curves go on to the last observed time
            self.times_ = np.append(self.times_, last)
            self.baseline_ = np.append(self.baseline_, 0.0)


class PaperBoosting(GradientBoosting):
    """Boosting on features that are not centred, as in scikit-survival.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> model = PaperBoosting().fit(X, ([1, 1, 1, 1], [3.0, 1.0, 4.0, 2.0]))
    >>> float(model.mean_[0]), bool(model.coef_[0] > 0)
    (0.0, True)
    """

    def _fit(self, data: Data, validation: Data | None) -> None:
        features, outcome = data
        self.coef_ = self._boost(features, RiskSets(outcome))
        self.mean_ = np.zeros(features.shape[1])
        self.baseline_ = breslow(features @ self.coef_, outcome)
