"""What an adapter can do, and the one check that all their curves pass through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import NotFittedError

from consurv._checks import Float, Index, check_plain
from consurv._features import in_order
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Adapter", "OutOfBag", "Validation", "describe", "n_rows"]

Validation: TypeAlias = tuple[Any, Outcome] | None


class OutOfBag(Protocol):
    """The training rows of a forest as the trees see them that did not draw them."""

    rows: Index  # those that some tree did not draw

    def curves(self, rows: Index) -> SurvivalCurves:
        """Return the curves of some of ``rows``."""


class Adapter(ABC):
    """What consurv asks of a model, for the models of one library.

    An adapter holds no state: one instance serves every estimator of its library. A
    new one defines ``clone``, ``is_fitted``, ``fit`` and ``_predict``; the last may
    return survival curves in any form that :meth:`curves` lists. One for models that
    give percentile times beside curves defines ``own_levels`` and
    ``own_percentile_times``, too.

    Examples
    --------
    >>> from consurv.adapters import adapter_for
    >>> def exponential(X):
    ...     times = np.array([0.5, 1.0, 2.0])
    ...     return times, np.exp(-np.outer(X[:, 0], times))
    >>> adapter = adapter_for(exponential)
    >>> adapter.is_fitted(exponential)
    True
    >>> len(adapter.curves(exponential, np.array([[1.0], [2.0]])))
    2
    """

    @abstractmethod
    def clone(self, estimator: Any) -> Any:
        """Return an unfitted copy with the same settings."""

    @abstractmethod
    def is_fitted(self, estimator: Any) -> bool:
        """Say whether the estimator can give curves now."""

    def takes_validation(self, estimator: Any) -> bool:
        """Say whether training makes use of a validation set."""
        return False

    def trains(self, estimator: Any) -> bool:
        """Say whether ``fit`` trains the estimator; a frozen one it leaves alone."""
        return True

    def feature_names(self, estimator: Any) -> list[Any] | None:
        """Return the columns that a fitted estimator was trained on, if it says."""
        names = getattr(estimator, "feature_names_in_", None)
        return None if names is None else list(names)

    def warn_of_fit(self, estimator: Any) -> None:
        """Warn if a fitted estimator rests on what the conformal step does not know."""
        return

    @abstractmethod
    def fit(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train the estimator in place and return it.

        Parameters
        ----------
        estimator : object
        X : array-like or DataFrame of shape (n, m)
        y : Outcome of n subjects
        validation : pair (X, Outcome), optional
            Left aside unless :meth:`takes_validation`.
        """

    def curves(self, estimator: Any, X: Any) -> SurvivalCurves:
        """Return one survival curve per row of *X*.

        The model may answer with SurvivalCurves, a pair (times, survival), a
        DataFrame of times x subjects or a sequence of step functions.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        InvalidInput
            If the answer is something else, or has not one curve per row.
        """
        if not self.is_fitted(estimator):
            raise NotFittedError(
                f"{describe(estimator)} is not fitted and gives no survival curves yet;"
                " fit it first"
            )
        check_plain(X, "X")
        X = in_order(X, getattr(estimator, "feature_names_in_", None))
        wanted = n_rows(X)
        if wanted == 0:
            raise InvalidInput(
                "X has no rows, 0 sample(s), and there are no survival curves of "
                "nobody; a minimum of 1 is required"
            )
        curves = _as_curves(self._predict(estimator, X), estimator)
        if len(curves) != wanted:
            raise InvalidInput(
                f"{describe(estimator)} gave {len(curves)} survival curves for "
                f"{wanted} rows of X; it must give one curve per row, in their order"
            )
        return curves

    def own_levels(self, estimator: Any) -> Float | None:
        """Return the levels (p,) at which the model itself gives percentile times.

        None if it gives curves alone.
        """
        return None

    def own_percentile_times(self, estimator: Any, X: Any) -> Float:
        """Return the model's percentile times (n, p) at its ``own_levels``.

        They are as the model gives them and may cross, which curves cannot.
        """
        raise InvalidInput(f"{describe(estimator)} gives curves, not percentile times")

    def has_out_of_bag(self, estimator: Any, *, enough: bool = False) -> bool:
        """Say whether :meth:`out_of_bag` can tell of the estimator once it is fitted.

        Parameters
        ----------
        estimator : object
        enough : bool
            Ask for so many trees that those without a row make a forest, too.
        """
        return False

    def out_of_bag(self, estimator: Any, X: Any) -> OutOfBag:
        """Return what a fitted forest says of its training rows *X* out of bag."""
        raise InvalidInput(f"{describe(estimator)} has no out-of-bag predictions")

    # -- models that give a risk alone, which FromRisk makes curves of ----------

    def fit_risk(
        self, estimator: Any, X: Any, y: Outcome, validation: Validation = None
    ) -> Any:
        """Train the estimator as one that ranks; by default as it is always trained."""
        return self.fit(estimator, X, y, validation)

    def risk(self, estimator: Any, X: Any) -> Float:
        """Return a score (n,) of each row, by default that of ``predict``."""
        if not hasattr(estimator, "predict"):
            raise InvalidInput(
                f"{describe(estimator)} has no predict and gives no risk scores; if it "
                "gives curves, hand it to ConformalSurvival as it is"
            )
        return np.asarray(estimator.predict(X), dtype=float)

    def is_log_hazard(self, estimator: Any) -> bool:
        """Say whether :meth:`risk` is a log hazard ratio as it stands."""
        return False

    @abstractmethod
    def _predict(self, estimator: Any, X: Any) -> Any:
        """Return the survival curves of the rows of *X* in one of those forms."""


def describe(estimator: Any) -> str:
    """Name an estimator for a message: the function's name or the class's."""
    return str(getattr(estimator, "__name__", type(estimator).__name__))


def n_rows(X: Any) -> int:
    """Return the number of rows of a feature table."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def _as_curves(result: Any, estimator: Any) -> SurvivalCurves:
    if isinstance(result, SurvivalCurves):
        return result
    if isinstance(result, tuple) and len(result) == 2:
        return SurvivalCurves(*result)
    if hasattr(result, "columns") and hasattr(result, "index"):
        return SurvivalCurves.from_frame(result)
    if _are_step_functions(result):
        return SurvivalCurves.from_step_functions(result)
    shape = f" of shape {result.shape}" if isinstance(result, np.ndarray) else ""
    raise InvalidInput(
        f"{describe(estimator)} answered with a {type(result).__name__}{shape}, which "
        "does not say the times; give SurvivalCurves, the pair (times, survival) with "
        "a row of survival per subject, or a DataFrame of times x subjects"
    )


def _are_step_functions(result: Any) -> bool:
    if not isinstance(result, list | tuple | np.ndarray) or len(result) == 0:
        return False
    return all(hasattr(result[0], name) for name in ("x", "y"))
