"""What all our models share: risk scores, the C-index and scikit-learn's ways."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from consurv._checks import Float, check_plain, check_same_length, from_arrow
from consurv._features import (
    check_no_repeats,
    check_numeric,
    clear_refusals,
    has_names,
    in_order,
)
from consurv._params import Constraints, check_params
from consurv.curves.chunks import CHUNK_ROWS, in_chunks
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics.concordance import concordance_of_risk
from consurv.outcome import Outcome

__all__ = ["AT_ONCE", "Data", "SurvivalModel"]

Data = tuple[NDArray[Any], Outcome]

# Rows at once of models with little between X and a few numbers for each curve.
AT_ONCE = 2**20


class SurvivalModel(BaseEstimator):  # type: ignore[misc]
    """Base of our models: ``fit``, ``predict_survival_function``, ``predict``.

    A model defines ``_rules`` for its parameters, ``_fit`` and ``_predict_rows``. One
    that trains with a validation set sets ``uses_validation``.

    Attributes
    ----------
    uses_validation : bool
        Whether training makes use of a validation set. If not, ``fit`` takes one all
        the same, checks it and leaves it aside, so that all models are called alike.
    """

    uses_validation: ClassVar[bool] = False
    _rules: ClassVar[Constraints] = {}
    # What features become; of several the first, unless they are another of them.
    _dtype: ClassVar[DTypeLike | list[DTypeLike]] = np.float64
    # Whether NaN among the features means missing, as it does to trees.
    _takes_missing: ClassVar[bool] = False
    # Rows predicted at once, at most; with long curves they are fewer. That bounds the
    # memory of what lies between X and the answer.
    _chunk_rows: ClassVar[int] = CHUNK_ROWS

    @abstractmethod
    def _fit(self, data: Data, validation: Data | None) -> None:
        """Train on checked data; *validation* is what the caller gave."""

    @abstractmethod
    def _predict_rows(self, features: NDArray[Any]) -> SurvivalCurves:
        """Return the curves of a chunk of checked rows."""

    def fit(self, X: Any, y: Any, X_val: Any = None, y_val: Any = None) -> Self:
        """Train the model; if that fails it stays as it was.

        Parameters
        ----------
        X : array-like of shape (n, m)
        y : Outcome or anything that ``Outcome.of`` takes
        X_val, y_val : optional
            The validation set, both or none. A model without ``uses_validation``
            checks it and trains without it.

        Returns
        -------
        self

        Raises
        ------
        InvalidInput
            If a parameter is not valid, or the data cannot be used or hold no event.
        ConsurvError
            If training finds no finite solution.
        MissingDependency
            If a library that the model needs is not installed.

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(200, censoring=0.2, random_state=0)
        >>> model = CoxPH().fit(data.X, data.y)
        >>> model.n_features_in_
        5
        """
        self._check_params()
        with self._fitting():
            data = self._check_training(X, y)
            self._fit(data, self._check_validation(X_val, y_val))
        return self

    def predict_survival_function(self, X: Any) -> SurvivalCurves:
        """Return the survival curve of every row of *X*.

        Parameters
        ----------
        X : array-like of shape (n, m)

        Returns
        -------
        SurvivalCurves

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(200, censoring=0.2, random_state=0)
        >>> curves = CoxPH().fit(data.X, data.y).predict_survival_function(data.X[:2])
        >>> curves.survival_at([1.0, 2.0]).shape
        (2, 2)
        """
        features = self._check_features(X)
        return SurvivalCurves.concatenate(self._predict_chunks(features), len(features))

    def predict(self, X: Any) -> Float:
        """Return a risk score, higher for an earlier event: minus the median.

        Parameters
        ----------
        X : array-like of shape (n, m)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(200, censoring=0.2, random_state=0)
        >>> CoxPH().fit(data.X, data.y).predict(data.X).shape
        (200,)
        """
        chunks = self._predict_chunks(self._check_features(X))
        return -np.concatenate([curves.median() for curves in chunks])

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index of ``predict``.

        Examples
        --------
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(200, censoring=0.2, random_state=0)
        >>> round(CoxPH().fit(data.X, data.y).score(data.X, data.y), 2)
        0.71
        """
        return float(concordance_of_risk(Outcome.of(y), self.predict(X)))

    def to_kept(self) -> dict[str, Any]:
        """Return settings and what training has set, for a file.

        A setting that is a model gives way to the trained one.
        """
        settings = self.get_params(deep=False)
        state = {k: v for k, v in vars(self).items() if k not in settings}
        for name in settings:
            if f"{name}_" in state and hasattr(settings[name], "__dict__"):
                settings[name] = None
        return {"settings": settings, "state": state}

    @classmethod
    def from_kept(cls, kept: Mapping[str, Any]) -> Self:
        """Return the model that ``to_kept`` told of."""
        settings, state = dict(kept["settings"]), kept["state"]
        for name, value in state.items():
            if name in settings or hasattr(cls, name) or name.startswith("__"):
                raise ValueError(f"it sets {name!r}, which training does not")
            if settings.get(name[:-1], name) is None and hasattr(value, "__dict__"):
                settings[name[:-1]] = value
        model = cls(**settings)
        model.__dict__.update(state)
        return model

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Put everything back as it was if training fails."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _predict_chunks(self, features: NDArray[Any]) -> Iterator[SurvivalCurves]:
        def predict(rows: slice) -> SurvivalCurves:
            return self._predict_rows(features[rows])

        rows = self._chunk_rows
        for _, curves in in_chunks(predict, len(features), rows, rows):
            yield curves

    def _check_params(self) -> None:
        check_params(self.get_params(deep=False), self._rules)

    def _check_training(self, X: Any, y: Any) -> Data:
        """Return features and outcomes that a model can be trained on."""
        outcome = Outcome.of(y)
        features = self._check_rows(X, reset=True, ensure_min_samples=2)
        check_same_length(X=len(features), y=len(outcome))
        if outcome.n_events == 0:
            raise InvalidInput(
                f"none of the {len(outcome)} subjects to train on has an event; a "
                "model cannot learn from censored subjects alone"
            )
        return features, outcome

    def _check_validation(self, X_val: Any, y_val: Any) -> Data | None:
        """Return a validation set that goes with the training set, if one is given."""
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            missing = "y_val" if y_val is None else "X_val"
            raise InvalidInput(
                f"{missing} is missing: give both X_val and y_val, or none"
            )
        features, outcome = self._check_rows(X_val), Outcome.of(y_val)
        check_same_length(X_val=len(features), y_val=len(outcome))
        return features, outcome

    def _check_features(self, X: Any) -> NDArray[Any]:
        """Return features to predict from."""
        check_is_fitted(self)
        return self._check_rows(X)

    def _check_rows(
        self, X: Any, *, reset: bool = False, ensure_min_samples: int = 1
    ) -> NDArray[Any]:
        """Return features as an array; with *reset* later ones must be like them."""
        check_plain(X, "X")
        X = from_arrow(X)
        names = None if reset else getattr(self, "feature_names_in_", None)
        X = in_order(X, names)
        if hasattr(X, "columns"):
            check_no_repeats(map(str, X.columns), "X")
        check_numeric(X)
        with clear_refusals(X):
            return self._as_features(X, reset, ensure_min_samples)

    def _as_features(
        self, X: Any, reset: bool, ensure_min_samples: int
    ) -> NDArray[Any]:
        # In one order of memory: others round matrix products differently.
        options = {
            "dtype": self._dtype,
            "order": "C",
            "ensure_min_samples": ensure_min_samples,
            "ensure_all_finite": "allow-nan" if self._takes_missing else True,
        }
        features: NDArray[Any]
        one_block = _is_one_block(X)
        # A network that was trained elsewhere does not say what its columns were.
        told = reset or hasattr(self, "n_features_in_")
        if told and not one_block:
            features = validate_data(self, X, reset=reset, **options)
            return features
        # scikit-learn would ask each of perhaps thousands of columns for its type.
        names = None if reset else getattr(self, "feature_names_in_", None)
        if told and not has_names(X, names):
            validate_data(self, X, reset=reset, skip_check_array=True)
        values = X.to_numpy() if one_block else X
        features = check_array(values, estimator=self, input_name="X", **options)
        return features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self._takes_missing
        return tags


def _is_one_block(X: Any) -> bool:
    """Say whether *X* is a table of numbers of one type."""
    if not isinstance(X, pd.DataFrame):
        return False
    kinds = set(X.dtypes)
    first = next(iter(kinds), None)
    return len(kinds) == 1 and isinstance(first, np.dtype) and first.kind in "fiu"
