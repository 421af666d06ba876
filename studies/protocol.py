"""The paper's protocol: how the rows of a dataset are split and encoded for a seed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from consurv.conformal.parts.blocks import Data
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.datasets import TableEncoder
from consurv.errors import CalibrationWarning
from consurv.outcome import Outcome
from consurv.splits import Stratify, split
from studies.preset.data import authors_source, unscaled_columns
from studies.preset.splits import Rows, authors_split
from studies.sources import load_source

__all__ = ["SPLITS", "STRATIFY", "Split", "protocol_of", "split_rows", "split_table"]

# The first is the default. Balanced in time as well, as they were in 0.1.0, splits let
# the training rows foretell the test rows better than chance does: the Kaplan-Meier
# dummy then has a thirtieth of the D-cal that event alone leaves it.
STRATIFY: dict[str, Stratify] = {"event": "event", "event+time": "event+time"}
# The third way is the authors' own: their very rows.
SPLITS = (*STRATIFY, "paper")
# Part of every fingerprint: raise the version when splits or encoding change.
_PROTOCOL = "90/10 test, 10 % of the rest for validation, stratified on {}; version 2"
_TEST = _VALIDATION = 0.1
_AUTHORS = "80/10/10, the rows and the scales of the authors' code"


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
    conditional : Outcome
        The rows whose Kaplan–Meier curve stands for censored subjects: those the model
        was trained on; the authors' code takes eight tenths for every model.
    """

    encoder: TableEncoder
    train: Data
    validation: Data | None
    test: Data
    known: Outcome
    conditional: Outcome

    @cached_property
    def kaplan_meier(self) -> KaplanMeier:
        """The curve of ``known``, which the metrics weigh by."""
        return KaplanMeier(self.known)


def protocol_of(stratify: str) -> str:
    """Return what a fingerprint says of the protocol.

    Examples
    --------
    >>> protocol_of("event")[-30:]
    'stratified on event; version 2'
    """
    return _AUTHORS if stratify == "paper" else _PROTOCOL.format(stratify)


@lru_cache(maxsize=2)
def split_rows(
    dataset: str, seed: int, holds_out: bool, stratify: str = "event"
) -> Split:
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
    stratify : {"event", "event+time", "paper"}
        The second is the protocol of 0.1.0, the third takes the authors' own rows.

    Examples
    --------
    >>> parts = split_rows("VALCT", 0, True)
    >>> [len(y) for _, y in (parts.train, parts.validation, parts.test)]
    [111, 12, 14]
    """
    if stratify == "paper":
        return _as_authors(dataset, seed, holds_out)
    source = load_source(dataset)
    return split_table(source.X, source.y, seed, holds_out, source.impute, stratify)


def split_table(
    X: pd.DataFrame,
    y: Outcome,
    seed: int,
    holds_out: bool,
    impute: str = "mean",
    stratify: str = "event",
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
    stratify : {"event", "event+time"}
        As in `split_rows`.

    Examples
    --------
    >>> from consurv.datasets import make_weibull
    >>> data = make_weibull(100, random_state=0)
    >>> parts = split_table(data.X, data.outcome, seed=0, holds_out=False)
    >>> len(parts.train[1]), parts.validation, len(parts.test[1])
    (90, None, 10)
    """
    rng = np.random.default_rng(seed)
    kind = STRATIFY[stratify]
    rest, tested = split(y, _TEST, rng, stratify=kind)
    trained, held = rest, None
    if holds_out:
        kept, out = split(y[rest], _VALIDATION, rng, stratify=kind)
        trained, held = rest[kept], rest[out]
    encoder = TableEncoder(impute=impute).fit(X.iloc[trained])
    parts = trained, held, tested, rest, trained
    return _parted(encoder, _encoded(encoder, X), y, parts)


def _as_authors(dataset: str, seed: int, holds_out: bool) -> Split:
    """Split as the authors' code does: models that hold nothing out train on 9/10."""
    source = authors_source(dataset)
    trained, held, tested = authors_split(source.y, seed)
    encoder = TableEncoder().fit(source.X.iloc[trained])
    encoded = _encoded(encoder, source.X)
    for column in unscaled_columns(dataset):
        encoded[column] = source.X[column]
    known = np.concatenate([trained, held])
    own = (trained, held) if holds_out else (known, None)
    return _parted(encoder, encoded, source.y, (*own, tested, known, trained))


def _encoded(encoder: TableEncoder, X: pd.DataFrame) -> pd.DataFrame:
    with warnings.catch_warnings():
        # A rare level that training lacks is part of the protocol.
        warnings.simplefilter("ignore", CalibrationWarning)
        return encoder.transform(X)


def _parted(
    encoder: TableEncoder,
    encoded: pd.DataFrame,
    y: Outcome,
    parts: tuple[Rows, Rows | None, Rows, Rows, Rows],
) -> Split:
    """Return the parts: training, validation and test set, known, conditional."""

    def take(rows: Rows) -> Data:
        return encoded.iloc[rows], y[rows]

    trained, held, tested, known, conditional = parts
    validation = None if held is None else take(held)
    others = take(tested), y[known], y[conditional]
    return Split(encoder, take(trained), validation, *others)
