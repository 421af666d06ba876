"""The paper's protocol: how a dataset is split and encoded for one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv import Outcome
from consurv.datasets import TableEncoder, load_dataset
from consurv.datasets.dataset import Dataset
from consurv.splits import split

__all__ = ["LARGE", "PUBLIC", "SMALL", "Cell", "Part", "make_cell"]

# In order of size.
SMALL = ("VALCT", "DLBCL", "PBC", "GBM")
LARGE = ("SUPPORT",)
PUBLIC = (*SMALL, "METABRIC", "GBSG", "NACD", *LARGE)

Part = tuple[NDArray[np.float32], Outcome]


@dataclass(frozen=True)
class Cell:
    """One dataset under one seed.

    A tenth of the subjects is the test set, a tenth of the others the validation set.
    The encoder has seen the training rows alone.
    """

    dataset: str
    seed: int
    train: Part
    validation: Part
    _encoder: Any
    _test: tuple[pd.DataFrame, Outcome]

    @property
    def test(self) -> Part:
        """The test set, encoded only for those who ask."""
        table, outcome = self._test
        return _encode(self._encoder, table), outcome


def make_cell(dataset: str | Dataset, seed: int) -> Cell:
    """Split and encode."""
    data = load_dataset(dataset) if isinstance(dataset, str) else dataset
    y, rng = data.outcome, np.random.default_rng(seed)
    rest, test = split(y, 0.1, rng)
    kept, held = split(y[rest], 0.1, rng)
    train, validation = rest[kept], rest[held]
    encoder = TableEncoder(impute=data.impute).fit(data.X.iloc[train])
    return Cell(
        data.name,
        seed,
        (_encode(encoder, data.X.iloc[train]), y[train]),
        (_encode(encoder, data.X.iloc[validation]), y[validation]),
        encoder,
        (data.X.iloc[test], y[test]),
    )


def _encode(encoder: Any, table: pd.DataFrame) -> NDArray[np.float32]:
    return np.asarray(encoder.transform(table), dtype=np.float32)
