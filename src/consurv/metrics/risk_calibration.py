"""Calibration by risk: observed and predicted survival in groups of risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from consurv._checks import Float, Index, as_floats, check_same_length
from consurv._params import AtLeast, Between, Constraints, check_params
from consurv._warnings import warn
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._group_test import holm, survival_test
from consurv.metrics._groups import group_bounds
from consurv.metrics._inputs import as_risk, check_events, check_weighted, of_counted
from consurv.metrics._observed import observe, variance_of_log
from consurv.metrics.d_calibration import d_calibration_of_survival
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult
from consurv.outcome import Outcome

__all__ = [
    "RISK_CAL",
    "RiskCalibrationResult",
    "WorstGap",
    "as_times",
    "compare_parts",
    "risk_calibration",
    "risk_calibration_of_survival",
    "times_of_events",
]

# Fewer on average, and a group says next to nothing: there are fewer groups then.
_SUBJECTS_PER_GROUP, _EVENTS_PER_GROUP = 20, 10
_RULES: Constraints = {"n_groups": AtLeast(1), "coverage": Between(0, 1)}


class WorstGap(NamedTuple):
    """The largest gap: its group (0 is the highest risk), time, and size.

    The gap is predicted − observed survival; > 0 is too optimistic.
    """

    group: int
    time: float
    gap: float


@dataclass(frozen=True, eq=False)
class RiskCalibrationResult(MetricResult):
    """What :func:`risk_calibration` returns; ``float()`` is the mean squared gap.

    Groups are in order of risk, the highest first; G of them, at T times.

    Attributes
    ----------
    value : float
        Mean of (observed − predicted)² over groups and times; 0 is perfect.
    times : array of shape (T,)
        The times of the comparison.
    sizes, events : array of shape (G,)
        Subjects in each group, and those of them with an event; as much as they weigh.
    observed : array of shape (G, T)
        Kaplan–Meier survival in the group; NaN where nobody of it was under
        observation until the time, which is left out of all else.
    lower, upper : array of shape (G, T)
        The interval of ``observed`` (Greenwood, log-log).
    predicted : array of shape (G, T)
        Mean predicted survival. Above ``observed``: too optimistic there.
    variances : array of shape (G, T)
        Greenwood's variance of ``observed``.
    subjects : array of shape (G, T)
        Effective number of subjects from one time to the next: as many without
        censoring would tell as much.
    statistics : array of shape (G,)
        χ² of observed against predicted survival over the times.
    p_values : array of shape (G,)
        Of these, by Holm's correction for the number of groups; NaN where nothing can
        be tested.
    d_cal, d_cal_p_values : array of shape (G,)
        D-calibration within each group, and the p-value of its test, uncorrected.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 20 + [[0.6]] * 20)
    >>> y = (np.ones(40), np.tile(np.linspace(0.5, 10, 20), 2))
    >>> found = risk_calibration(y, curves, n_groups=2, times=[5.0])
    >>> found.predicted.ravel(), found.observed.ravel()
    (array([0.5, 0.8]), array([0.5, 0.5]))
    >>> found.worst.group, found.worst.time
    (1, 5.0)
    """

    times: Float
    sizes: NDArray[Any]
    events: NDArray[Any]
    observed: Float
    lower: Float
    upper: Float
    predicted: Float
    variances: Float
    subjects: Float
    statistics: Float
    p_values: Float
    d_cal: Float
    d_cal_p_values: Float

    @property
    def n_groups(self) -> int:
        """The number of groups that there are."""
        return len(self.sizes)

    @property
    def gaps(self) -> Float:
        """Predicted − observed survival, (G, T)."""
        return self.predicted - self.observed

    @property
    def worst(self) -> WorstGap:
        """The group and time of the largest gap."""
        place = int(np.nanargmax(np.abs(self.gaps)))
        group, k = divmod(place, len(self.times))
        return WorstGap(group, float(self.times[k]), float(self.gaps[group, k]))

    @property
    def p_value(self) -> float:
        """The p-value of all groups together: the smallest of Holm's."""
        known = self.p_values[~np.isnan(self.p_values)]
        return float(known.min()) if known.size else float("nan")

    def standard_errors(self, survival: Float) -> Float:
        """Return the standard errors of ``observed`` if *survival* were true, (G, T).

        NaN where nothing was seen; unlike ``variances`` not 0 where all survived.
        """
        return np.sqrt(survival**2 * variance_of_log(survival, self.subjects))

    @property
    def noise(self) -> float:
        """What right curves are expected to have: the mean variance of observed."""
        return float(np.nanmean(self.variances))


