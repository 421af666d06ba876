"""A fitted model as the post-process sees it: raw curves, read in chunks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv._progress import steps
from consurv._rows import counting_from
from consurv.adapters import Adapter, adapter_for
from consurv.adapters.adapter import n_rows
from consurv.curves.chunks import CHUNK_ROWS, CHUNK_SUBJECTS, in_chunks, row_chunks
from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome

__all__ = ["KnownCurves", "OutOfBagModel", "RawModel", "fit_plainly", "rows_of"]


class RawModel:
    """What can be read off the curves of a fitted model.

    Rows are predicted in chunks, of fewer rows where curves are long: beside what is
    read only the curves of one chunk are held.

    Parameters
    ----------
    estimator : object
        Fitted, or a function X -> (times, survival).
    adapter : Adapter, optional
        By default the one that goes with the estimator.
    verbose : bool, default=False
        Show the progress where there are many rows.

    Examples
    --------
    >>> raw = RawModel(lambda X: ([4.0], [[0.5]] * len(X)))
    >>> raw.percentile_times(np.zeros((2, 1)), np.array([0.5, 0.25]))
    array([[4., 6.],
           [4., 6.]])
    """

    def __init__(
        self, estimator: Any, adapter: Adapter | None = None, *, verbose: bool = False
    ) -> None:
        self.estimator = estimator
        self.adapter = adapter or adapter_for(estimator)
        self.verbose = verbose

    def curves(self, X: Any) -> SurvivalCurves:
        """Return the raw curves of all rows at once; of no rows, no curves."""
        if n_rows(X) == 0:  # which most models refuse to predict
            return SurvivalCurves([1.0], [[1.0]])[:0]
        return self.adapter.curves(self.estimator, X)

    def of_rows(self, rows: Any) -> RawModel:
        """Return the model for some of the rows: itself, as it predicts any."""
        return self

    def chunks(
        self, X: Any, max_subjects: int = CHUNK_SUBJECTS
    ) -> Iterator[tuple[slice, SurvivalCurves]]:
        """Yield slices of the rows of *X* and their raw curves, chunk after chunk.

        Of curves that are a few numbers each, *max_subjects* come at once. Of no rows
        there is one chunk without curves, so that who joins chunks has what to join.
        """
        if n_rows(X) == 0:
            return iter([(slice(0, 0), self.curves(X))])

        def predict(rows: slice) -> SurvivalCurves:
            return self.curves(rows_of(X, rows))

        chunks = in_chunks(predict, n_rows(X), CHUNK_ROWS, max_subjects)
        if self.verbose and n_rows(X) > CHUNK_ROWS:
            return _with_progress(chunks, n_rows(X))
        return chunks

    def percentile_times(self, X: Any, levels: Float) -> Float:
        """Return percentile times (n, P) that shifts are made from and applied to.

        They are the model's own where it gives them at all *levels*, and may cross
        then. Otherwise they are read off its curves.
        """
        own = self.own_times(X, levels)
        return self.curve_times(X, levels) if own is None else own

    def own_times(self, X: Any, levels: Float) -> Float | None:
        """Return the percentile times (n, P) that the model gives itself.

        None if there is a level at which it gives none.
        """
        own = self.adapter.own_levels(self.estimator)
        if own is None or not np.isin(levels, own).all():
            return None
        columns = np.equal.outer(levels, own).argmax(axis=1)
        q = np.empty((n_rows(X), len(levels)))
        for rows in row_chunks(len(q), CHUNK_ROWS):
            part = rows_of(X, rows)
            with counting_from(rows.start):
                times = self.adapter.own_percentile_times(self.estimator, part)
            q[rows] = times[:, columns]
        return q

    def curve_times(self, X: Any, levels: Float) -> Float:
        """Return the percentile times (n, P) of the raw curves.

        Levels lie in [0, 1] and may repeat. Level 1 is met at time 0, level 0 where a
        curve ends.
        """
        return self.read_off(X, lambda curves: curves._times_at(levels), len(levels))

    def read_off(
        self,
        X: Any,
        reader: Callable[[SurvivalCurves], Float],
        width: int,
        max_subjects: int = CHUNK_SUBJECTS,
    ) -> Float:
        """Return what *reader* finds in the raw curves, *width* numbers for each."""
        found = np.empty((n_rows(X), width))
        for rows, curves in self.chunks(X, max_subjects):
            found[rows] = reader(curves)
        return found

    def survival_around_observed(self, X: Any, time: Float) -> Float:
        """Return S(t) and S(t⁻) of each row at a time of its own, (n, 2)."""
        survival = np.empty((len(time), 2))
        for rows, curves in self.chunks(X):
            survival[rows, 0] = curves.survival_at_observed(time[rows])
            survival[rows, 1] = curves.survival_before_observed(time[rows])
        # Rounding must not turn them round.
        np.maximum(survival[:, 1], survival[:, 0], out=survival[:, 1])
        return survival


class KnownCurves(RawModel):
    """A model whose curves of the rows in question are there already."""

    def __init__(self, raw: RawModel, curves: SurvivalCurves) -> None:
        super().__init__(raw.estimator, raw.adapter)
        self._curves = curves

    def of_rows(self, rows: Any) -> KnownCurves:
        """Return the model with the curves of some of the rows."""
        return KnownCurves(self, self._curves[rows])

    def chunks(
        self, X: Any, max_subjects: int = CHUNK_SUBJECTS
    ) -> Iterator[tuple[slice, SurvivalCurves]]:
        """Yield the curves at hand."""
        yield slice(0, len(self._curves)), self._curves


class OutOfBagModel(RawModel):
    """A forest whose training rows are predicted by the trees that did not draw them.

    Parameters
    ----------
    forest : object
        Fitted.
    adapter : Adapter
    X : table of shape (n, m)
        The rows that the forest was trained on, in their order.

    Attributes
    ----------
    rows : ndarray of int
        Those that some tree did not draw, and the only ones that can be asked for,
        all of them at once.
    """

    def __init__(self, forest: Any, adapter: Adapter, X: Any) -> None:
        super().__init__(forest, adapter)
        self._forest = adapter.out_of_bag(forest, X)
        self.rows: Index = self._forest.rows

    def curves(self, X: Any) -> SurvivalCurves:
        """Return the curves of all ``rows`` at once."""
        return self._forest.curves(self.rows)

    def chunks(
        self, X: Any, max_subjects: int = CHUNK_SUBJECTS
    ) -> Iterator[tuple[slice, SurvivalCurves]]:
        """Yield slices of ``rows`` and their curves."""

        def predict(part: slice) -> SurvivalCurves:
            return self._forest.curves(self.rows[part])

        return in_chunks(predict, len(self.rows), CHUNK_ROWS)


def _with_progress(
    chunks: Iterator[tuple[slice, SurvivalCurves]], n: int
) -> Iterator[tuple[slice, SurvivalCurves]]:
    with steps("rows predicted", n, verbose=True) as advance:
        for rows, curves in chunks:
            yield rows, curves
            advance(rows.stop - rows.start)


def fit_plainly(
    adapter: Adapter,
    estimator: Any,
    data: tuple[Any, Outcome],
    validation: tuple[Any, Outcome] | None,
) -> Any:
    """Return a model trained without weights, which are for the conformal step alone.

    Whether a model would look at them depends on its library.
    """
    X, outcome = data
    stop = None if validation is None else (validation[0], validation[1].unweighted)
    return adapter.fit(estimator, X, outcome.unweighted, stop)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of a feature table, by position."""
    if isinstance(rows, slice) and rows == slice(0, n_rows(X)):
        return X
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
