"""What a dataset is: features, outcomes and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from consurv._checks import check_same_length
from consurv.outcome import Outcome

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """One dataset, as its loader made it: neither imputed nor standardised.

    Parameters
    ----------
    name : str
        The name that the paper uses.
    X : DataFrame of shape (n, m)
        Features, a row per subject; missing values are left missing.
    y : array of shape (n,)
        Outcomes, structured (event, time).
    source : str
        Where the rows come from.
    licence : str
        The terms under which they may be used.
    time_unit : str
        The unit of ``y["time"]``, such as "days".
    impute : {"mean", "median"}
        What the paper fills in where a number is missing; a parameter of
        `TableEncoder`.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [61, 48]})
    >>> y = Outcome(time=[3, 7], event=[1, 0]).to_structured()
    >>> Dataset("TOY", X, y, "made up", "CC0", "days")
    Dataset('TOY', n=2, features=1, censored=50.00%)
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    source: str
    licence: str
    time_unit: str
    impute: str = "mean"

    def __post_init__(self) -> None:
        check_same_length(X=len(self.X), y=len(self.y))

    def __len__(self) -> int:
        return len(self.y)

    @property
    def outcome(self) -> Outcome:
        """The outcomes as an `Outcome`."""
        return Outcome.of(self.y)

    @property
    def censored(self) -> float:
        """Share of the subjects that are censored."""
        return float(1 - self.y["event"].mean())

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, n={len(self)}, features={self.X.shape[1]}, "
            f"censored={self.censored:.2%})"
        )
