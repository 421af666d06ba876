"""Mean absolute error of predicted times, with surrogate times for the censored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Float
from consurv._params import Between, Constraints, OneOf, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_weighted
from consurv.metrics._training import training_curve
from consurv.metrics._trapezoid import (
    trapezoid_conditional_mean,
    trapezoid_pseudo_observations,
)
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = [
    "MAE_HINGE",
    "MAE_MARGIN",
    "MAE_PO",
    "MAEResult",
    "mae_hinge",
    "mae_margin",
    "mae_po",
    "mae_po_of_times",
    "predicted_times",
]

Point = Literal["median", "mean"]
Area = Literal["step", "trapezoid"]

_POINT: Constraints = {
    "point": OneOf("median", "mean"),
    "tau": (OneOf(None), Between(0, np.inf)),
}
_AREA = {"area": OneOf("step", "trapezoid"), "weighted": OneOf(True, False)}


@dataclass(frozen=True, eq=False)
class MAEResult(MetricResult):
    """What the mean absolute errors return; ``float()`` is the error.

    Attributes
    ----------
    value : float
        Weighted mean of the distances of predictions and targets; 0 is perfect.
    targets : array of shape (n,)
        The time that each prediction is compared with: the observed one for events,
        the surrogate for censored subjects.
    weights : array of shape (n,)
        1 for events; how much a censored subject counts (beside ``sample_weight``).

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0]])
    >>> found = mae_po(([1, 0], [4.0, 6.0]), curves, y_train=([1, 1], [2.0, 8.0]))
    >>> found.targets, found.weights, round(float(found), 3)
    (array([4., 8.]), array([1. , 0.5]), 1.667)
    """

    targets: Float
    weights: Float


def mae_po(
    y: Any,
    curves: SurvivalCurves,
    *,
    y_train: Any = None,
    point: Point = "median",
    weighted: bool = True,
    area: Area = "step",
    tau: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> MAEResult:
    """Mean absolute error with pseudo-observations for the censored (MAE-PO).

    A subject with an event is compared with its time. A censored one is compared with
    its pseudo-observation, (N + 1)θ₊ᵢ − Nθ: θ is the mean of the Kaplan–Meier curve of
    the N training outcomes, θ₊ᵢ that with the subject added. It counts with the weight
    1 − S_KM(c_i), since a late censoring tells more about the time. The error is
    divided by the sum of the weights. O(n log n).

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes. By default they are *y*: the subjects then belong to the
        Kaplan–Meier sample, and the pseudo-observation is Nθ − (N − 1)θ₋ᵢ.
    point : {"median", "mean"}
        The predicted time.
    weighted : bool
        Whether the censored count less, as above, or like the others.
    area : {"step", "trapezoid"}
        θ is the area below the steps of the curve, or below straight lines between its
        event times, as in SurvivalEVAL (errors 2 to 9 % apart on simulated data); the
        latter needs *y_train*.
    tau : float, optional
        Predictions and targets past this time are moved to it, so that a subject who
        lives longer than *tau* is right if predicted to do so.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.
        Without *y_train* they must be whole numbers: a pseudo-observation is the
        difference that one subject makes.

    Returns
    -------
    MAEResult

    Raises
    ------
    InvalidInput
        If there is no event, a predicted time is infinite and there is no *tau*, or an
        argument does not fit.

    References
    ----------
    Qi, Kumar, Farrokh, Sun, Kuan, Ranganath, Henao and Greiner (2023), An effective
    meaningful way to evaluate survival models, ICML.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0]])
    >>> result = mae_po(([1, 0], [4.0, 6.0]), curves, y_train=([1, 1], [2.0, 8.0]))
    >>> result.targets, result.weights
    (array([4., 8.]), array([1. , 0.5]))
    >>> float(result)
    1.6666666666666667
    """
    outcome, curves = check_weighted(y, curves, sample_weight)
    predicted = predicted_times(curves, point, tau)
    return mae_po_of_times(
        outcome, predicted, y_train=y_train, weighted=weighted, area=area, tau=tau
    )


def mae_po_of_times(
    y: Outcome,
    predicted: Float,
    *,
    y_train: Any = None,
    weighted: bool = True,
    area: Area = "step",
    tau: float | None = None,
) -> MAEResult:
    """Return MAE-PO for predicted times that are already at hand, trusted."""
    check_params({"area": area, "weighted": weighted}, _AREA)
    km = training_curve(y_train, y)
    censored = y[~y.event].unweighted
    if y_train is None and km.at_risk.dtype.kind == "f":
        raise InvalidInput(
            "sample_weight holds numbers that are not whole, and a pseudo-observation "
            "is the difference that one whole subject makes to the sample; give "
            "y_train, the outcomes of the sample"
        )
    if area == "step" and y_train is None:
        surrogates = km.member_pseudo_observations(censored)
    elif area == "step":
        surrogates = km.outsider_pseudo_observations(censored)
    elif y_train is None:
        raise InvalidInput(
            "area='trapezoid' is defined for subjects outside the Kaplan–Meier sample "
            "only; give y_train, or use area='step'"
        )
    else:
        surrogates = trapezoid_pseudo_observations(km, censored.time)
    return _error(y, predicted, surrogates, _weights(y, km, weighted), tau)


def mae_margin(
    y: Any,
    curves: SurvivalCurves,
    *,
    y_train: Any = None,
    point: Point = "median",
    weighted: bool = True,
    area: Area = "step",
    tau: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> MAEResult:
    """Mean absolute error with the marginal mean E[T | T > c] for the censored.

    As :func:`mae_po`, with the conditional mean of the Kaplan–Meier curve of the
    training outcomes in the place of the pseudo-observation.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    y_train : outcomes in any form, KaplanMeier or None
        The training outcomes; by default *y*.
    point, weighted, tau
        As in :func:`mae_po`.
    area : {"step", "trapezoid"}
        The area below the steps of the curve, or below straight lines between its
        observed times, as in SurvivalEVAL.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    MAEResult

    References
    ----------
    Haider, Hoehn, Davis and Greiner (2020), JMLR 21(85).

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0]])
    >>> result = mae_margin(([1, 0], [4.0, 6.0]), curves, y_train=([1, 1], [2.0, 8.0]))
    >>> result.targets
    array([4., 8.])
    """
    outcome, curves = check_weighted(y, curves, sample_weight)
    check_params({"area": area, "weighted": weighted}, _AREA)
    predicted = predicted_times(curves, point, tau)
    km = training_curve(y_train, outcome)
    times = outcome.time[~outcome.event]
    if area == "step":
        surrogates = km.conditional_mean(times)
    else:
        surrogates = trapezoid_conditional_mean(km, times)
    return _error(outcome, predicted, surrogates, _weights(outcome, km, weighted), tau)


def mae_hinge(
    y: Any,
    curves: SurvivalCurves,
    *,
    point: Point = "median",
    tau: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> MAEResult:
    """Mean absolute error where censored subjects count only if predicted too early.

    The error of a censored subject is max(0, c_i − predicted time), and all subjects
    count the same. It rewards predictions that are too late for the censored.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    point, tau
        As in :func:`mae_po`.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    MAEResult

    References
    ----------
    Haider, Hoehn, Davis and Greiner (2020), JMLR 21(85).

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.0], [0.0]])
    >>> float(mae_hinge(([1, 0, 0], [4.0, 3.0, 8.0]), curves))
    1.3333333333333333
    """
    outcome, curves = check_weighted(y, curves, sample_weight)
    predicted = predicted_times(curves, point, tau)
    censored = ~outcome.event
    # A later prediction is as good as one that is right at the censoring time.
    surrogates = np.maximum(outcome.time, predicted)[censored]
    return _error(outcome, predicted, surrogates, np.ones(len(outcome)), tau)


def predicted_times(
    curves: SurvivalCurves, point: Point = "median", tau: float | None = None
) -> Float:
    """Return a predicted time for each curve, finite unless *tau* bounds the error.

    Raises
    ------
    InvalidInput
        If *point* or *tau* is not valid, or curves never come down and there is no
        *tau*.
    """
    check_params({"point": point, "tau": tau}, _POINT)
    predicted = curves.median() if point == "median" else curves.mean()
    infinite = np.isinf(predicted)
    if infinite.any() and tau is None:
        raise InvalidInput(
            f"the predicted {point} is infinite for {int(infinite.sum())} of "
            f"{len(curves)} curves, the first at row {int(np.argmax(infinite))}, "
            "because they never come down; give tau to bound all errors, or leave "
            "these subjects out"
        )
    return predicted


def _weights(y: Outcome, km: KaplanMeier, weighted: bool) -> Float:
    if not weighted:
        return np.ones(len(y))
    return np.where(y.event, 1.0, 1.0 - km.survival_at(y.time))


def _error(
    y: Outcome,
    predicted: Float,
    surrogates: Float,
    weights: Float,
    tau: float | None,
) -> MAEResult:
    """Compare predictions with the targets; every event has weight 1."""
    targets = y.time.copy()
    targets[~y.event] = surrogates
    if tau is not None:
        targets, predicted = np.minimum(targets, tau), np.minimum(predicted, tau)
    errors = np.abs(targets - predicted)
    counts = weights if y.weight is None else weights * y.weight
    value = float(counts @ errors / counts.sum())
    return MAEResult(value=value, targets=targets, weights=weights)


MAE_PO = Metric(
    "mae_po",
    "MAE-PO",
    "error of predicted median times; 0 is perfect",
    mae_po,
    unit="time",
)
MAE_MARGIN = Metric(
    "mae_margin",
    "MAE-margin",
    "error of predicted median times, means for the censored; 0 is perfect",
    mae_margin,
    unit="time",
)
MAE_HINGE = Metric(
    "mae_hinge",
    "MAE-hinge",
    "error of predicted median times, too early ones for the censored; 0 is perfect",
    mae_hinge,
    unit="time",
)
