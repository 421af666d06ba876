"""CQRNN: percentile times by quantile regression with Portnoy's weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from consurv._checks import Float, as_levels
from consurv._params import AtLeast, Constraints, InstanceOf
from consurv.curves.curves import SurvivalCurves
from consurv.curves.rearrange import rearrange
from consurv.models.deep.deep_survival import DeepSurvival
from consurv.models.deep.losses.portnoy import censored_pinball_loss, crossing_penalty
from consurv.models.deep.network import mlp
from consurv.outcome import Outcome

__all__ = ["CQRNN"]

# Where the part of a censored subject lies that outlives its censoring, in units of
# the largest training time.
_FAR = 1.2


class CQRNN(DeepSurvival):
    """Censored quantile regression neural network.

    The network gives the percentile times of a grid of levels, trained by the pinball
    loss with Portnoy's weights for censored subjects and a penalty on percentile
    times that cross. Times are divided by the largest training time for training.
    The part of a censored subject that outlives its censoring lies at 1.2 times the
    largest training time.

    Percentile times that cross all the same are rearranged before they become a
    curve, which is linear between them; `predict_percentile_times` gives them raw.
    ``ConformalSurvival`` shifts the raw ones where all its levels are among
    ``levels_``, and reads the curve at other levels and with ``adjustment="level"``.

    Parameters
    ----------
    percentiles : int or array-like of shape (k,), default=19
        k means the levels i / (k + 1), i = 1 ... k; an array holds levels in (0, 1).
    crossing_weight : float, default=10.0
        Weight of the crossing penalty.
    hidden, dropout, learning_rate, ..., verbose
        As in :class:`~consurv.models.deep.deep_survival.DeepSurvival`, but
        ``weight_decay`` is 0.1 by default.

    Attributes
    ----------
    levels_ : array of shape (p,)
        Survival levels of the percentile times, ascending.

    References
    ----------
    Pearce, Jeong, Jia, Zhu: Censored Quantile Regression Neural Networks for
    Distribution-Free Survival Analysis, NeurIPS 2022.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = Outcome(time=rng.exponential(np.exp(-X[:, 0])), event=np.ones(200))
    >>> model = CQRNN(percentiles=3, max_epochs=2, random_state=0).fit(X, y)
    >>> model.levels_, model.predict_percentile_times(X[:5]).shape
    (array([0.25, 0.5 , 0.75]), (5, 3))
    """

    _rules: ClassVar[Constraints] = {
        **DeepSurvival._rules,
        "percentiles": (AtLeast(1), InstanceOf(list, tuple, np.ndarray)),
        "crossing_weight": AtLeast(0, real=True),
    }

    def __init__(
        self,
        *,
        percentiles: int | ArrayLike = 19,
        crossing_weight: float = 10.0,
        hidden: tuple[int, ...] = (64, 64),
        dropout: float = 0.4,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-1,
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
        self.percentiles = percentiles
        self.crossing_weight = crossing_weight

    def predict_percentile_times(self, X: Any) -> Float:
        """Return the percentile times as the network gives them.

        Parameters
        ----------
        X : array-like of shape (n, m)

        Returns
        -------
        array of shape (n, p)
            A column for each of ``levels_``. Times are ≥ 0 and may cross.
        """
        x = torch.from_numpy(np.array(self._check_features(X)))
        with torch.inference_mode():
            return self._percentile_times(x)

    def _prepare(self, outcome: Outcome) -> None:
        if isinstance(self.percentiles, int | np.integer):
            k = int(self.percentiles)
            self.levels_ = np.arange(1, k + 1) / (k + 1)
        else:
            self.levels_ = np.sort(as_levels(self.percentiles, "percentiles"))
        self._unit = float(outcome.time.max())

    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        return {
            "time": torch.from_numpy(outcome.time / self._unit).float(),
            "event": torch.from_numpy(outcome.event.copy()),
        }

    def _network(self, n_features: int) -> nn.Module:
        return mlp(n_features, len(self.levels_), self.hidden, self.dropout)

    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        predicted = network(batch["x"])
        # P(T ≤ q) ascends where survival levels descend.
        quantiles = torch.from_numpy(1 - self.levels_[::-1]).to(predicted)
        pinball = censored_pinball_loss(
            predicted, batch["time"], batch["event"], quantiles, _FAR
        )
        return pinball + self.crossing_weight * crossing_penalty(predicted)

    def _percentile_times(self, x: Tensor) -> Float:
        scaled = self.network_(x).flip(1).clamp_min(0.0)
        times: Float = scaled.double().numpy() * self._unit
        return times

    def _curves(self, x: Tensor) -> SurvivalCurves:
        times = rearrange(self._percentile_times(x), self.levels_)
        return SurvivalCurves.from_percentile_times(times, self.levels_)
