"""One dataset under one seed, by the protocol of the studies, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consurv import Outcome
from consurv.conformal.parts.blocks import Data
from consurv.datasets import load_dataset
from consurv.datasets.dataset import Dataset
from studies.protocol import split_table
from studies.sources import PUBLIC

__all__ = ["LARGE", "PUBLIC", "SMALL", "Cell", "Part", "make_cell"]

SMALL = ("VALCT", "DLBCL", "PBC", "GBM")
LARGE = ("SUPPORT",)

Part = tuple[NDArray[np.float32], Outcome]


@dataclass(frozen=True)
class Cell:
    """The three parts of a dataset, in the form that all contestants take."""

    dataset: str
    seed: int
    train: Part
    validation: Part
    test: Part


def make_cell(dataset: str | Dataset, seed: int) -> Cell:
    """Split and encode."""
    data = load_dataset(dataset) if isinstance(dataset, str) else dataset
    parts = split_table(data.X, data.outcome, seed, holds_out=True, impute=data.impute)
    assert parts.validation is not None
    three = map(_part, (parts.train, parts.validation, parts.test))
    return Cell(data.name, seed, *three)


def _part(data: Data) -> Part:
    X, y = data
    return np.asarray(X, dtype=np.float32), y
