"""Single-time calibration: groups of similar predictions against Kaplan–Meier."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from consurv._checks import Float, Index
from consurv._params import AtLeast, Constraints, OneOf, check_params
from consurv._warnings import warn
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._at_time import check_time, observed_survival
from consurv.metrics._groups import group_bounds
from consurv.metrics._inputs import check_inputs
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult

__all__ = ["ONE_CAL", "OneCalibrationResult", "one_calibration"]

_RULES: Constraints = {
    "n_groups": AtLeast(1),
    "variance": OneOf("predicted", "greenwood"),
}


@dataclass(frozen=True, eq=False)
class OneCalibrationResult(MetricResult):
    """What :func:`one_calibration` returns; ``float()`` is the statistic.

    Attributes
    ----------
    value : float
        The Hosmer–Lemeshow statistic; 0 is perfect.
    p_value : float
        Probability of a larger statistic under χ² with k − 1 degrees of freedom (k
        with Greenwood's variance); NaN if there are none.
    time : float
        The time of the comparison.
    expected : array of shape (k,)
        Mean predicted S(time) of each group, ascending: the highest risk comes first.
    observed : array of shape (k,)
        Kaplan–Meier estimate of S(time) in each group. Below ``expected``: the events
        come earlier than the curves say, which are too optimistic there.
    variances : array of shape (k,)
        The variances of ``observed`` that the statistic divides by.
    sizes : array of shape (k,)
        Subjects in each group.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> found = one_calibration(y, curves, time=5.0, n_groups=2)
    >>> found.expected, found.observed, round(found.p_value, 2)
    (array([0.4, 0.8]), array([0.5, 0.5]), 0.27)
    """

    p_value: float
    time: float
    expected: Float
    observed: Float
    variances: Float
    sizes: NDArray[np.int64]

    @property
    def statistic(self) -> float:
        """The Hosmer–Lemeshow statistic by its own name."""
        return self.value


def one_calibration(
    y: Any,
    curves: SurvivalCurves,
    time: float,
    *,
    n_groups: int = 10,
    variance: Literal["predicted", "greenwood"] = "predicted",
) -> OneCalibrationResult:
    """Test at one time whether groups of subjects survive as often as predicted.

    The subjects are sorted by their predicted S(time) and cut into groups G whose
    sizes differ by at most one. With E the mean prediction of a group and O the
    Kaplan–Meier estimate in it, the Hosmer–Lemeshow statistic is

        HL = Σ_G |G| (O − E)² / (E (1 − E)).

    Equal predictions are never split, so that the order of the rows does not matter:
    all of them go to the group in which the middle of their run lies. Groups that stay
    empty are left out, with a `CalibrationWarning`.

    A group with E exactly 0 or 1 adds nothing if O is the same; otherwise what the
    curves call impossible has happened, the statistic is +inf and the p-value 0. O is
    1 in a group without an event. Where nobody of a group was under observation until
    *time*, O keeps its last value and a `CalibrationWarning` says so.

    The p-value of this statistic is a guide more than a test. The k − 1 degrees of
    freedom are the paper's; nothing was fitted to these outcomes, so a right model has
    a mean statistic of about k. And O counts as a share of |G| subjects who were all
    observed until *time*: with censoring before it, O varies more. Both make the test
    reject a right model too often. ``variance="greenwood"`` divides (O − E)² by
    Greenwood's estimate of the variance of O and takes k degrees of freedom, which is
    right with censoring too, for groups with at least about 5 events.

    Without ties SurvivalEVAL gives the same statistic (its ``adjust_variance`` is
    ``"greenwood"``); it takes k − 2 degrees of freedom for more than 15 groups.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    time : float
        The time of the comparison, > 0.
    n_groups : int
        Number of groups, 1 to n.
    variance : {"predicted", "greenwood"}
        What the squared differences are divided by: E (1 − E) / |G| as in the paper,
        or Greenwood's variance of O.

    Returns
    -------
    OneCalibrationResult

    Raises
    ------
    InvalidInput
        If there is no event, not one curve per subject, more groups than subjects, or
        a group whose variance Greenwood's formula cannot estimate.

    References
    ----------
    Hosmer and Lemeshow (1980), Communications in Statistics A9; D'Agostino and Nam
    (2003), Handbook of Statistics 23; Demler, Paynter and Cook (2015), Statistics in
    Medicine 34(10); Qi, Yu and Greiner (2024), ICML, appendix A.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4], [0.4], [0.8], [0.8]])
    >>> y = ([1, 1, 1, 0], [2.0, 8.0, 4.0, 9.0])
    >>> result = one_calibration(y, curves, time=5.0, n_groups=2)
    >>> result.expected, result.observed
    (array([0.4, 0.8]), array([0.5, 0.5]))
    >>> round(float(result), 4), round(result.p_value, 4)
    (1.2083, 0.2717)
    """
    check_params({"n_groups": n_groups, "variance": variance}, _RULES)
    check_time(time)
    outcome = check_inputs(y, curves)
    if n_groups > len(outcome):
        raise InvalidInput(
            f"n_groups={n_groups} is more than the {len(outcome)} subjects; use fewer"
        )
    predicted = curves.survival_at([time])[:, 0]
    order = np.argsort(predicted)
    bounds = _bounds(predicted[order], n_groups)
    sizes = np.diff(bounds)
    expected = np.add.reduceat(predicted[order], bounds[:-1]) / sizes
    parts = [slice(*ends) for ends in pairwise(bounds)]
    observed, variances = observed_survival(outcome[order], parts, time)
    freedom = len(sizes)
    if variance == "predicted":
        variances, freedom = expected * (1 - expected) / sizes, freedom - 1
    else:
        _check_variances(variances, observed)
    if not freedom:
        warn(
            "all subjects are in one group, which leaves the test no degree of freedom:"
            " the p-value is NaN; use more groups or variance='greenwood'",
        )
    statistic = _hosmer_lemeshow(observed, expected, variances)
    return OneCalibrationResult(
        value=statistic,
        p_value=float(chi2.sf(statistic, freedom)) if freedom else float("nan"),
        time=float(time),
        expected=expected,
        observed=observed,
        variances=variances,
        sizes=sizes,
    )


def _bounds(predicted: Float, n_groups: int) -> Index:
    """Return where the groups of ascending predictions start, and n at the end."""
    bounds = group_bounds(predicted, n_groups)
    if bounds.size - 1 < n_groups:
        warn(
            f"equal predictions leave {bounds.size - 1} of n_groups={n_groups} groups; "
            "the test has as many degrees of freedom less",
        )
    return bounds


def _check_variances(variances: Float, observed: Float) -> None:
    if not variances.all():
        group = int(np.argmin(variances))
        raise InvalidInput(
            f"variance='greenwood' is unknown in group {group}, whose observed "
            f"survival is {observed[group]:g}; use fewer groups, another time or "
            "variance='predicted'"
        )


def _hosmer_lemeshow(observed: Float, expected: Float, variances: Float) -> float:
    squared = (observed - expected) ** 2
    terms = np.where(squared > 0, np.inf, 0.0)  # stays where the variance is 0
    return float(np.divide(squared, variances, out=terms, where=variances > 0).sum())


ONE_CAL = Metric(
    "one_calibration",
    "1-cal",
    "probabilities at one time, by groups of risk; 0 is perfect",
    one_calibration,
)
