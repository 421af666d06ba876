"""A log-normal law whose parameters come from two networks, with four losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from consurv._params import AtLeast, Constraints, OneOf
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import LogNormal
from consurv.models.deep.deep_survival import DeepSurvival
from consurv.models.deep.losses.calibration import (
    batch_kaplan_meier,
    mean_curve_distance,
    x_calibration,
)
from consurv.models.deep.losses.lognormal import (
    lognormal_crps,
    lognormal_nll,
    lognormal_survival,
)
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["LogNormalNN"]

# σ stays within exp(±2.5) times the spread of the log times, beyond what is sensible.
_LOG_SIGMA_BOUND = 2.5
# Times at which the mean curve is compared with Kaplan–Meier.
_MATCHED_TIMES = 256


class LogNormalNN(DeepSurvival):
    """log T is normal with mean μ(x) and standard deviation σ(x), two networks.

    The networks work on log times that are standardised on the training set. Curves
    are the exact law, with its own tail.

    Parameters
    ----------
    loss : {"likelihood", "crps", "x-cal", "sfm"}, default="likelihood"
        ``"likelihood"`` and ``"crps"`` (survival CRPS) stand alone. ``"x-cal"`` is the
        likelihood loss plus ``weight`` times X-cal in 10 bins, ``"sfm"`` plus
        ``weight`` times the mean absolute distance of the batch's mean curve from its
        Kaplan–Meier curve (survival function matching).
    weight : float, default=1.0
        Weight of the calibration term; the paper takes 10⁰ ... 10⁵.
    hidden, dropout, learning_rate, ..., verbose
        As in :class:`~consurv.models.deep.deep_survival.DeepSurvival`.

    References
    ----------
    Avati et al.: Countdown Regression, UAI 2019. Goldstein et al.: X-CAL, NeurIPS
    2020. Chapfuwa et al.: Calibration and Uncertainty in Neural Time-to-Event
    Modeling, 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = Outcome(time=np.exp(X[:, 0] + rng.normal(size=200)), event=np.ones(200))
    >>> model = LogNormalNN(loss="crps", max_epochs=2, random_state=0).fit(X, y)
    >>> len(model.predict_survival_function(X[:3]))
    3
    """

    _rules: ClassVar[Constraints] = {
        **DeepSurvival._rules,
        "loss": OneOf("likelihood", "crps", "x-cal", "sfm"),
        "weight": AtLeast(0, real=True),
    }

    def __init__(
        self,
        *,
        loss: Literal["likelihood", "crps", "x-cal", "sfm"] = "likelihood",
        weight: float = 1.0,
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
        self.loss = loss
        self.weight = weight

    def _prepare(self, outcome: Outcome) -> None:
        log_time = np.log(outcome.time)
        self._center = float(log_time.mean())
        self._spread = float(log_time.std()) or 1.0
        self._last_time = float(outcome.time.max())

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        return {
            "log_time": torch.from_numpy(np.log(outcome.time) - self._center).float(),
            "event": torch.from_numpy(outcome.event.copy()),
        }

    def _network(self, n_features: int) -> nn.Module:
        return _TwoNetworks(n_features, self.hidden, self.dropout)

    def _parameters(self, network: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return μ and σ of log times counted from the centre."""
        location, log_scale = network(x)
        bounded = _LOG_SIGMA_BOUND * torch.tanh(log_scale / _LOG_SIGMA_BOUND)
        return self._spread * location, self._spread * bounded.exp()

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        mu, sigma = self._parameters(network, batch["x"])
        log_time, event = batch["log_time"], batch["event"]
        if self.loss == "crps":
            return lognormal_crps(log_time, event, mu, sigma)
        likelihood = lognormal_nll(log_time, event, mu, sigma)
        if self.loss == "likelihood":
            return likelihood
        term = _x_cal if self.loss == "x-cal" else _sfm
        return likelihood + self.weight * term(log_time, event, mu, sigma)

    def _curves(self, x: Tensor) -> SurvivalCurves:
        mu, sigma = (p.double().numpy() for p in self._parameters(self.network_, x))
        law = LogNormal(self._center + mu, sigma, getattr(self, "_last_time", np.inf))
        return SurvivalCurves._of(law)


class _TwoNetworks(nn.Module):
    """Two independent networks with one output each."""

    def __init__(self, n_features: int, hidden: Sequence[int], dropout: float) -> None:
        super().__init__()
        self.location = mlp(n_features, 1, hidden, dropout)
        self.log_scale = mlp(n_features, 1, hidden, dropout)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.location(x)[:, 0], self.log_scale(x)[:, 0]


def _x_cal(log_time: Tensor, event: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    return x_calibration(lognormal_survival(log_time, mu, sigma), event)


def _sfm(log_time: Tensor, event: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    log_times, km = batch_kaplan_meier(log_time, event)
    n = len(log_times)
    if n > _MATCHED_TIMES:  # a validation chunk need not be compared everywhere
        kept = torch.linspace(0, n - 1, _MATCHED_TIMES, device=km.device).long()
        log_times, km = log_times[kept], km[kept]
    curves = lognormal_survival(log_times, mu[:, None], sigma[:, None])
    return mean_curve_distance(log_times.exp(), km, curves.mean(dim=0))
