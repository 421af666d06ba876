"""The training loop that all deep models share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from consurv._checks import Float, check_same_length
from consurv.errors import ConsurvError, InvalidInput
from consurv.models.deep.progress import progress

__all__ = ["History", "Loss", "Settings", "find_device", "seeded", "train"]

Batch = dict[str, Tensor]
Loss = Callable[[nn.Module, Batch], Tensor]

# Validation rows per loss: many, because risk sets and ranks are formed within a
# batch, yet bounded, because a ranking loss takes memory of the square.
_VALIDATION_ROWS = 2048


@dataclass(frozen=True)
class Settings:
    """How a network is trained.

    Examples
    --------
    >>> Settings(max_epochs=5).batch_size
    256
    """

    learning_rate: float = 1e-3
    weight_decay: float = 1e-3
    batch_size: int = 256
    max_epochs: int = 1000
    patience: int = 20
    device: str | torch.device = "cpu"
    seed: int = 0
    verbose: bool = False


@dataclass(frozen=True)
class History:
    """What happened in training, epoch by epoch.

    Attributes
    ----------
    training_loss, validation_loss : array of shape (n_epochs,)
        The training loss is the mean over the batches of an epoch, with dropout.
    best_epoch : int
        The epoch, counted from 0, whose weights were kept.
    """

    training_loss: Float
    validation_loss: Float
    best_epoch: int

    def to_kept(self) -> dict[str, Any]:
        """Return the losses and the best epoch, for a file."""
        return asdict(self)

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> History:
        """Return the history that ``to_kept`` told of."""
        return cls(**state)

    @property
    def n_epochs(self) -> int:
        """Number of epochs that were run."""
        return len(self.training_loss)


def train(
    network: nn.Module,
    loss: Loss,
    data: Mapping[str, Tensor],
    validation: Mapping[str, Tensor],
    settings: Settings,
) -> History:
    """Train *network* by Adam and keep the weights of the best validation loss.

    Parameters
    ----------
    network : torch.nn.Module
        Trained in place; it ends on ``settings.device``, in evaluation mode, with its
        best weights.
    loss : callable
        ``loss(network, batch)`` returns a scalar, a mean over the rows of the batch.
        It may draw from torch's global generator, which is seeded and put back.
    data, validation : mapping of str to Tensor
        Tensors with a row per subject. They are moved to the device once.
    settings : Settings

    Returns
    -------
    History

    Raises
    ------
    InvalidInput
        If there are fewer than two rows to train on, or none to validate on.
    ConsurvError
        If a loss is not finite.

    Examples
    --------
    >>> from consurv.models.deep.network import mlp
    >>> def squares(network, batch):
    ...     return (network(batch["x"])[:, 0] - batch["t"]).square().mean()
    >>> x = torch.linspace(-1, 1, 64)[:, None]
    >>> rows = {"x": x, "t": 2 * x[:, 0]}
    >>> settings = Settings(learning_rate=0.05, max_epochs=50)
    >>> with seeded(0):
    ...     network = mlp(1, 1, hidden=())
    >>> history = train(network, squares, rows, rows, settings)
    >>> bool(history.validation_loss.min() < 0.01)
    True
    """
    n, n_validation = _n_rows(data), _n_rows(validation)
    if n < 2 or n_validation < 1:
        raise InvalidInput(
            f"{n} subjects to train on and {n_validation} to validate on are too few; "
            "at least 2 and 1 are needed"
        )
    device = torch.device(settings.device)
    network.to(device)
    rows, held = _move(data, device), _move(validation, device)
    optimizer = torch.optim.Adam(
        network.parameters(),
        lr=settings.learning_rate,
        weight_decay=settings.weight_decay,
        fused=True,
    )
    order = torch.Generator().manual_seed(settings.seed)
    chunks = _batches(n_validation, _VALIDATION_ROWS, order, device)
    keeper = _Keeper(network, settings.patience)
    with seeded(settings.seed, device), progress(settings.verbose) as report:
        for epoch in range(settings.max_epochs):
            batches = _batches(n, settings.batch_size, order, device)
            trained = _run_epoch(network, loss, rows, batches, optimizer)
            # The same draws in every epoch, so that its losses can be compared.
            with seeded(settings.seed, device):
                validated = _evaluate(network, loss, held, chunks)
            _check_loss(trained, validated, epoch)
            report(epoch, settings.max_epochs, trained, validated)
            if keeper.sees_enough(trained, validated):
                break
    return keeper.restore()


def find_device(name: str) -> torch.device:
    """Return the device called *name*; ``"auto"`` is the GPU where there is one.

    Raises
    ------
    InvalidInput
        If torch knows no such device, or it is not there.

    Examples
    --------
    >>> find_device("cpu")
    device(type='cpu')
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        first_line = next(iter(str(error).splitlines()), "")
        raise InvalidInput(
            f"device={name!r} cannot be used here ({first_line}); choose 'auto', "
            "'cpu' or a device of this machine such as 'cuda:0'"
        ) from error
    return device