def risk_calibration(
    y: Any,
    curves: SurvivalCurves,
    *,
    risk: ArrayLike | None = None,
    n_groups: int = 5,
    times: ArrayLike | None = None,
    coverage: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> RiskCalibrationResult:
    """Compare observed with predicted survival in groups of predicted risk.

    Averages over all subjects can be right while those at highest risk are told too
    much and those at lowest risk too little. The subjects are sorted by risk and cut
    into groups of similar size. With O the Kaplan–Meier survival in a group and E its
    mean predicted survival, the number is

        1/(G·T) Σ_g Σ_k (O_gk − E_gk)²   over G groups and T times.

    O varies by chance, so right curves do not have 0 but about ``noise``, the mean
    variance of O. It is not subtracted: the difference would be negative half of the
    time, and between two models of the same subjects it cancels.

    *The test.* In each group survival from one time to the next is compared with the
    predicted one by χ², with the variance that right predictions imply and Greenwood's
    effective number of subjects; stretches in which fewer than 5 events or survivors
    are expected are joined. Right curves fail it in one group or more at most 5 times
    in 100, or hardly more (simulated; see docs/metrics.md).
    Censoring that depends on risk within a group shifts O; more groups help.

    Where nobody of a group was under observation until a time, O is not known; the
    place is left out and ``observed`` is NaN there. One `CalibrationWarning` tells of
    it if the times were given, or if nothing is left of the group.

    Equal risks are never split; there are fewer groups than asked for where they leave
    no more, or where these would have fewer than 20 subjects or 10 events on average.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    risk : array-like of shape (n,), optional
        What to group by, higher = earlier, −inf = never; by default minus the medians
        of *curves*. To compare two models in the same groups give both the same.
    n_groups : int
        The number of groups wanted.
    times : array-like of shape (T,), optional
        Times > 0 of the comparison, up to the last observed one. By default the times
        by which 25, 50, 75 and 90 % of the events had been observed.
    coverage : float
        Of the intervals of observed survival.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.
        Intervals and tests take the sum of weights for the number of subjects.

    Returns
    -------
    RiskCalibrationResult

    Raises
    ------
    InvalidInput
        If there is no event, not one curve and risk per subject, or a time past the
        last observed one.

    References
    ----------
    D'Agostino and Nam (2003), Handbook of Statistics 23; Kalbfleisch and Prentice
    (2002), section 1.4, for variance and interval; Holm (1979), Scandinavian Journal
    of Statistics 6(2).

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([5.0], [[0.4]] * 20 + [[0.8]] * 20)
    >>> time = np.tile(np.arange(1.0, 21), 2)
    >>> result = risk_calibration((time > 0, time), curves, n_groups=2, times=[5.0])
    >>> result.observed[:, 0], result.predicted[:, 0]
    (array([0.75, 0.75]), array([0.4, 0.8]))
    >>> round(float(result), 4), result.worst.group, round(result.worst.gap, 2)
    (0.0625, 0, -0.35)
    """
    everybody = Outcome.of(y).weighted(sample_weight)
    outcome, curves = check_weighted(y, curves, sample_weight)
    if risk is not None:
        risk = of_counted(risk, everybody)
    when = times_of_events(outcome) if times is None else as_times(times, outcome)
    result = risk_calibration_of_survival(
        outcome,
        curves.survival_at(when),
        curves.survival_at_observed(outcome.time),
        risk=-curves.median() if risk is None else risk,
        times=when,
        n_groups=n_groups,
        coverage=coverage,
        stored=curves._form.dtype,
    )
    _say_left_out(result, asked=times is not None)
    return result


def risk_calibration_of_survival(
    y: Outcome,
    survival: Float,
    at_observed: Float,
    *,
    risk: ArrayLike,
    times: Float,
    n_groups: int = 5,
    coverage: float = 0.95,
    stored: DTypeLike = np.float64,
) -> RiskCalibrationResult:
    """Do what :func:`risk_calibration` does with all that it reads of the curves.

    Parameters
    ----------
    y : Outcome
    survival : array of shape (n, T)
        S(t | x_i) at *times*.
    at_observed : array of shape (n,)
        S(t_i | x_i) at the subjects' own times.
    risk, times, n_groups, coverage
        As there; *times* ascend.
    stored : dtype
        Of the curves, which says how exact *at_observed* is.

    Returns
    -------
    RiskCalibrationResult

    Examples
    --------
    >>> y = Outcome(time=[1, 2], event=[1, 1])
    >>> found = risk_calibration_of_survival(
    ...     y,
    ...     np.array([[0.4], [0.4]]),
    ...     np.array([0.4, 0.2]),
    ...     risk=[0, 0],
    ...     times=np.array([1.0]),
    ... )
    >>> round(float(found), 4)
    0.01
    """
    check_params({"n_groups": n_groups, "coverage": coverage}, _RULES)
    check_events(y)
    scores = as_risk(risk)
    check_same_length(y=len(y), risk=len(scores))
    order = np.argsort(-scores, kind="stable")
    weight = None if y.weight is None else y.weight[order]
    bounds = group_bounds(-scores[order], _n_groups(y, n_groups), weight)
    parts = [order[slice(*ends)] for ends in pairwise(bounds)]
    found = compare_parts(y, survival, at_observed, parts, times, coverage, stored)
    return RiskCalibrationResult(**found)


def compare_parts(
    y: Outcome,
    survival: Float,
    at_observed: Float,
    parts: Sequence[Index],
    times: Float,
    coverage: float = 0.95,
    stored: DTypeLike = np.float64,
) -> dict[str, Any]:
    """Return what a `RiskCalibrationResult` holds, of any groups of rows, by name."""
    seen = [observe(y[rows], times, coverage) for rows in parts]
    observed, predicted = (
        np.stack([group.survival for group in seen]),
        np.stack([_mean(survival[rows], y[rows].weight) for rows in parts]),
    )
    tests = np.array(
        [survival_test(*pair) for pair in zip(seen, predicted, strict=True)]
    )
    d_cals = [
        d_calibration_of_survival(
            at_observed[rows], y.event[rows], stored=stored, weight=y[rows].weight
        )
        for rows in parts
    ]
    return {
        "value": float(np.nanmean((observed - predicted) ** 2)),
        "times": times.copy(),
        "sizes": np.array([y[rows].total_weight for rows in parts]),
        "events": np.array([_events(y[rows]) for rows in parts]),
        "observed": observed,
        "lower": np.stack([group.lower for group in seen]),
        "upper": np.stack([group.upper for group in seen]),
        "predicted": predicted,
        "variances": np.stack([group.variance for group in seen]),
        "subjects": np.stack([group.subjects for group in seen]),
        "statistics": tests[:, 0],
        "p_values": holm(tests[:, 1]),
        "d_cal": np.array([float(result) for result in d_cals]),
        "d_cal_p_values": np.array([result.p_value for result in d_cals]),
    }


def times_of_events(y: Outcome) -> Float:
    """Return the times by which 25, 50, 75 and 90 % of the events had been observed.

    The last one is there because predictions for those at high risk tend to go wrong
    late, when most of them are gone.

    Examples
    --------
    >>> y = Outcome(time=[1, 2, 3, 4, 5, 6], event=[1, 1, 1, 1, 0, 1])
    >>> times_of_events(y)
    array([2., 3., 4., 6.])
    """
    shares, seen = np.array([0.25, 0.5, 0.75, 0.9]), y[y.event]
    found: Float
    if seen.weight is None:
        found = np.unique(np.quantile(seen.time, shares, method="inverted_cdf"))
        return found
    order = np.argsort(seen.time)
    reached = np.cumsum(seen.weight[order])
    # The first time by which the share is there, but for the rounding of sums.
    place = np.searchsorted(reached, shares * reached[-1] * (1 - 1e-12))
    found = np.unique(seen.time[order][place])
    return found


def _mean(survival: Float, weight: Float | None) -> Float:
    mean: Float = survival.mean(axis=0)
    if weight is not None:
        mean = weight @ survival / weight.sum()
    return mean


def _events(y: Outcome) -> float:
    return y[y.event].total_weight


def as_times(times: ArrayLike, y: Outcome) -> Float:
    """Return times of a comparison, ascending, that somebody was observed until."""
    when: Float = np.unique(as_floats(times, "times"))
    last = float(y.time.max())
    if when.size == 0 or when[0] <= 0 or when[-1] > last:
        raise InvalidInput(
            f"times must lie in (0, {last:g}], the last observed time, got "
            f"{f'{when[0]:g} to {when[-1]:g}' if when.size else 'none'}; nothing was "
            "observed elsewhere"
        )
    return when


def _n_groups(y: Outcome, wanted: int) -> int:
    """Return how many groups the subjects and the events allow, at least 1."""
    sizes = y.total_weight // _SUBJECTS_PER_GROUP, _events(y) // _EVENTS_PER_GROUP
    possible = min(*sizes, len(y))
    return max(1, min(wanted, int(possible)))


def _say_left_out(result: RiskCalibrationResult, *, asked: bool) -> None:
    """Warn of what was asked for and not observed, and of groups never seen."""
    missing = np.isnan(result.observed)
    groups = np.flatnonzero(missing.any(axis=1) if asked else missing.all(axis=1))
    if groups.size:
        first = float(result.times[missing[groups].any(axis=0)][0])
        warn(
            f"in {groups.size} of {result.n_groups} groups of risk (number "
            f"{', '.join(map(str, groups + 1))}, 1 is the highest) nobody was under "
            f"observation until time {first:g}; what they would have shown from there "
            "on is left out. Earlier times or fewer groups avoid this"
        )


RISK_CAL = Metric(
    "risk_calibration",
    "Risk-cal",
    "probabilities within groups of predicted risk; 0 is perfect",
    risk_calibration,
    title="Calibration by risk",
)
