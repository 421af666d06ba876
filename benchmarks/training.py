"""Cost of an epoch of training against pycox, side by side on SUPPORT.

Both train the same network in batches of 256, with the loss of a validation set after
every epoch. What comes before the first epoch and after the last is left out.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import torch

from benchmarks.cell import Cell, make_cell
from benchmarks.pycox_models import PYCOX, train_pycox
from benchmarks.report import Measure, seconds
from benchmarks.timing import Times, race
from consurv import models
from consurv.datasets import Dataset, make_weibull
from consurv.errors import ConsurvError

__all__ = ["measure", "run", "support"]

CASE = "Training on SUPPORT: an epoch of pycox / an epoch of consurv"


def run(quick: bool) -> list[Measure]:
    """Measure pycox's four models."""
    return measure(support(), epochs=2 if quick else 8, rounds=1 if quick else 7)


def support() -> Cell:
    """Return SUPPORT, or simulated data of its size where it is not to be had."""
    try:
        return make_cell("SUPPORT", seed=0)
    except ConsurvError:
        twin = make_weibull(9105, n_features=31, censoring=0.32, random_state=0)
        data = Dataset("SUPPORT, simulated", twin.X, twin.y, "simulated", "CC0", "days")
        return make_cell(data, seed=0)


def measure(cell: Cell, epochs: int, rounds: int) -> list[Measure]:
    """Compare the costs of an epoch, from fits of one and of ``1 + epochs`` epochs."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [_measure(cell, model, epochs, rounds) for model in PYCOX]
    finally:
        torch.set_num_threads(threads)


def _measure(cell: Cell, model: str, epochs: int, rounds: int) -> Measure:
    sides = {"pycox": _theirs, "ours": _ours}
    contestants: dict[str, Callable[[], object]] = {
        f"{side}, {n}": partial(train, cell, model, n)
        for side, train in sides.items()
        for n in (1, 1 + epochs)
    }
    times = race(contestants, rounds)
    costs = {
        side: _per_epoch(times[f"{side}, 1"], times[f"{side}, {1 + epochs}"], epochs)
        for side in sides
    }
    best, median = (costs["pycox"][i] / costs["ours"][i] for i in (0, 1))
    detail = f"{seconds(costs['pycox'][0])} / {seconds(costs['ours'][0])}"
    what = f"{model}, {cell.dataset}, {len(cell.train[1]):,} subjects"
    return Measure(CASE, what, best, 1, False, median, detail)


def _per_epoch(short: Times, long: Times, epochs: int) -> tuple[float, float]:
    """Return the CPU seconds of one epoch: from the best and from the median rounds."""
    middle = statistics.median(long.cpu) - statistics.median(short.cpu)
    return (long.best - short.best) / epochs, middle / epochs


def _ours(cell: Cell, model: str, epochs: int) -> None:
    estimator = getattr(models, model)(
        max_epochs=epochs, patience=epochs, device="cpu", random_state=0
    )
    estimator.fit(*cell.train, *cell.validation)


def _theirs(cell: Cell, model: str, epochs: int) -> None:
    decay = getattr(models, model)().weight_decay
    train_pycox(
        model,
        cell.train,
        cell.validation,
        epochs=epochs,
        patience=None,
        weight_decay=decay,
        seed=0,
        baseline=False,
    )