@contextmanager
def seeded(seed: int, device: str | torch.device = "cpu") -> Iterator[None]:
    """Seed torch's global generator inside the block and put its state back after.

    Examples
    --------
    >>> with seeded(3):
    ...     first = torch.rand(2)
    >>> with seeded(3):
    ...     print(bool((torch.rand(2) == first).all()))
    True
    """
    device = torch.device(device)
    cuda = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=cuda):
        # torch.manual_seed would also seed GPUs whose state is not put back.
        torch.default_generator.manual_seed(seed)
        if cuda:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield


class _Keeper:
    """Keeps the best weights and says when to stop."""

    def __init__(self, network: nn.Module, patience: int) -> None:
        self.network, self.patience = network, patience
        self.training: list[float] = []
        self.validation: list[float] = []
        self.best = -1
        self.weights: dict[str, Tensor] = {}

    def sees_enough(self, trained: float, validated: float) -> bool:
        """Take note of an epoch; say whether patience is at its end."""
        if self.best < 0 or validated < self.validation[self.best]:
            self.best = len(self.validation)
            self.weights = {
                name: t.clone() for name, t in self.network.state_dict().items()
            }
        self.training.append(trained)
        self.validation.append(validated)
        return len(self.validation) - 1 - self.best >= self.patience

    def restore(self) -> History:
        """Put the best weights back."""
        self.network.load_state_dict(self.weights)
        self.network.eval()
        return History(np.array(self.training), np.array(self.validation), self.best)


def _run_epoch(
    network: nn.Module,
    loss: Loss,
    rows: Batch,
    batches: list[Tensor],
    optimizer: torch.optim.Optimizer,
) -> float:
    network.train()
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        value = loss(network, _pick(rows, batch))
        value.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(value.detach())
    # One transfer for all batches: asking each for its value would stall a GPU.
    return float(torch.stack(losses).mean())


@torch.no_grad()
def _evaluate(
    network: nn.Module, loss: Loss, rows: Batch, chunks: list[Tensor]
) -> float:
    network.eval()
    total = sum(loss(network, _pick(rows, chunk)) * len(chunk) for chunk in chunks)
    return float(total) / sum(len(chunk) for chunk in chunks)


def _pick(rows: Batch, chosen: Tensor) -> Batch:
    return {name: t.index_select(0, chosen) for name, t in rows.items()}


def _batches(
    n: int, size: int, order: torch.Generator, device: torch.device
) -> list[Tensor]:
    """Return shuffled row numbers in batches; a last batch of one joins another."""
    rows = torch.randperm(n, generator=order).to(device)
    batches = [rows[start : start + size] for start in range(0, n, size)]
    if len(batches) > 1 and len(batches[-1]) == 1:  # batch norm needs two rows
        batches[-2:] = [torch.cat(batches[-2:])]
    return batches


def _n_rows(data: Mapping[str, Tensor]) -> int:
    check_same_length(**{name: len(t) for name, t in data.items()})
    return len(next(iter(data.values())))


def _move(data: Mapping[str, Tensor], device: torch.device) -> Batch:
    return {name: t.to(device) for name, t in data.items()}


def _check_loss(trained: float, validated: float, epoch: int) -> None:
    for kind, value in {"training": trained, "validation": validated}.items():
        if not math.isfinite(value):
            raise ConsurvError(
                f"the {kind} loss became {value} in epoch {epoch}; standardise the "
                "features or lower learning_rate"
            )
