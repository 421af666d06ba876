"""The integrated calibration index: calibration at one time without groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv._params import AtLeast, OneOf, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._at_time import check_time, observed_survival
from consurv.metrics._inputs import check_inputs
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult

__all__ = ["ICI", "CalibrationIndexResult", "integrated_calibration_index"]

# Between so many windows the difference is interpolated; it changes slowly, since
# neighbouring windows share nearly all their subjects.
_MAX_WINDOWS = 200


@dataclass(frozen=True, eq=False)
class CalibrationIndexResult(MetricResult):
    """What :func:`integrated_calibration_index` returns; ``float()`` is the ICI.

    Attributes
    ----------
    value : float
        Mean over the subjects of the absolute difference of predicted and observed.
    e50, e90, e_max : float
        Median, 90th percentile and largest of these differences.
    time : float
        The time of the comparison.
    predicted : array of shape (k,)
        Mean predicted S(time) in each window, ascending; 1 minus it is the mean
        predicted probability of the event.
    observed : array of shape (k,)
        Kaplan–Meier estimate of S(time) in each window: with ``predicted``, the
        smooth calibration curve.
    n_neighbors : int
        Subjects in a window, before equal predictions are added.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> found = integrated_calibration_index(y, curves, time=5.0, n_neighbors=2)
    >>> round(float(found), 3), round(found.e50, 3), round(found.e_max, 3)
    (0.2, 0.2, 0.3)
    """

    e50: float
    e90: float
    e_max: float
    time: float
    predicted: Float
    observed: Float
    n_neighbors: int


def integrated_calibration_index(
    y: Any, curves: SurvivalCurves, time: float, *, n_neighbors: int | None = None
) -> CalibrationIndexResult:
    """Measure how far predictions at one time are from what was observed.

    The ICI is the mean over the subjects of |p − o(p)|, p the predicted probability
    at *time* and o(p) a smooth estimate of the probability observed among subjects
    with such predictions. Here o comes from a window that slides over the sorted
    predictions and holds *n_neighbors* subjects: the Kaplan–Meier estimate of the
    window is compared with the mean prediction of the same window, so a right model
    has no bias, at the ends neither. The differences of the windows are interpolated
    to the subjects' predictions. Equal predictions are never split: a window holds all
    or none of them. Censoring may depend on the prediction.

    The authors regress the hazard on a spline of log(−log S) instead. That has less
    noise where hazards are proportional and is wrong where they are not; the windows
    assume nothing, and need no iteration that could fail.

    The index is a mean of absolute values, so even the right model has an ICI of about
    0.8 √(S (1 − S) / n_neighbors), which goes to 0 as n grows.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    time : float
        The time of the comparison, > 0.
    n_neighbors : int, optional
        Subjects in a window, 1 to n; by default n^(4/5), rounded up. More give a
        smoother curve and less noise, and hide what happens within a window.

    Returns
    -------
    CalibrationIndexResult

    Raises
    ------
    InvalidInput
        If there is no event, not one curve per subject, or more neighbours than
        subjects.

    References
    ----------
    Austin, Harrell and van Klaveren (2020), Statistics in Medicine 39(21), 2714-2742.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> result = integrated_calibration_index(y, curves, time=5.0, n_neighbors=2)
    >>> result.predicted, result.observed
    (array([0.4, 0.6, 0.8]), array([0.5, 0.5, 0.5]))
    >>> round(float(result), 3), round(result.e_max, 3)
    (0.2, 0.3)
    """
    check_params(
        {"n_neighbors": n_neighbors}, {"n_neighbors": (AtLeast(1), OneOf(None))}
    )
    check_time(time)
    outcome = check_inputs(y, curves)
    n = len(outcome)
    size = int(np.ceil(n**0.8)) if n_neighbors is None else int(n_neighbors)
    if size > n:
        raise InvalidInput(
            f"n_neighbors={size} is more than the {n} subjects; use fewer"
        )
    predicted = curves.survival_at([time])[:, 0]
    order = np.argsort(predicted)
    predicted = predicted[order]
    starts, stops = _windows(predicted, size)
    sums = np.concatenate([[0.0], np.cumsum(predicted)])
    mean = (sums[stops] - sums[starts]) / (stops - starts)
    mean = np.maximum.accumulate(mean)  # rounding must not make it fall
    parts = [slice(*ends) for ends in zip(starts, stops, strict=True)]
    observed, _ = observed_survival(outcome[order], parts, time)
    errors = np.abs(np.interp(predicted, mean, observed - mean))
    e50, e90 = np.quantile(errors, [0.5, 0.9])
    return CalibrationIndexResult(
        value=float(errors.mean()),
        e50=float(e50),
        e90=float(e90),
        e_max=float(errors.max()),
        time=float(time),
        predicted=mean,
        observed=observed,
        n_neighbors=size,
    )


def _windows(predicted: Float, size: int) -> tuple[Index, Index]:
    """Return where the windows over ascending predictions start and stop."""
    last = predicted.size - size
    starts = np.unique(
        np.linspace(0, last, min(last + 1, _MAX_WINDOWS)).astype(np.intp)
    )
    # Widened to hold whole runs of equal predictions; then some may coincide.
    stops = np.searchsorted(predicted, predicted[starts + size - 1], side="right")
    starts = np.searchsorted(predicted, predicted[starts], side="left")
    different = np.unique(np.stack([starts, stops]), axis=1)
    return different[0], different[1]


ICI = Metric(
    "integrated_calibration_index",
    "ICI",
    "probabilities at one time against smoothed outcomes; 0 is perfect",
    integrated_calibration_index,
    highest=1.0,
    title="Integrated calibration index",
)
