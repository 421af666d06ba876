"""Raw and calibrated curves for a report, within bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float, as_plain_array, check_same_length
from consurv.adapters import adapter_for
from consurv.adapters.base import n_rows
from consurv.conformal.adjust import AdjustedCurves
from consurv.conformal.base import ConformalSurvival
from consurv.conformal.policies import rows_of
from consurv.curves.chunks import CHUNK_ROWS, in_chunks
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Predictions", "predict_both"]

# Raw curves are kept as they are while they hold no more values than this.
MAX_VALUES = 20_000_000
# However many the subjects, a raw curve is read at no fewer times.
_MIN_TIMES = 100


@dataclass(frozen=True)
class Predictions:
    """What :func:`predict_both` returns.

    Attributes
    ----------
    raw : SurvivalCurves
        The curves of the wrapped model.
    calibrated : AdjustedCurves
    n_extrapolated : int
        Subjects whose raw curve ends above the lowest level that is read, so that
        some of its percentile times lie on the line that continues it.
    n_infinite : int
        Subjects whose calibrated curve never reaches the lowest level.
    n_times : int or None
        The number of times at which raw curves were read to save memory; None if they
        are whole.
    """

    raw: SurvivalCurves
    calibrated: AdjustedCurves
    n_extrapolated: int
    n_infinite: int
    n_times: int | None


def predict_both(model: ConformalSurvival, X: Any, y: Outcome) -> Predictions:
    """Predict the curves of a conformalized model before and after calibration.

    Rows are predicted in chunks. If the raw curves would hold more than 2·10⁷ values,
    or cannot be put into one array, they are read at so many times that they do not
    (at least 100), half of them quantiles of the observed times and half of the
    model's own, and are linear in between.

    Parameters
    ----------
    model : ConformalSurvival
        Conformalized.
    X : array-like or DataFrame of shape (n, m)
    y : Outcome
        Of the same n subjects.

    Returns
    -------
    Predictions

    Examples
    --------
    >>> def model(X):
    ...     return [20.0], [[0.0]] * len(X)
    >>> X, y = np.zeros((19, 1)), Outcome(time=np.arange(1, 20), event=np.ones(19))
    >>> both = predict_both(ConformalSurvival(model).conformalize(X, y), X, y)
    >>> both.raw.median()[:2], both.calibrated.median()[:2]
    (array([10., 10.]), array([10., 10.]))
    """
    if not isinstance(model, ConformalSurvival):
        raise InvalidInput(
            f"model must be a ConformalSurvival, got {type(model).__name__}; a report "
            "compares curves before and after: ConformalSurvival(model).fit(X, y)"
        )
    X = X if hasattr(X, "shape") else as_plain_array(X, "X")
    check_same_length(X=n_rows(X), y=len(y))
    calibrated = model.predict_survival_function(X)  # says if it is not fitted
    raw, n_extrapolated, n_times = _raw_curves(model, X, y)
    return Predictions(
        raw,
        calibrated,
        n_extrapolated=n_extrapolated,
        n_infinite=int(np.isinf(calibrated.times[:, -1]).sum()),
        n_times=n_times,
    )


def _raw_curves(
    model: ConformalSurvival, X: Any, y: Outcome
) -> tuple[SurvivalCurves, int, int | None]:
    estimator = model.estimator_
    adapter, n = adapter_for(estimator), len(y)
    lowest = model.adjustment_.raw_levels.min()
    parts: list[SurvivalCurves] = []
    grid: Float | None = None
    n_extrapolated = 0

    def predict(rows: slice) -> SurvivalCurves:
        return adapter.curves(estimator, rows_of(X, rows))

    for rows, part in in_chunks(predict, n, CHUNK_ROWS):
        n_extrapolated += int((part._form.last_survival() > lowest).sum())
        is_large = part._form.is_table and n * part._form.n_nodes > MAX_VALUES
        if rows.start == 0 and is_large:
            grid = _grid(part, y)
        parts.append(part if grid is None else _read_at(part, grid))
    if grid is None and not _fit_together(parts):
        grid = _grid(parts[0], y)
        parts = [_read_at(part, grid) for part in parts]
    raw = SurvivalCurves.concatenate(parts)
    return raw, n_extrapolated, None if grid is None else len(grid)


def _grid(part: SurvivalCurves, y: Outcome) -> Float:
    """Return the times to read curves at: half from the outcomes, half the model's."""
    n_times = max(_MIN_TIMES, MAX_VALUES // len(y))
    ranks = np.linspace(0, 1, n_times // 2)
    own = part.times[np.isfinite(part.times)]
    return np.unique(
        np.concatenate(
            [np.quantile(times, ranks, method="nearest") for times in (y.time, own)]
        )
    )


def _read_at(part: SurvivalCurves, grid: Float) -> SurvivalCurves:
    return SurvivalCurves(grid, part.survival_at(grid))


def _fit_together(parts: list[SurvivalCurves]) -> bool:
    """Say whether the parts have one common grid, or grids of one length."""
    if not any(part._form.is_table for part in parts):
        return True  # they are joined by what they are made of
    first = parts[0].times
    if first.ndim == 1:
        return all(np.array_equal(part.times, first) for part in parts)
    return all(part.times.shape[1:] == first.shape[1:] for part in parts)
