"""Raw and calibrated curves for a report, within bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float, as_plain_array, check_plain, check_same_length
from consurv.adapters.adapter import n_rows
from consurv.conformal.adjustments.adjust import AdjustedCurves
from consurv.conformal.estimator import ConformalSurvival
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


def predict_both(
    model: ConformalSurvival, X: Any, y: Outcome, groups: Any = None
) -> Predictions:
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
    groups : optional
        Of the same n subjects, if the model was conformalized by groups.

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
    check_plain(X, "X")
    X = X if hasattr(X, "shape") else as_plain_array(X, "X")
    check_same_length(X=n_rows(X), y=len(y))
    raw, calibrated, extrapolated = _Joined(y), [], 0
    lowest = float(model.adjustment_.raw_levels.min())
    for _, part, adjusted in model.both_in_chunks(X, groups=groups):
        extrapolated += int((part._form.last_survival() > lowest).sum())
        raw.add(part)
        calibrated.append(adjusted)
    curves = AdjustedCurves.concatenate(calibrated)
    return Predictions(
        raw.curves(),
        curves,
        n_extrapolated=extrapolated,
        n_infinite=int(np.isinf(curves.times[:, -1]).sum()),
        n_times=raw.n_times,
    )


class _Joined:
    """Raw curves that come in parts, shortened where they would be too many."""

    def __init__(self, y: Outcome) -> None:
        self._y, self._parts = y, list[SurvivalCurves]()
        self._grid: Float | None = None

    def add(self, part: SurvivalCurves) -> None:
        form = part._form
        large = form.is_table and len(self._y) * form.n_nodes > MAX_VALUES
        if large and not self._parts:
            self._grid = _grid(part, self._y)
        self._parts.append(part if self._grid is None else _read_at(part, self._grid))

    def curves(self) -> SurvivalCurves:
        if self._grid is None and not _fit_together(self._parts):
            self._grid = _grid(self._parts[0], self._y)
            self._parts = [_read_at(part, self._grid) for part in self._parts]
        return SurvivalCurves.concatenate(self._parts)

    @property
    def n_times(self) -> int | None:
        return None if self._grid is None else len(self._grid)


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
