"""Tables that lie inside installed packages: no download."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from consurv.datasets.places import PackagePlace
from consurv.errors import MissingDependency

__all__ = ["SURVIVAL", "SURVIVAL_LICENCE", "SURVSET", "packaged_table", "survset_table"]

SURVIVAL, SURVSET = PackagePlace("survival"), PackagePlace("SurvSet")
SURVIVAL_LICENCE = "LGPL-2 or later (R's survival)"


def packaged_table(name: str) -> pd.DataFrame:
    """Return a table of R's ``survival`` package as the Python one carries it.

    Parameters
    ----------
    name : str
        Its name there, such as "gbsg".

    Raises
    ------
    MissingDependency
        If ``survival`` is not installed.

    Examples
    --------
    >>> packaged_table("veteran").shape
    (137, 8)
    """
    try:
        from survival import datasets
    except ImportError as error:
        raise MissingDependency("survival", "datasets") from error
    columns: dict[str, Any] = getattr(datasets, f"load_{name}")()
    return pd.DataFrame(columns)


def survset_table(name: str) -> pd.DataFrame:
    """Return a table that the package ``SurvSet`` carries, numbered from 0.

    Parameters
    ----------
    name : str
        Its name there, such as "DLBCL".

    Raises
    ------
    MissingDependency
        If ``SurvSet`` is not installed.

    Examples
    --------
    >>> survset_table("support2").shape
    (9105, 38)
    """
    try:
        from SurvSet.data import SurvLoader
    except ImportError as error:
        raise MissingDependency("SurvSet", "datasets") from error
    with warnings.catch_warnings():  # its pickles name old modules of numpy
        warnings.simplefilter("ignore", DeprecationWarning)
        frame: pd.DataFrame = SurvLoader().load_dataset(name)["df"]
    return frame.reset_index(drop=True)
