"""What a calibrated model says of new subjects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from consurv._checks import Float, as_levels
from consurv._features import clear_refusals, has_names, in_order
from consurv._labels import as_labels
from consurv._params import Between, check_params
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.groups.given import labels_of_counted, new_rows
from consurv.conformal.groups.routed import Routed
from consurv.conformal.quantile.identified import warn_of_ends
from consurv.conformal.reading.columns import given_data
from consurv.conformal.reading.elsewhere import new_columns
from consurv.conformal.reading.inputs import as_table
from consurv.conformal.reading.predicted import (
    quantile_columns,
    risk_column,
    survival_columns,
)
from consurv.conformal.reading.raw_model import KnownCurves, RawModel, rows_of
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput, NotConformalizedError
from consurv.metrics import concordance_of_risk

__all__ = ["CalibratedPredictions"]


class CalibratedPredictions(BaseEstimator):  # type: ignore[misc]
    """The predictions of a model with its adjustment.

    Who derives from it has the parameters that are named here, and sets the trained
    model and the adjustment.
    """

    random_state: int | None
    verbose: int | bool
    unseen_group: str
    estimator_: Any
    _adjustment: Adjustment

    @property
    def adjustment_(self) -> Adjustment:
        """The adjustment without the model, to be saved or applied elsewhere."""
        self._check_conformalized()
        return self._adjustment

    def calibrate(
        self, curves: SurvivalCurves, *, groups: Any = None
    ) -> AdjustedCurves:
        """Return the calibrated form of raw curves of the same model.

        Examples
        --------
        >>> from consurv import ConformalSurvival, Outcome
        >>> times = np.linspace(1, 100, 100)
        >>> said = SurvivalCurves(times, [np.exp(-times / 20)] * 200)
        >>> happened = np.random.default_rng(0).exponential(10, 200)
        >>> y = Outcome(time=happened, event=np.ones(200))
        >>> model = ConformalSurvival.from_curves(said, y)
        >>> said[:1].median().round(), model.calibrate(said[:1]).median().round()
        (array([14.]), array([8.]))
        """
        labels = None if groups is None else as_labels(groups, n=len(curves))
        routed = self.adjustment_.of_rows(labels, self.unseen_group)
        return routed.apply_to(curves, self.random_state)

    def predict_survival_function(
        self, X: Any, *, times: ArrayLike | None = None, groups: Any = None
    ) -> AdjustedCurves:
        """Return the calibrated survival curve of every row of *X*.

        Rows are predicted in chunks, of fewer rows where the model's own curves are
        long: beside the percentile times only the curves of one chunk are held.

        Parameters
        ----------
        X : table
        times : array-like of shape (m,), optional
            For tables that are not in memory (Parquet files, Dask, Spark): the result
            is the same kind of table, lazily, with columns such as ``survival_at_12``.
            Without times the columns are the curve's nodes, ``t_at_0.95`` and so on
            for all levels of the grid.
        groups : array-like of shape (n,) or name of a column, optional
            The group of each row, if the model was conformalized by groups; by default
            the column of *X* that was named then. So in all predictions.

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> curves = model.predict_survival_function(data.X[:2])
        >>> curves.survival_at([1.0, 2.0]).round(2)
        array([[0.94, 0.87],
               [0.95, 0.88]])
        """
        found = new_columns(X, lambda: survival_columns(self, times), groups)
        if found is not None:
            calibrated: AdjustedCurves = found
            return calibrated
        if times is not None:
            raise InvalidInput(
                "times go with tables that are not in memory; of the curves that are "
                "returned here, curves.survival_at(times) gives the probabilities"
            )
        X, routed = self._check_groups(X, groups)
        raw = RawModel(self.estimator_, verbose=bool(self.verbose))
        return routed.predict(raw, X, self.random_state)

    def predict_both(
        self, X: Any, *, groups: Any = None
    ) -> tuple[SurvivalCurves, AdjustedCurves]:
        """Return the raw and the calibrated curves of every row of *X*.

        The model predicts each row once. Both are held in memory; ``both_in_chunks``
        hands them out part by part.

        Examples
        --------
        >>> from consurv import ConformalSurvival, Outcome
        >>> def model(X):
        ...     return [20.0], [[0.0]] * len(X)
        >>> X, y = np.zeros((19, 1)), Outcome(time=np.arange(1, 20), event=np.ones(19))
        >>> model = ConformalSurvival(model).conformalize(X, y)
        >>> raw, calibrated = model.predict_both(X)
        >>> raw.median()[:2], calibrated.median()[:2]
        (array([10., 10.]), array([10., 10.]))
        """
        parts = list(self.both_in_chunks(X, groups=groups))
        return (
            SurvivalCurves.concatenate([raw for _, raw, _ in parts]),
            AdjustedCurves.concatenate([curves for _, _, curves in parts]),
        )

    def both_in_chunks(
        self, X: Any, *, groups: Any = None
    ) -> Iterator[tuple[slice, SurvivalCurves, AdjustedCurves]]:
        """Yield slices of the rows of *X* with their raw and calibrated curves.

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> for rows, raw, calibrated in model.both_in_chunks(data.X):
        ...     rows, len(raw), len(calibrated)
        (slice(0, 300, None), 300, 300)
        """
        X, routed = self._check_groups(X, groups)
        model = RawModel(self.estimator_, verbose=bool(self.verbose))
        for rows, raw in model.chunks(X):
            seen = KnownCurves(model, raw)
            some = rows_of(X, rows)
            part = routed.take(rows)
            yield rows, raw, part.predict(seen, some, self.random_state)

    def predict_quantile(
        self, X: Any, levels: ArrayLike, *, groups: Any = None
    ) -> Float:
        """Return the times at which survival falls to *levels* (0.9 = early).

        Between the levels of the grid times are interpolated; only levels of the grid
        carry a guarantee, where the kind of adjustment has one.

        Returns
        -------
        ndarray of shape (n, len(levels))
            Of a table that is not in memory the same kind of table, lazily, with
            columns ``t_at_0.9`` and so on.

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> model.predict_quantile(data.X[:2], [0.9, 0.5]).round(1)
        array([[1.5, 6.1],
               [1.7, 7.3]])
        """
        wanted = as_levels(levels)
        self.adjustment_.check_asked(wanted)
        found = new_columns(X, lambda: quantile_columns(self, wanted), groups)
        if found is not None:
            times: Float = found
            return times
        curves = self.predict_survival_function(X, groups=groups)
        return curves.percentile_times(wanted)

    def predict_interval(
        self, X: Any, coverage: float = 0.9, *, groups: Any = None
    ) -> Float:
        """Return intervals [q'(1 − a), q'(a)] with a = (1 − coverage)/2.

        With the kinds that move times or levels, if both ends are levels of the grid,
        the coverage of an interval is off by at most 1/(N + 1) on average over
        subjects; between the levels it is interpolated and carries no guarantee. With
        censoring there is none at all, nor with ``"recalibrated"``. One
        `CalibrationWarning` says how many intervals end beyond the follow-up: nobody
        was seen for so long, and their late ends are extrapolated.

        Returns
        -------
        ndarray of shape (n, 2)

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> model.predict_interval(data.X[:2], coverage=0.8).round(1)
        array([[ 1.5, 15.6],
               [ 1.7, 17.1]])
        """
        check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
        a = (1 - coverage) / 2
        ends = self.predict_quantile(X, [1 - a, a], groups=groups)
        if not isinstance(ends, np.ndarray):  # a table whose rows nobody has seen yet
            return ends
        warn_of_ends(ends[:, 1], self.adjustment_.follow_up)
        return ends

    def predict(self, X: Any, *, groups: Any = None) -> Float:
        """Return a risk score, higher for an earlier event: minus the median.

        Of a table that is not in memory the same kind of table with a column ``risk``.

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> risk = model.predict(data.X)
        >>> bool(np.allclose(-risk, model.predict_survival_function(data.X).median()))
        True
        """
        found = new_columns(X, lambda: risk_column(self), groups)
        if found is not None:
            risk: Float = found
            return risk
        return -self.predict_survival_function(X, groups=groups).median()

    def score(
        self,
        X: Any,
        y: Any = None,
        *,
        time: Any = None,
        event: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> float:
        """Return Harrell's concordance index of ``predict``.

        *time*, *event*, *sample_weight* and *groups* are those of ``fit``.

        Examples
        --------
        >>> from consurv import ConformalSurvival
        >>> from consurv.datasets import make_weibull
        >>> from consurv.models import CoxPH
        >>> data = make_weibull(300, censoring=0.2, random_state=0)
        >>> model = ConformalSurvival(CoxPH(), random_state=0).fit(data.X, data.y)
        >>> round(model.score(data.X, data.y), 2)
        0.75
        """
        names = getattr(self, "feature_names_in_", None)
        rows, labels = new_rows(X, groups, self.adjustment_.groups, names)
        data = given_data(rows, y, time, event, names, sample_weight)
        if labels is not None:
            labels = labels_of_counted(labels, data[1], (X, y, sample_weight))
        return float(concordance_of_risk(data[1], self.predict(data[0], groups=labels)))

    def _check_groups(self, X: Any, groups: Any) -> tuple[Any, Adjustment | Routed]:
        """Return a table to predict from, and the adjustments of its rows."""
        adjustment = self.adjustment_
        names = getattr(self, "feature_names_in_", None)
        X, labels = new_rows(X, groups, adjustment.groups, names)
        return self._check_rows(X), adjustment.of_rows(labels, self.unseen_group)

    def _check_rows(self, X: Any) -> Any:
        """Return a table that the fitted model can predict from."""
        X = as_table(X)
        if hasattr(self, "n_features_in_"):
            names = getattr(self, "feature_names_in_", None)
            X = in_order(X, names)
            if has_names(X, names):
                return X
            with clear_refusals(X):
                validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _check_conformalized(self) -> None:
        if not hasattr(self, "_adjustment"):
            raise NotConformalizedError(
                "this ConformalSurvival has no adjustment yet: call fit(X, y), or "
                "conformalize(X, y) with a model that is already fitted"
            )
