"""Datasets by name."""

from __future__ import annotations

from collections.abc import Callable

from consurv._registry import resolve
from consurv.datasets.base import Dataset
from consurv.datasets.gbsg import load_gbsg
from consurv.datasets.pbc import load_pbc
from consurv.datasets.valct import load_valct

__all__ = ["dataset_names", "load_dataset"]

_LOADERS: dict[str, Callable[[], Dataset]] = {
    "VALCT": load_valct,
    "PBC": load_pbc,
    "GBSG": load_gbsg,
}


def dataset_names() -> list[str]:
    """Return the names that `load_dataset` knows.

    Examples
    --------
    >>> dataset_names()
    ['VALCT', 'PBC', 'GBSG']
    """
    return list(_LOADERS)


def load_dataset(name: str) -> Dataset:
    """Load a dataset by its name; the case of the letters does not matter.

    Raises
    ------
    InvalidInput
        If there is no dataset of that name.
    MissingDependency
        If the library that holds its rows is not installed.

    Examples
    --------
    >>> load_dataset("gbsg").X.shape
    (2232, 7)
    """
    return resolve(_LOADERS, name, "dataset")()
