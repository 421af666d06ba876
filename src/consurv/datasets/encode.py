"""Tables as people keep them become numbers that any model can take."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from consurv._params import AtLeast, OneOf, Rule, check_params
from consurv.datasets.table import pick_columns
from consurv.errors import CalibrationWarning, InvalidInput

__all__ = ["TableEncoder"]

# What pandas calls columns that hold dates or times, and text that means a date.
_DATES = {"date", "datetime", "period", "time", "timedelta"}
_DATE_TEXT = r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T].*)?"


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
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

    _rules: ClassVar[dict[str, Rule | tuple[Rule, ...]]] = {
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
        frame = _as_frame(X)
        names: list[str] = frame.columns.tolist()
        text = [name for name in names if _is_text(frame[name])]
        for name in text:
            _check_no_date(frame[name])
        frame = _normalise(frame, text)
        used = [name for name in names if _varies(frame[name])]
        if not used:
            raise InvalidInput(
                f"none of the {frame.shape[1]} feature columns has two different "
                "values; there is nothing to learn from"
            )
        levels = [name for name in used if name in text]
        self._check_levels(frame[levels])
        binary = [n for n in used if n not in text and _is_binary(frame[n])]
        numeric = [n for n in used if n not in levels and n not in binary]
        columns = {"numeric": numeric, "binary": binary, "text": levels}
        encoder = self._make_encoder(columns).fit(frame[used])
        self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.columns_, self._text, self._encoder = used, levels, encoder
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the features of *X* as numbers, with the same index."""
        check_is_fitted(self)
        frame = pick_columns(_as_frame(X), self.columns_, "the table of features")
        frame = _normalise(frame, self._text)
        self._warn_of_unknown(frame)
        with warnings.catch_warnings():  # said above, in our words
            warnings.filterwarnings("ignore", "Found unknown categories")
            result: pd.DataFrame = self._encoder.transform(frame)
        return result

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that ``transform`` gives."""
        check_is_fitted(self)
        names: NDArray[Any] = self._encoder.get_feature_names_out()
        return names

    def _make_encoder(self, columns: dict[str, list[str]]) -> ColumnTransformer:
        most_frequent = SimpleImputer(strategy="most_frequent")
        numbers = SimpleImputer(strategy=self.impute)
        text = most_frequent if self.missing == "mode" else "passthrough"
        levels = OneHotEncoder(
            drop="first", handle_unknown="ignore", sparse_output=False
        )
        steps = {
            "numeric": make_pipeline(numbers, StandardScaler()),
            "binary": most_frequent,
            "text": make_pipeline(text, levels),
        }
        return ColumnTransformer(
            [(part, step, columns[part]) for part, step in steps.items()],
            verbose_feature_names_out=False,
        ).set_output(transform="pandas")

    def _check_levels(self, levels: pd.DataFrame) -> None:
        counts = levels.nunique()
        many = counts[counts > self.max_levels]
        if len(many):
            raise InvalidInput(
                f"column {many.index[0]!r} holds text with {many.iloc[0]} different "
                f"values, more than max_levels={self.max_levels}; drop it if it is an "
                "identifier, or group its values"
            )

    def _warn_of_unknown(self, frame: pd.DataFrame) -> None:
        if not self._text:
            return
        known = self._encoder.named_transformers_["text"][-1].categories_
        for name, levels in zip(self._text, known, strict=True):
            unknown = set(frame[name].dropna().unique()) - set(levels)
            no_gaps_known = self.missing == "level" and not pd.isna(levels).any()
            if no_gaps_known and frame[name].isna().any():
                unknown.add("(missing)")
            if unknown:
                warnings.warn(
                    f"column {name!r} has values that training did not: "
                    f"{', '.join(sorted(unknown)[:5])}; they count as {levels[0]!r}",
                    CalibrationWarning,
                    stacklevel=3,
                )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_encoder")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _as_frame(X: Any) -> pd.DataFrame:
    """Return *X* as a DataFrame with text for names."""
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "columns"):  # polars and its like
        frame = pd.DataFrame({str(name): X[name].to_list() for name in X.columns})
    else:
        frame = pd.DataFrame(X)
        frame.columns = pd.Index([f"x{i}" for i in range(frame.shape[1])])
    frame = frame.set_axis(frame.columns.map(str), axis=1)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InvalidInput(f"two columns are called {twice!r}; rename one")
    return frame


def _is_text(column: pd.Series[Any]) -> bool:
    if column.dtype == object:
        column = column.infer_objects()
    return not pd.api.types.is_numeric_dtype(column)


def _varies(column: pd.Series[Any]) -> bool:
    if column.dtype != np.float64:
        return len(column.dropna().unique()) > 1
    values = _known(column)
    return bool(values.size and values.min() < values.max())


def _is_binary(column: pd.Series[Any]) -> bool:
    values = _known(column)
    return bool(((values == 0) | (values == 1)).all())


def _known(column: pd.Series[Any]) -> NDArray[np.float64]:
    # numpy, not pandas: a table may have thousands of columns
    values: NDArray[np.float64] = column.to_numpy(np.float64)
    return values[~np.isnan(values)]


def _normalise(frame: pd.DataFrame, text: list[str]) -> pd.DataFrame:
    """Return columns of float64 with NaN and, those in *text*, of str with NaN."""
    return pd.DataFrame(
        {
            name: _as_text(frame[name]) if name in text else _as_numbers(frame[name])
            for name in frame
        },
        index=frame.index,
    )


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    if column.infer_objects().dtype.kind in "iuf":  # 1 and 1.0 are the same level
        column = column.map(lambda v: int(v) if float(v).is_integer() else v)
    values = column.astype(object).where(column.notna(), np.nan)
    return values.map(str, na_action="ignore")


def _check_no_date(column: pd.Series[Any]) -> None:
    values = column.dropna()
    kind = pd.api.types.infer_dtype(values)
    as_text = kind == "string" and values.str.fullmatch(_DATE_TEXT).all()
    if kind.removesuffix("64") in _DATES or (as_text and len(values)):
        raise InvalidInput(
            f"column {column.name!r} holds dates or times, such as "
            f"{str(values.iloc[0])!r}, which are no features; turn them into numbers, "
            "such as days since a start, or drop the column"
        )


def _as_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    try:
        is_plain = column.dtype == np.float64
        numbers = column if is_plain else column.astype("Float64").astype(float)
    except (TypeError, ValueError) as error:
        readable = pd.to_numeric(column.astype(str), errors="coerce").notna()
        raise InvalidInput(
            f"column {column.name!r} held numbers in training and now holds "
            f"{str(column[column.notna() & ~readable].iloc[0])!r}; correct or empty "
            "such cells"
        ) from error
    infinite = np.isinf(numbers.to_numpy())
    if infinite.any():
        row = int(np.flatnonzero(infinite)[0])
        raise InvalidInput(
            f"column {column.name!r} has infinite values, the first at row {row}; "
            "correct or empty them"
        )
    return numbers
