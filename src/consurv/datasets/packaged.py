"""Tables that lie inside the installed package ``survival``: no download."""

from __future__ import annotations

from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from consurv.datasets.base import Dataset
from consurv.errors import MissingDependency
from consurv.outcome import Outcome

__all__ = ["packaged_dataset", "packaged_table"]


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


def packaged_dataset(
    name: str, X: pd.DataFrame, time: ArrayLike, event: ArrayLike, **facts: str
) -> Dataset:
    """Return a dataset made of these tables, under the licence that they share."""
    y = Outcome(time=time, event=event).to_structured()
    return Dataset(name, X, y, licence="LGPL-2 or later (R's survival)", **facts)
