"""What is known of a dataset before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from numpy.typing import ArrayLike

from consurv._warnings import warn
from consurv.datasets.dataset import Dataset
from consurv.datasets.places import Place
from consurv.errors import InvalidInput
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
    n_features : tuple of int
        How many features it may have; none where that is not known beforehand.
    """

    name: str
    n: int
    censored: float
    source: str
    licence: str
    time_unit: str
    place: Place
    impute: str = "mean"
    n_features: tuple[int, ...] = ()

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

    def check(self, data: Dataset) -> None:
        """Refuse rows that are not those of the paper's Table 1.

        An export of the user's own gets a warning: no two releases are the same.
        """
        found = f"{len(data)} subjects, {100 * data.censored:.2f} % of them censored"
        stated = f"{self.n} and {self.censored:.2f} %"
        same = len(data) == self.n and round(100 * data.censored, 2) == self.censored
        n_features = data.X.shape[1]
        if self.n_features:
            found = f"{found}, with {n_features} features"
            stated = f"{stated}, with {' or '.join(map(str, self.n_features))}"
            same = same and n_features in self.n_features
        if same:
            return
        message = f"{self.name} has {found}; the table of the paper has {stated}"
        if not self.n_features:
            warn(f"{message}: results will differ from the paper's")
            return
        raise InvalidInput(
            f"{message}. Fetch it anew with `consurv datasets fetch {self.name}`, or "
            f"load this version knowingly: load_dataset({self.name!r}, check=False)"
        )
