"""Datasets by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from consurv._registry import resolve
from consurv.datasets.dataset import Dataset
from consurv.datasets.dlbcl import DLBCL, load_dlbcl
from consurv.datasets.facts import Facts
from consurv.datasets.gbm import GBM, load_gbm
from consurv.datasets.gbsg import GBSG, load_gbsg
from consurv.datasets.metabric import METABRIC, load_metabric
from consurv.datasets.nacd import NACD, load_nacd
from consurv.datasets.pbc import PBC, load_pbc
from consurv.datasets.seer import SEER, load_registered_seer
from consurv.datasets.support import SUPPORT, load_support
from consurv.datasets.valct import VALCT, load_valct

__all__ = ["dataset_names", "describe_datasets", "load_dataset"]

# In the order of the paper's Table 1.
_LOADERS: list[tuple[Facts, Callable[[], Dataset]]] = [
    (VALCT, load_valct),
    (DLBCL, load_dlbcl),
    (PBC, load_pbc),
    (GBM, load_gbm),
    (METABRIC, load_metabric),
    (GBSG, load_gbsg),
    (NACD, load_nacd),
    (SUPPORT, load_support),
    *((facts, partial(load_registered_seer, site)) for site, facts in SEER.items()),
]


def dataset_names() -> list[str]:
    """Return the names that `load_dataset` knows, those not on this machine too.

    Examples
    --------
    >>> dataset_names()
    ['VALCT', 'DLBCL', 'PBC', 'GBM', 'METABRIC', 'GBSG', 'NACD', 'SUPPORT',
     'SEER-brain', 'SEER-liver', 'SEER-stomach']
    """
    return [facts.name for facts, _ in _LOADERS]


def describe_datasets() -> pd.DataFrame:
    """Return what is known of the datasets without loading them, a row for each.

    The columns are ``n``, ``censored`` (in per cent), ``source``, ``licence``,
    ``here`` (whether `load_dataset` can load it on this machine now) and
    ``how_to_get``.

    Examples
    --------
    >>> describe_datasets()[["n", "censored"]].head(2)
             n  censored
    VALCT  137      6.57
    DLBCL  240     42.50
    """
    rows = {
        facts.name: {
            "n": facts.n,
            "censored": facts.censored,
            "source": facts.source,
            "licence": facts.licence,
            "here": facts.place.is_here(),
            "how_to_get": facts.place.how_to_get(),
        }
        for facts, _ in _LOADERS
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def load_dataset(name: str, *, check: bool = True) -> Dataset:
    """Load a dataset by its name; the case of the letters does not matter.

    Features come as they are: `TableEncoder` imputes, encodes and scales them inside
    each training split.

    Parameters
    ----------
    name : str
    check : bool, default=True
        Whether rows, censoring and features must be those of the paper's Table 1;
        False loads another version of the file. An export of SEER that is not the
        paper's only gets a warning.

    Raises
    ------
    InvalidInput
        If there is no dataset of that name, or its rows are others than the paper's.
    MissingDependency
        If the library that holds its rows is not installed.
    MissingData
        If its file is not on this machine; the message says how to get it.

    Examples
    --------
    >>> load_dataset("gbsg").X.shape
    (2232, 7)
    """
    known = {facts.name: (facts, load) for facts, load in _LOADERS}
    facts, load = resolve(known, name, "dataset")
    data = load()
    if check:
        facts.check(data)
    return data
