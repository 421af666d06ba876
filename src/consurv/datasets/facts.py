"""What is known of a dataset before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from numpy.typing import ArrayLike

from consurv.datasets.dataset import Dataset
from consurv.datasets.places import Place
from consurv.outcome import Outcome

__all__ = ["Facts"]


@dataclass(frozen=True)
class Facts:
    """A dataset in the list of all datasets.

    Parameters
    ----------
    name : str
        The name that the paper uses.
    n : int
        Number of subjects.
    censored : float
        Per cent of them that are censored.
    source : str
        Where the rows come from.
    licence : str
        The terms under which they may be used.
    time_unit : str
        Such as "days".
    place : Place
        Where the rows lie on this machine.
    impute : {"mean", "median"}
        What the paper fills in where a number is missing.
    """

    name: str
    n: int
    censored: float
    source: str
    licence: str
    time_unit: str
    place: Place
    impute: str = "mean"

    def dataset(
        self,
        X: pd.DataFrame,
        time: ArrayLike,
        event: ArrayLike,
        source: str | None = None,
    ) -> Dataset:
        """Return the dataset with these rows, numbered from 0."""
        return Dataset(
            self.name,
            X.reset_index(drop=True),
            Outcome(time=time, event=event).to_structured(),
            source=source or self.source,
            licence=self.licence,
            time_unit=self.time_unit,
            impute=self.impute,
        )
