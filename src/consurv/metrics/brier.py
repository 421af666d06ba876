"""The Brier score with weights for censoring, at given times and integrated."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid

from consurv._checks import Float
from consurv._params import AtLeast, InstanceOf, check_params
from consurv._warnings import warn
from consurv.curves.curves import SurvivalCurves
from consurv.curves.invariants import check_times
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_weighted
from consurv.metrics._training import training_curve
from consurv.metrics.facts import Metric
from consurv.metrics.ipcw import SIDES, CensoringCurve, Side
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = ["BRIER", "IBS", "BrierScoreResult", "brier_score", "integrated_brier_score"]

_TIMES = (AtLeast(2), InstanceOf(list, tuple, np.ndarray))


@dataclass(frozen=True, eq=False)
class BrierScoreResult(MetricResult):
    """What :func:`brier_score` and :func:`integrated_brier_score` return.

    Attributes
    ----------
    value : float
        The integrated score, or the mean of ``scores``; 0 is perfect.
    times : array of shape (m,)
        The times that were scored, ascending; those without weights are left out.
    scores : array of shape (m,)
        The Brier score at each of them.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0], [0.0]])
    >>> found = brier_score(([1, 0, 1], [2.0, 4.0, 9.0]), curves, [1.0, 5.0])
    >>> found
    BrierScoreResult(value=0.13, times=<2>, scores=<2>)
    >>> dict(zip(found.times.tolist(), found.scores.round(4).tolist(), strict=True))
    {1.0: 0.01, 5.0: 0.25}
    """

    times: Float
    scores: Float


def brier_score(
    y: Any,
    curves: SurvivalCurves,
    times: ArrayLike,
    *,
    y_train: Any = None,
    weights: Side = "left",
    sample_weight: ArrayLike | None = None,
) -> BrierScoreResult:
    """Mean squared error of the survival probabilities at given times.

    With G the Kaplan–Meier estimate of the censoring times (:class:`CensoringCurve`),

        BS(t) = 1/n · Σ_i [ S(t|x_i)² 1(t_i ≤ t, event) / G(t_i⁻)
                            + (1 − S(t|x_i))² 1(t_i > t) / G(t) ].

    A subject with an event at t_i was seen because its censoring time was no earlier,
    which has the probability G(t_i⁻); one under observation at t because it was later
    than t. A weight exists only up to the last training time and where G > 0: later
    times are left out, with one warning.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    times : number or array-like of shape (m,)
        Times ≥ 0, in any order; repeated ones count once.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes, from which G is estimated; by default from *y*.
    weights : {"left", "right"}
        1/G(t_i⁻) for events (default) or 1/G(t_i), as in scikit-survival. They differ
        where censorings are tied with events.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    BrierScoreResult
        Its ``float()`` is the score at one time and the mean over several.

    Raises
    ------
    InvalidInput
        If no event was observed, no time is left, or an argument does not fit.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999), Statistics in Medicine 18.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0], [0.0]])
    >>> result = brier_score(([1, 0, 1], [2.0, 4.0, 9.0]), curves, [1.0, 5.0])
    >>> result.scores.round(4)
    array([0.01, 0.25])
    """
    outcome, curves = check_weighted(y, curves, sample_weight)
    check_params({"weights": weights}, {"weights": SIDES})
    censoring = CensoringCurve(training_curve(y_train, outcome))
    grid, lost = _with_weights(times, censoring)
    _warn(lost, censoring)
    scores = _scores(outcome, curves, grid, censoring, weights)
    return BrierScoreResult(value=float(scores.mean()), times=grid, scores=scores)


def integrated_brier_score(
    y: Any,
    curves: SurvivalCurves,
    *,
    y_train: Any = None,
    times: int | ArrayLike = 100,
    weights: Side = "left",
    sample_weight: ArrayLike | None = None,
) -> BrierScoreResult:
    """Average of :func:`brier_score` over a window of time.

    The window goes from 0 to the last time in *y* at which weights exist, that is, up
    to the last training time and where G > 0. It is cut into equal steps and the
    scores are joined by straight lines (trapezoid), so the result does not depend on
    where the observed times happen to lie and costs O(n) per time. One warning tells
    how many subjects were observed past the window.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes, from which G is estimated; by default from *y*.
    times : int or array-like of shape (m,)
        The number of equally spaced times, both ends of the window included, or the
        times themselves: the window then goes from the first to the last of those at
        which weights exist.
    weights : {"left", "right"}
        As in :func:`brier_score`.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    BrierScoreResult

    Raises
    ------
    InvalidInput
        If no event was observed, fewer than two times are left, or an argument does
        not fit.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999), Statistics in Medicine 18.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0], [0.0]])
    >>> y = ([1, 0, 1], [2.0, 4.0, 9.0])
    >>> result = integrated_brier_score(y, curves, times=1000)
    >>> round(float(result), 3), result.times[-1]
    (0.244, np.float64(9.0))
    """
    outcome, curves = check_weighted(y, curves, sample_weight)
    check_params({"weights": weights}, {"weights": SIDES})
    censoring = CensoringCurve(training_curve(y_train, outcome))
    grid, lost = _window(times, outcome, censoring)
    _warn(lost, censoring)
    scores = _scores(outcome, curves, grid, censoring, weights)
    value = float(trapezoid(scores, grid)) / (grid[-1] - grid[0])
    return BrierScoreResult(value=float(value), times=grid, scores=scores)


def _window(
    times: int | ArrayLike, y: Outcome, censoring: CensoringCurve
) -> tuple[Float, str]:
    """Return the grid of the integral and what lies outside it, in words."""
    if np.ndim(times) == 0:
        check_params({"times": times}, {"times": _TIMES})
        end, lost = _last_time(y, censoring)
        return np.linspace(0.0, end, operator.index(times)), lost  # type: ignore[arg-type]
    grid, lost = _with_weights(times, censoring)
    if grid.size < 2:
        raise InvalidInput(
            f"times leaves one time to integrate over, {grid[0]:g}; give at least two, "
            "or use brier_score for a single time"
        )
    return grid, lost


def _last_time(y: Outcome, censoring: CensoringCurve) -> tuple[float, str]:
    """Return the last observed time that has weights and what lies beyond it."""
    inside = censoring.is_positive_at(y.time)
    if not inside.any():
        raise InvalidInput(
            "no time in y has weights: "
            f"{_reason(censoring)}, before all {len(y)} subjects of y; give y_train "
            "with a longer follow-up"
        )
    # Who is censored just where G falls to 0 was under observation all the way there.
    past = ~inside & (y.event | (y.time > censoring.t_max))
    lost = f"{int(past.sum())} of {len(y)} subjects were observed past it"
    return float(y.time[inside].max()), lost if past.any() else ""


def _with_weights(times: ArrayLike, censoring: CensoringCurve) -> tuple[Float, str]:
    """Return the times that have weights and how many have none."""
    wanted = np.unique(check_times(times))
    if wanted.size == 0:
        raise InvalidInput("times is empty; give at least one time")
    kept = wanted[censoring.is_positive_at(wanted)]
    if kept.size == 0:
        raise InvalidInput(
            f"none of the {wanted.size} times has weights, the first is "
            f"{wanted[0]:g}: {_reason(censoring)}; give earlier times"
        )
    lost = f"{wanted.size - kept.size} of {wanted.size} times are left out"
    return kept, lost if kept.size < wanted.size else ""


def _reason(censoring: CensoringCurve) -> str:
    if censoring.survival[-1] == 0:
        return (
            "the censoring curve of the training outcomes falls to 0 at "
            f"{censoring.times[-1]:g}"
        )
    return f"the training outcomes end at {censoring.t_max:g}"


def _warn(lost: str, censoring: CensoringCurve) -> None:
    if lost:
        warn(
            f"{_reason(censoring)}, where the Brier score must end; {lost}",
        )


def _scores(
    y: Outcome,
    curves: SurvivalCurves,
    times: Float,
    censoring: CensoringCurve,
    side: Side,
) -> Float:
    """Return BS at times that have weights, in blocks of subjects."""
    at_times = 1.0 / censoring.survival_at(times)
    at_events = np.where(y.event, censoring.weights_of(y.time, side), 0.0)
    counts = y.weight
    nodes = _node_index(curves, times)
    total = np.zeros(len(times))
    held = curves._form.n_nodes if curves._form.is_table else 1
    for rows in row_blocks(len(y), max(len(times), held)):
        if nodes is None:
            survival = curves[rows].survival_at(times)
        else:
            survival = curves.survival[rows].take(nodes, axis=1)
            survival = survival.astype(np.float64, copy=False)
        alive = y.time[rows, None] > times
        survival -= alive
        survival *= survival
        if counts is not None:
            survival *= counts[rows, None]
        weight = np.where(alive, at_times, at_events[rows, None])
        total += np.einsum("ij,ij->j", survival, weight)
    return total / y.total_weight


def _node_index(curves: SurvivalCurves, times: Float) -> Any:
    """Return the nodes of a table's shared grid that *times* are, if they are such.

    Every interpolation passes through the nodes, so they need no interpolating.
    """
    if not curves._form.is_table or curves.times.ndim == 2:
        return None
    index = np.searchsorted(curves.times, times, side="right") - 1
    return index if np.array_equal(curves.times[index], times) else None


BRIER = Metric(
    "brier_score",
    "Brier score",
    "squared error of probabilities at given times; 0 is perfect",
    brier_score,
)
IBS = Metric(
    "integrated_brier_score",
    "IBS",
    "squared error of probabilities; 0 is perfect",
    integrated_brier_score,
    title="Integrated Brier score",
)
