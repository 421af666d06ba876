"""Cox-Time: relative risks that change with time, trained on sampled controls."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from consurv._checks import Float, Index
from consurv._params import AtLeast, Constraints
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.models.deep.deep_survival import Data, DeepSurvival
from consurv.models.deep.losses.case_control import case_control_loss, draw_controls
from consurv.models.deep.time_risks import TimeNetwork, breslow_increments
from consurv.models.deep.training import find_device
from consurv.outcome import Outcome

__all__ = ["CoxTime"]

# The baseline costs an evaluation for each time and subject: more event times are
# grouped at quantiles, of more subjects every k-th in order of time is used.
_MAX_TIMES = 256
_MAX_SUBJECTS = 10_000
# Controls that the events of a validation set are compared with, all together.
_VALIDATION_CONTROLS = 4096


class CoxTime(DeepSurvival):
    """Cox-Time: h(t | x) = h₀(t) exp(g(x, t)) with time as an input of the network.

    An epoch passes through the events. Each is compared at its time with controls
    drawn anew from the subjects then at risk, by log(1 + Σ_j exp(g(x_j, t_i) −
    g(x_i, t_i))). The baseline is Breslow's estimator with relative risks at each
    time; it uses at most 256 event times (more are grouped at quantiles) and 10,000
    subjects (every k-th in order of time). A curve is a step function of these times.

    Parameters
    ----------
    n_controls : int, default=1
        Controls drawn for each event.
    hidden, dropout, learning_rate, ..., verbose
        As in :class:`~consurv.models.deep.deep_survival.DeepSurvival`.

    Attributes
    ----------
    times_ : array of shape (k,)
        Event times at which the curves step.
    baseline_ : array of shape (k,)
        Increments of the cumulative baseline hazard there.

    References
    ----------
    Kvamme, Borgan, Scheel: Time-to-Event Prediction with Neural Networks and Cox
    Regression, JMLR 2019.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(200))
    >>> model = CoxTime(max_epochs=2, random_state=0).fit(X, y)
    >>> model.predict_survival_function(X[:3])
    SurvivalCurves(n=3, nodes=181, grid='shared', interpolation='step')
    """

    _rules: ClassVar[Constraints] = {
        **DeepSurvival._rules,
        "n_controls": AtLeast(1),
    }

    def __init__(
        self,
        *,
        n_controls: int = 1,
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
        self.n_controls = n_controls

    def _train(self, data: Data, validation: Data, seed: int) -> None:
        data, validation = _by_time(data), _by_time(validation)
        device = find_device(self.device)
        # Controls come from all subjects, not from the batch: risk sets late in the
        # follow-up are small. Validation draws from its own.
        self._at_risk = {
            training: torch.from_numpy(X).to(device)
            for training, (X, _) in ((True, data), (False, validation))
        }
        super()._train(data, validation, seed)
        del self._at_risk

    def _prepare(self, outcome: Outcome) -> None:
        if outcome.n_events < 2:
            raise InvalidInput(
                "CoxTime passes through events and cannot learn from a single one; "
                "give more data or choose a parametric model"
            )
        self._center = float(outcome.time.mean())
        self._spread = float(outcome.time.std()) or 1.0

    def _batch(self, data: Data) -> dict[str, Tensor]:
        """Return a row per event; without one, a row that counts nothing."""
        _, outcome = data
        rows = np.flatnonzero(outcome.event)
        if rows.size == 0:
            rows = np.zeros(1, dtype=np.intp)
        return self._encode(outcome, rows)

    def _encode(self, outcome: Outcome, rows: Index | None = None) -> dict[str, Tensor]:
        rows = np.arange(len(outcome)) if rows is None else rows
        first = np.searchsorted(outcome.time, outcome.time[rows], side="left")
        return {
            "row": torch.from_numpy(rows),
            "time": self._scaled(outcome.time[rows]),
            "event": torch.from_numpy(outcome.event[rows]),
            "first": torch.from_numpy(first),
        }

    def _scaled(self, times: Float) -> Tensor:
        return torch.from_numpy((times - self._center) / self._spread).float()

    def _network(self, n_features: int) -> nn.Module:
        return TimeNetwork(n_features, self.hidden, self.dropout)

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        at_risk = self._at_risk[network.training]
        row, time = batch["row"], batch["time"]
        m, c = len(row), self.n_controls
        # One draw would make the loss of a few validation events a lottery.
        draws = 1 if network.training else max(1, _VALIDATION_CONTROLS // m)
        drawn = draw_controls(batch["first"], len(at_risk), draws * c)
        rows = torch.cat([row, drawn.flatten()])
        log_risk = network(at_risk, time.repeat(1 + draws * c), rows)
        case, controls = log_risk[:m], log_risk[m:].view(draws, c, m)
        loss = case_control_loss(case.repeat(draws), controls.mT.flatten(0, 1))
        return loss * batch["event"].any()

    def _finish(self, x: Tensor, outcome: Outcome) -> None:
        n = len(outcome)
        rows = np.unique(np.linspace(0, n - 1, min(n, _MAX_SUBJECTS)).astype(np.intp))
        x = x[rows]
        self.times_, self.baseline_ = breslow_increments(
            lambda first, times: self._log_risks(x[first:], times),
            outcome[rows],
            _MAX_TIMES,
        )

    def _log_risks(self, x: Tensor, times: Float) -> Float:
        """Return g(x_i, t_k) as an array of shape (n, k)."""
        network = self.network_
        assert isinstance(network, TimeNetwork)
        return network.on_grid(x, self._scaled(times)).double().numpy()

    def _curves(self, x: Tensor) -> SurvivalCurves:
        with np.errstate(over="ignore"):  # a row far out may have no time to live
            hazards = self.baseline_ * np.exp(self._log_risks(x, self.times_))
            survival = np.exp(-np.cumsum(hazards, axis=1))
        return SurvivalCurves(self.times_, survival, "step")


def _by_time(data: Data) -> Data:
    X, outcome = data
    order = np.argsort(outcome.time, kind="stable")
    return X[order], outcome[order]
