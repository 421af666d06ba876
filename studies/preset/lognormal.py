"""The log-normal network of the authors' code, its slip of the time scale included."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from consurv._params import Constraints, OneOf
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import LogNormal
from consurv.models.deep.deep_survival import Data
from consurv.models.deep.lognormal import LogNormalNN
from consurv.models.deep.losses.calibration import batch_kaplan_meier, x_calibration
from consurv.models.deep.losses.lognormal import lognormal_nll, lognormal_survival
from consurv.outcome import Outcome
from studies.preset.causes import TIME_SCALES

__all__ = ["PaperLogNormal"]

# Scaled times from 0 to 5 are labelled as 0 to the largest training time.
_STRETCH = 5.0
_FLOOR = 0.5
_SETTINGS = (
    "loss",
    "weight",
    "weight_decay",
    "max_epochs",
    "patience",
    "random_state",
)


class PaperLogNormal(LogNormalNN):
    """A log-normal law on times divided by the largest training time.

    Losses are sums over the batch; σ is exp(softplus(s) − 0.5), never below 0.607.

    Parameters
    ----------
    time_scale : {"coded", "corrected"}, default="coded"
        As coded, S is computed on scaled times from 0 to 5 and labelled 0 … t_max, so
        that all curves fall five times too early, and the validation times are not
        scaled at all. Corrected, both are on the scale of the training.
    loss, weight, ..., random_state
        As in ``LogNormalNN``.

    Examples
    --------
    >>> X, y = np.zeros((20, 1)), (np.ones(20), np.arange(1.0, 21.0))
    >>> settings = {"max_epochs": 1, "random_state": 0}
    >>> fits = [PaperLogNormal(time_scale=scale, **settings).fit(X, y, X, y)
    ...         for scale in ("coded", "corrected")]
    >>> coded, corrected = (f.predict_survival_function(X).median()[0] for f in fits)
    >>> round(float(corrected / coded), 3)
    5.0
    """

    _rules: ClassVar[Constraints] = {
        **{name: LogNormalNN._rules[name] for name in _SETTINGS},
        "time_scale": OneOf(*TIME_SCALES),
    }

    def __init__(
        self,
        *,
        loss: Literal["likelihood", "crps", "x-cal", "sfm"] = "likelihood",
        weight: float = 1.0,
        time_scale: Literal["coded", "corrected"] = "coded",
        weight_decay: float = 1e-1,
        max_epochs: int = 10_000,
        patience: int = 51,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(
            loss=loss,
            weight=weight,
            weight_decay=weight_decay,
            max_epochs=max_epochs,
            patience=patience,
            random_state=random_state,
        )
        self.time_scale = time_scale

    def _train(self, data: Data, validation: Data, seed: int) -> None:
        if self.time_scale == "coded":  # `_encode` divides these, too
            X, y = validation
            time = y.time * data[1].time.max()
            validation = X, Outcome(time=time, event=y.event)
        super()._train(data, validation, seed)

    def _prepare(self, outcome: Outcome) -> None:
        super()._prepare(outcome)
        self._center = float(np.log(outcome.time.max()))

    def _parameters(self, network: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
        location, log_scale = network(x)
        sigma = (softplus(log_scale) - _FLOOR).clamp(max=10).exp()
        return location, sigma

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        if self.loss == "crps":
            return super()._loss(network, batch)
        # The likelihood is a sum over the rows, the term of calibration is not.
        mu, sigma = self._parameters(network, batch["x"])
        log_time, event = batch["log_time"], batch["event"]
        total = len(event) * lognormal_nll(log_time, event, mu, sigma)
        if self.loss == "likelihood":
            return total
        if self.loss == "sfm":
            return total + self.weight * _summed_distance(log_time, event, mu, sigma)
        survival = lognormal_survival(log_time, mu, sigma)
        return total + self.weight * x_calibration(survival, event)

    def _curves(self, x: Tensor) -> SurvivalCurves:
        mu, sigma = (p.double().numpy() for p in self._parameters(self.network_, x))
        slip = np.log(_STRETCH) if self.time_scale == "coded" else 0.0
        law = LogNormal(self._center - slip + mu, sigma, self._last_time)
        return SurvivalCurves._of(law)


def _summed_distance(
    log_time: Tensor, event: Tensor, mu: Tensor, sigma: Tensor
) -> Tensor:
    """Return Σ |mean curve − Kaplan–Meier| over the event times, over their range."""
    log_times, km = batch_kaplan_meier(log_time, event)
    happened = torch.isin(log_times, log_time[event])
    grid, rows = torch.unique(log_times[happened], return_inverse=True)
    if len(grid) < 2:
        return mu.sum() * 0.0
    # Tied times share the value of the curve, whichever is written last.
    level = torch.empty_like(grid).scatter_(0, rows, km[happened])
    curves = lognormal_survival(grid, mu[:, None], sigma[:, None])
    gaps = (curves.mean(dim=0) - level).abs()
    times = grid.exp()
    distance: Tensor = gaps.sum() / (times[-1] - times[0])
    return distance
