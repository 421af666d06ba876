"""KM-calibration: the mean curve follows the Kaplan–Meier curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import kl_div

from consurv._checks import Float
from consurv._params import OneOf, check_params
from consurv.curves.average import mean_survival
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_weighted
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult

__all__ = ["KM_CAL", "KMCalibrationResult", "km_calibration"]


@dataclass(frozen=True, eq=False)
class KMCalibrationResult(MetricResult):
    """What :func:`km_calibration` returns; ``float()`` is the paper's KM-cal.

    Attributes
    ----------
    value : float
        The divergence of the two curves, averaged over time; 0 is perfect.
    times : array of shape (m,)
        0 and the times at which the curves are compared, ascending.
    km : array of shape (m,)
        The Kaplan–Meier curve of the outcomes.
    mean_curve : array of shape (m,)
        The mean of the subjects' curves. Above ``km``: the events come earlier than
        the curves say, which are too optimistic.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([20.0], [[0.0]] * 2)  # twice too optimistic
    >>> found = km_calibration(([1, 1], [5.0, 10.0]), curves)
    >>> found.times, found.km, found.mean_curve
    (array([ 0.,  5., 10.]), array([1. , 0.5, 0. ]), array([1.  , 0.75, 0.5 ]))
    """

    times: Float
    km: Float
    mean_curve: Float


def km_calibration(
    y: Any,
    curves: SurvivalCurves,
    *,
    divergence: Literal["squared", "kl"] = "squared",
    grid: Literal["observed", "event"] = "observed",
    sample_weight: ArrayLike | None = None,
) -> KMCalibrationResult:
    """Measure how far the mean curve is from the Kaplan–Meier curve of the outcomes.

    With K(t) the Kaplan–Meier curve and M(t) the mean of S(t | x_i) over the subjects,

        KM-cal = 1/t_max ∫ (K(t) − M(t))² dt   from 0 to t_max,

    by the trapezoidal rule on 0 and all distinct observed times, t_max the largest.
    It integrates the numerator of 1-calibration with one group, divided by n² t_max.

    ``divergence="kl"`` puts K log(K/M) − K + M in the place of the square, the
    Kullback–Leibler divergence of curves that need not have the same area (their
    cumulative residual Kullback–Leibler information). It is never negative, 0 only
    where the curves agree, not symmetric, and undefined where M = 0 < K.

    Past its last node each subject's curve follows its own line to 0, as everywhere in
    this package, so the same curves give the same number on a shared grid and on grids
    of their own. SurvivalEVAL agrees in the second case, and in the first up to the
    end of the grid; beyond, it extends the last segment of the mean curve.
    SurvivalEVAL compares at the times of events only and divides by the last of them,
    which leaves out what the curves do after it: that is ``grid="event"``.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    divergence : {"squared", "kl"}
        What is integrated: the paper's squared difference, or the Kullback–Leibler
        divergence that it discusses.
    grid : {"observed", "event"}
        Compare at all observed times, or only at those of events.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    KMCalibrationResult

    Raises
    ------
    InvalidInput
        If there is no event, not one curve per subject, or ``"kl"`` is undefined.

    References
    ----------
    Chapfuwa et al. (2020), IEEE Trans. Neural Netw. Learn. Syst. 33; Qi, Yu and
    Greiner (2024), ICML, section 4.2 and appendix A; Baratpour and Habibi Rad (2012),
    Communications in Statistics 41(8), for the divergence of survival functions.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 2)
    >>> result = km_calibration(([1, 1], [5.0, 10.0]), curves)
    >>> result.km, result.mean_curve
    (array([1. , 0.5, 0. ]), array([1. , 0.5, 0. ]))
    >>> float(result)
    0.0
    """
    check_params(
        {"divergence": divergence, "grid": grid},
        {"divergence": OneOf(*_DIVERGENCES), "grid": OneOf("observed", "event")},
    )
    outcome, curves = check_weighted(y, curves, sample_weight)
    kaplan_meier = KaplanMeier(outcome)
    if grid == "observed":
        times, km = kaplan_meier.times, kaplan_meier.survival
    else:
        times, km = kaplan_meier.event_times, kaplan_meier.event_survival[1:]
    times = np.concatenate([[0.0], times])
    km = np.concatenate([[1.0], km])
    mean_curve = mean_survival(curves, times, weight=outcome.weight)
    difference = _DIVERGENCES[divergence](km, mean_curve, times)
    area = np.sum(np.diff(times) * (difference[1:] + difference[:-1])) / 2
    return KMCalibrationResult(
        value=float(area / times[-1]),
        times=times,
        km=km,
        mean_curve=mean_curve,
    )


def _squared(km: Float, mean_curve: Float, times: Float) -> Float:
    return np.square(km - mean_curve)


def _kullback_leibler(km: Float, mean_curve: Float, times: Float) -> Float:
    undefined = (mean_curve == 0) & (km > 0)
    if undefined.any():
        first = int(np.argmax(undefined))
        raise InvalidInput(
            "divergence='kl' is undefined: the mean curve is 0 at time "
            f"{times[first]:g}, where the Kaplan–Meier curve is {km[first]:.3g}; use "
            "divergence='squared'"
        )
    return np.asarray(kl_div(km, mean_curve))


_DIVERGENCES: dict[str, Callable[[Float, Float, Float], Float]] = {
    "squared": _squared,
    "kl": _kullback_leibler,
}


KM_CAL = Metric(
    "km_calibration",
    "KM-cal",
    "mean curve against Kaplan–Meier; 0 is perfect",
    km_calibration,
)
