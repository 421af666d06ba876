"""The paper's protocol: how the rows of a dataset are split and encoded for a seed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from consurv.conformal.blocks import Data
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.datasets import TableEncoder
from consurv.errors import CalibrationWarning
from consurv.outcome import Outcome
from consurv.splits import split
from studies.sources import load_source

__all__ = ["PROTOCOL", "Split", "split_rows", "split_table"]

# Part of every fingerprint: raise it when splits or encoding change.
PROTOCOL = "90/10 test, 10 % of the rest for validation, stratified; version 1"
_TEST = _VALIDATION = 0.1


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of a dataset for one seed, encoded by what the training rows say.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted on the rows of ``train``.
    train, test : pair (features, Outcome)
    validation : pair or None
        None where the model trains on the whole training part.
    known : Outcome
        Of training and validation set together.
    """

    encoder: TableEncoder
    train: Data
    validation: Data | None
    test: Data
    known: Outcome

    @cached_property
    def kaplan_meier(self) -> KaplanMeier:
        """The curve of ``known``, which the metrics weigh by."""
        return KaplanMeier(self.known)


@lru_cache(maxsize=2)
def split_rows(dataset: str, seed: int, holds_out: bool) -> Split:
    """Split a dataset of the studies; see `split_table`.

    The last splits are kept in memory, because all models of a dataset and a seed
    share them.

    Parameters
    ----------
    dataset : str
        Full name.
    seed : int
    holds_out : bool
        Whether a validation set is split off.

    Examples
    --------
    >>> parts = split_rows("VALCT", 0, True)
    >>> [len(y) for _, y in (parts.train, parts.validation, parts.test)]
    [111, 12, 14]
    """
    source = load_source(dataset)
    return split_table(source.X, source.y, seed, holds_out, source.impute)


def split_table(
    X: pd.DataFrame, y: Outcome, seed: int, holds_out: bool, impute: str = "mean"
) -> Split:
    """Split rows 90/10, and the larger part again if rows are held out.

    The test set depends on the rows and the seed alone.

    Parameters
    ----------
    X : DataFrame of shape (n, m)
    y : Outcome
    seed : int
    holds_out : bool
        Whether a validation set is split off.
    impute : str
        What the encoder fills in where a number is missing.

    Examples
    --------
    >>> from consurv.datasets import make_weibull
    >>> data = make_weibull(100, random_state=0)
    >>> parts = split_table(data.X, data.outcome, seed=0, holds_out=False)
    >>> len(parts.train[1]), parts.validation, len(parts.test[1])
    (90, None, 10)
    """
    rng = np.random.default_rng(seed)
    rest, tested = split(y, _TEST, rng)
    trained, held = rest, rest[:0]
    if holds_out:
        kept, out = split(y[rest], _VALIDATION, rng)
        trained, held = rest[kept], rest[out]
    encoder = TableEncoder(impute=impute).fit(X.iloc[trained])
    with warnings.catch_warnings():
        # A rare level that training lacks is part of the protocol.
        warnings.simplefilter("ignore", CalibrationWarning)
        encoded = encoder.transform(X)

    def take(rows: NDArray[np.intp]) -> Data:
        return encoded.iloc[rows], y[rows]

    return Split(
        encoder,
        take(trained),
        take(held) if holds_out else None,
        take(tested),
        y[rest],
    )
