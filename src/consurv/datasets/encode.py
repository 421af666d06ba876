"""Tables as people keep them become numbers that any model can take."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from consurv._params import AtLeast, Constraints, OneOf, check_params
from consurv._warnings import warn
from consurv.datasets.columns import (
    as_frame,
    as_numbers,
    as_text,
    check_no_date,
    text_columns,
)
from consurv.datasets.numbers import Numbers
from consurv.datasets.stray import check_no_stray_text
from consurv.datasets.table import pick_columns
from consurv.errors import InvalidInput
from consurv.keep.classes import KeptByAttributes

__all__ = ["TableEncoder"]


class TableEncoder(KeptByAttributes, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Impute, standardise and one-hot encode a table of features.

    Everything is learned in ``fit``, so inside a Pipeline it comes from the training
    rows alone. Columns with numbers get their mean where a value is missing and are
    standardised; those with only 0 and 1 (or False and True) get the more frequent
    value and are left as they are. Text and categories become one column per level
    but the first, and one for missing values if training has any. A level that
    training did not have is encoded as the first one, all zeros, with a warning.
    Columns without two different values are dropped.

    The paper fills in the mean, in GBM the median, and the most frequent category. Its
    datasets have no missing text once they are loaded, so that ``missing`` does not
    matter there; elsewhere a level of its own keeps what the gap may tell.

    Parameters
    ----------
    max_levels : int, default=50
        A text column with more levels is refused: it is an identifier or free text.
    impute : {"mean", "median"}, default="mean"
        What stands in for a missing number.
    missing : {"level", "mode"}, default="level"
        Whether missing text is a level of its own or gets the most frequent one.

    Attributes
    ----------
    feature_names_in_ : array of str
        The columns of the table in ``fit``. Later tables must have those that are
        used, in any order; further columns are ignored.
    n_features_in_ : int
    columns_ : list of str
        The columns that are used, without those that were dropped.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"age": [40, 60, None], "sex": ["f", "m", "f"], "site": "A"}
    ... )
    >>> TableEncoder().fit_transform(table)
            age  sex_m
    0 -1.224745    0.0
    1  1.224745    1.0
    2  0.000000    0.0
    """

    _rules: ClassVar[Constraints] = {
        "max_levels": AtLeast(2),
        "impute": OneOf("mean", "median"),
        "missing": OneOf("level", "mode"),
    }

    def __init__(
        self, max_levels: int = 50, *, impute: str = "mean", missing: str = "level"
    ) -> None:
        self.max_levels = max_levels
        self.impute = impute
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what to fill in, scales and levels from the table *X*."""
        check_params(self.get_params(deep=False), self._rules)
        frame = as_frame(X)
        text = text_columns(frame)
        for name in text:
            check_no_date(frame[name])
            check_no_stray_text(frame[name])
        is_text = frame.columns.isin(text)
        named = frame.columns[~is_text].tolist()
        numbers = Numbers.learn(as_numbers(frame, named), named, self.impute)
        table = _text_table(frame, text)
        levels = [name for name in text if len(table[name].dropna().unique()) > 1]
        used = {*numbers.names, *levels}
        if not used:
            raise InvalidInput(
                f"none of the {frame.shape[1]} feature columns has two different "
                "values; there is nothing to learn from"
            )
        self._check_levels(table[levels])
        self._one_hot = self._make_one_hot().fit(table[levels]) if levels else None
        self._numbers, self._text = numbers, levels
        self.columns_ = [name for name in frame.columns if name in used]
        self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the features of *X* as numbers, with the same index."""
        check_is_fitted(self)
        frame = pick_columns(as_frame(X), self.columns_, "the table of features")
        self._warn_of_empty(frame)
        parts = [self._numbers.scaled(as_numbers(frame, self._numbers.names))]
        if self._one_hot is not None:
            text = _text_table(frame, self._text)
            self._warn_of_unknown(text)
            with warnings.catch_warnings():  # said above, in our words
                warnings.filterwarnings("ignore", "Found unknown categories")
                parts.append(self._one_hot.transform(text))
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return pd.DataFrame(values, frame.index, self.get_feature_names_out())

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that ``transform`` gives.

        Examples
        --------
        >>> table = pd.DataFrame({"age": [61.0, 48.0], "sex": ["m", "f"]})
        >>> TableEncoder().fit(table).get_feature_names_out().tolist()
        ['age', 'sex_m']
        """
        check_is_fitted(self)
        names = np.array(self._numbers.names, dtype=object)
        if self._one_hot is None:
            return names
        levels = self._one_hot[-1].get_feature_names_out(self._text)
        return np.concatenate([names, levels])

    def _make_one_hot(self) -> Pipeline:
        fill = SimpleImputer(strategy="most_frequent")
        return make_pipeline(
            fill if self.missing == "mode" else "passthrough",
            OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False),
        )

    def _check_levels(self, levels: pd.DataFrame) -> None:
        counts = levels.nunique()
        many = counts[counts > self.max_levels]
        if len(many):
            raise InvalidInput(
                f"column {many.index[0]!r} holds text with {many.iloc[0]} different "
                f"values, more than max_levels={self.max_levels}; drop it if it is an "
                "identifier, or group its values"
            )

    def _warn_of_empty(self, frame: pd.DataFrame) -> None:
        """Say which columns have no value at all; in one row that is a mere gap."""
        if len(frame) < 2:
            return
        empty = frame.columns[frame.isna().all()].tolist()
        if empty:
            word = "column" if len(empty) == 1 else "columns"
            warn(
                f"{word} {', '.join(map(repr, empty[:5]))}"
                f"{f' and {len(empty) - 5} more' if len(empty) > 5 else ''} "
                f"without a value in any of {len(frame)} rows: what stands in for "
                "missing values is filled in throughout; was a column lost?",
            )

    def _warn_of_unknown(self, frame: pd.DataFrame) -> None:
        assert self._one_hot is not None
        known = self._one_hot[-1].categories_
        for name, levels in zip(self._text, known, strict=True):
            unknown = set(frame[name].dropna().unique()) - set(levels)
            no_gaps_known = self.missing == "level" and not pd.isna(levels).any()
            if no_gaps_known and frame[name].isna().any():
                unknown.add("(missing)")
            if unknown:
                warn(
                    f"column {name!r} has values that training did not: "
                    f"{', '.join(sorted(unknown)[:5])}; they count as {levels[0]!r}",
                )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_numbers")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _text_table(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Return columns of str with NaN."""
    return pd.DataFrame({name: as_text(frame[name]) for name in names}, frame.index)
