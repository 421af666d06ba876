"""The datasets: the paper's public ones and three of scikit-survival."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from consurv.errors import MissingDependency
from consurv.outcome import Outcome
from studies.sources import PUBLIC, load_source, split_available

__all__ = ["DATASETS", "available", "load"]

# Of these GBSG2's patients are part of GBSG: a count of datasets counts them once.
_OTHERS = {"FLCHAIN": "load_flchain", "WHAS500": "load_whas500", "GBSG2": "load_gbsg2"}
DATASETS = (*PUBLIC, *_OTHERS)
# What FLCHAIN knows only after the event, as in scikit-survival's own examples.
_AFTERWARDS = ["chapter"]


def available(names: tuple[str, ...] = DATASETS) -> list[str]:
    """Return those of the datasets that are here."""
    here, _ = split_available([name for name in names if name in PUBLIC])
    return [name for name in names if name in here or name in _OTHERS]


@lru_cache(maxsize=2)
def load(name: str) -> tuple[pd.DataFrame, Outcome, str]:
    """Return features, outcomes and what missing numbers are filled with.

    Examples
    --------
    >>> X, y, impute = load("WHAS500")
    >>> len(y), impute
    (500, 'mean')
    """
    if name in PUBLIC:
        source = load_source(name)
        return source.X, source.y, source.impute
    try:
        datasets: Any = import_module("sksurv.datasets")
    except ImportError as error:
        raise MissingDependency("scikit-survival", "models") from error
    X, y = getattr(datasets, _OTHERS[name])()
    event, time = (np.asarray(y[field]) for field in y.dtype.names)
    # FLCHAIN has three deaths on the day of the sample: half a day, as for time 0.
    time = np.where(time > 0, time.astype(float), 0.5)
    return X.drop(columns=_AFTERWARDS, errors="ignore"), Outcome(time, event), "mean"
