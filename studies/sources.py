"""The datasets of the experiments: the paper's, and simulations of SEER's size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from consurv._registry import resolve
from consurv.datasets import (
    MissingData,
    dataset_names,
    describe_datasets,
    load_dataset,
    make_seer_like,
)
from consurv.outcome import Outcome

__all__ = ["Source", "load_source", "quick_names", "source_names", "split_available"]

PUBLIC = ("VALCT", "DLBCL", "PBC", "GBM", "METABRIC", "GBSG", "NACD", "SUPPORT")
_LIKE = "-like"
SIMULATED = tuple(f"SEER-{site}{_LIKE}" for site in ("brain", "liver", "stomach"))
_GROUPS = {"public": PUBLIC, "simulated": SIMULATED, "all": (*PUBLIC, *SIMULATED)}
# Small ones first; the first three that are here make a quick run.
_QUICK = ("VALCT", "PBC", "GBM", "DLBCL", "GBSG")
# The simulated rows are the same for all seeds: a seed splits and trains.
_SIMULATION_SEED = 0


@dataclass(frozen=True, eq=False)
class Source:
    """A dataset as the experiments see it.

    Attributes
    ----------
    name : str
    X : DataFrame of shape (n, m)
    y : Outcome
    simulated : bool
    digest : str
        Changes with the rows and with what is filled in.
    impute : str
        What the encoder fills in where a number is missing.
    """

    name: str
    X: pd.DataFrame
    y: Outcome
    simulated: bool
    digest: str
    impute: str = "mean"

    @property
    def size(self) -> str:
        """The paper's group: small below 1,000 subjects, medium below 10,000."""
        n = len(self.y)
        return "small" if n < 1000 else "medium" if n < 10_000 else "large"


def source_names(names: Sequence[str]) -> list[str]:
    """Return full names of datasets for any form of them, and for groups.

    Parameters
    ----------
    names : sequence of str
        Datasets in any case, or "public", "simulated", "all".

    Examples
    --------
    >>> source_names(["pbc", "simulated"])
    ['PBC', 'SEER-brain-like', 'SEER-liver-like', 'SEER-stomach-like']
    """
    known = {name: (name,) for name in (*dataset_names(), *SIMULATED)}
    found = [resolve({**known, **_GROUPS}, name, "dataset") for name in names]
    return list(dict.fromkeys(name for group in found for name in group))


def split_available(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the datasets that are here, and how to get each of the others."""
    table = describe_datasets()
    missing = {
        name: str(table.loc[name, "how_to_get"])
        for name in names
        if name in table.index and not table.loc[name, "here"]
    }
    return [name for name in names if name not in missing], missing


def quick_names() -> list[str]:
    """Return three small datasets that are here."""
    here, missing = split_available(_QUICK)
    if not here:
        raise MissingData(f"no small dataset is here; {missing[_QUICK[0]]}")
    return here[:3]


@lru_cache(maxsize=16)
def load_source(name: str) -> Source:
    """Load a dataset by its full name; it is kept in memory.

    Examples
    --------
    >>> source = load_source("VALCT")
    >>> len(source.y), source.size, source.simulated
    (137, 'small', False)
    """
    simulated = name in SIMULATED
    data = (
        make_seer_like(
            name.removeprefix("SEER-").removesuffix(_LIKE),
            random_state=_SIMULATION_SEED,
        )
        if simulated
        else load_dataset(name)
    )
    impute = getattr(data, "impute", "mean")  # a simulation has no gaps
    digest = _digest(data.X, data.outcome, impute)
    return Source(name, data.X, data.outcome, simulated, digest, impute)


def _digest(X: pd.DataFrame, y: Outcome, impute: str) -> str:
    digest = hashlib.sha256(",".join([*map(str, X.columns), impute]).encode())
    rows = pd.util.hash_pandas_object(X.reset_index(drop=True), index=False)
    for values in (rows.to_numpy(), y.time, y.event):
        digest.update(values.tobytes())
    return digest.hexdigest()[:16]
