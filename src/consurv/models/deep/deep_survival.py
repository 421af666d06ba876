"""The frame of every deep model: checks, validation set, training, prediction."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor, nn

from consurv._params import (
    AtLeast,
    Between,
    Constraints,
    InstanceOf,
    OneOf,
    check_params,
)
from consurv.curves.curves import SurvivalCurves
from consurv.models.deep.network import mlp
from consurv.models.deep.training import Settings, find_device, seeded, train
from consurv.models.model import SurvivalModel
from consurv.models.validation import with_validation
from consurv.outcome import Outcome

__all__ = ["Data", "DeepSurvival"]

Data = tuple[NDArray[np.float32], Outcome]


class DeepSurvival(SurvivalModel):
    """Base of the deep models; a model adds its loss and how outputs become curves.

    Features should be standardised. Training stops when the loss of the validation set,
    given to ``fit`` or held out, has not fallen for ``patience`` epochs, and the
    weights of the best epoch are kept.

    Parameters
    ----------
    hidden : sequence of int, default=(64, 64)
        Widths of the hidden layers.
    dropout : float, default=0.4
    learning_rate : float, default=1e-3
        Of the optimizer, Adam.
    weight_decay : float, default=1e-3
        Weight of the L2 penalty.
    batch_size : int, default=256
    max_epochs : int, default=1000
    patience : int, default=20
    validation_fraction : float, default=0.1
        Share of the subjects held out if ``fit`` gets no validation set.
    device : str, default="auto"
        ``"auto"`` is the GPU where there is one; otherwise a name that torch knows.
        The trained network is kept on the CPU.
    random_state : int or Generator, optional
        The same seed gives the same model on the same machine.
    verbose : bool, default=False
        Show a progress bar, or log lines where rich is not installed.

    Attributes
    ----------
    network_ : torch.nn.Module
    history_ : History
    n_features_in_ : int
    """

    _rules: ClassVar[Constraints] = {
        "dropout": (OneOf(0, 0.0), Between(0, 1)),
        "learning_rate": Between(0, np.inf),
        "weight_decay": AtLeast(0, real=True),
        "batch_size": AtLeast(2),
        "max_epochs": AtLeast(1),
        "patience": AtLeast(1),
        "validation_fraction": Between(0, 1),
        "device": InstanceOf(str),
        "random_state": (OneOf(None), AtLeast(0), InstanceOf(np.random.Generator)),
        "verbose": OneOf(True, False),
    }
    uses_validation: ClassVar[bool] = True
    _dtype: ClassVar[DTypeLike] = np.float32

    def __init__(
        self,
        *,
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
        self.hidden = hidden
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    # -- what a model adds ----------------------------------------------------

    def _prepare(self, outcome: Outcome) -> None:
        """Learn from the training outcomes what targets need, such as bins."""

    @abstractmethod
    def _encode(self, outcome: Outcome) -> dict[str, Tensor]:
        """Return the targets of the loss, tensors with a row per subject."""

    def _network(self, n_features: int) -> nn.Module:
        """Return the untrained network; by default one output."""
        return mlp(n_features, 1, self.hidden, self.dropout)

    @abstractmethod
    def _loss(self, network: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        """Return the mean loss of a batch: ``batch["x"]`` and the targets."""

    def _finish(self, x: Tensor, outcome: Outcome) -> None:
        """Learn from the training set what curves need besides the network."""

    @abstractmethod
    def _curves(self, x: Tensor) -> SurvivalCurves:
        """Return the curves of one chunk of rows."""

    # -- the work -------------------------------------------------------------

    def _check_params(self) -> None:
        super()._check_params()
        for width in self.hidden:
            check_params({"hidden": width}, {"hidden": AtLeast(1)})

    def _fit(self, data: Data, validation: Data | None) -> None:
        rng = np.random.default_rng(self.random_state)
        data, validation = with_validation(
            data, validation, self.validation_fraction, rng
        )
        self._train(data, validation, seed=int(rng.integers(2**31)))

    def _train(self, data: Data, validation: Data, seed: int) -> None:
        device = find_device(self.device)
        X, outcome = data
        self._prepare(outcome)
        with seeded(seed):  # weights are drawn on the CPU, whatever the device
            network = self._network(X.shape[1])
        settings = Settings(
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            batch_size=self.batch_size,
            max_epochs=self.max_epochs,
            patience=self.patience,
            device=device,
            seed=seed,
            verbose=self.verbose,
        )
        history = train(
            network, self._loss, self._batch(data), self._batch(validation), settings
        )
        self.network_ = network.cpu()
        with torch.inference_mode():
            self._finish(_to_tensor(X), outcome)
        self.history_ = history

    def _batch(self, data: Data) -> dict[str, Tensor]:
        X, outcome = data
        return {"x": _to_tensor(X), **self._encode(outcome)}

    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        self.network_.eval()
        with torch.inference_mode():
            return self._curves(_to_tensor(features))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "history_")


def _to_tensor(X: NDArray[np.float32]) -> Tensor:
    # torch cannot mark memory as read-only and warns of arrays that are.
    return torch.from_numpy(np.require(X, requirements=["C", "W"]))
