"""Calibration by group: observed and predicted survival in groups that have labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from consurv._checks import Float, check_same_length
from consurv._labels import Label, Labels, as_labels, codes_of, known_labels
from consurv._params import Between, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.metrics._inputs import check_weighted
from consurv.metrics.facts import Metric
from consurv.metrics.risk_calibration import (
    RiskCalibrationResult,
    as_times,
    compare_parts,
    times_of_events,
)
from consurv.outcome import Outcome

__all__ = [
    "GROUP_CAL",
    "GroupCalibrationResult",
    "group_calibration",
    "group_calibration_of_survival",
    "labels_of_counted",
]


@dataclass(frozen=True, eq=False)
class GroupCalibrationResult(RiskCalibrationResult):
    """What :func:`group_calibration` returns: as by risk, but groups have labels.

    Attributes
    ----------
    labels : tuple of G labels
        Of the groups, in ascending order; all other attributes are those of
        :class:`RiskCalibrationResult`.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> y = ([1, 1, 1, 1], [4.0, 6.0, 8.0, 9.0])
    >>> found = group_calibration(y, curves, groups=["a", "a", "b", "b"], times=[5.0])
    >>> found.labels, found.observed.ravel(), found.predicted.ravel()
    (('a', 'b'), array([0.5, 1. ]), array([0.5, 0.5]))
    >>> found.worst_label
    'b'
    """

    labels: tuple[Label, ...]

    @property
    def errors(self) -> Float:
        """Mean squared gap of each group over the times, (G,)."""
        found: Float = np.nanmean(self.gaps**2, axis=1)
        return found

    @property
    def worst_label(self) -> Label:
        """The group with the largest mean squared gap."""
        return self.labels[int(np.nanargmax(self.errors))]


def group_calibration(
    y: Any,
    curves: SurvivalCurves,
    *,
    groups: ArrayLike,
    times: ArrayLike | None = None,
    coverage: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> GroupCalibrationResult:
    """Compare observed with predicted survival in groups of your own.

    What :func:`risk_calibration` does in groups of risk, here in sites, sexes or any
    other groups, with the same number, intervals and tests:

        1/(G·T) Σ_g Σ_k (O_gk − E_gk)²   over G groups and T times.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    groups : array-like of shape (n,)
        The label of each subject's group, text or a number.
    times : array-like of shape (T,), optional
        As in :func:`risk_calibration`: those by which 25, 50, 75 and 90 % of all events
        had been observed.
    coverage : float
        Of the intervals of observed survival.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for.

    Returns
    -------
    GroupCalibrationResult

    Raises
    ------
    InvalidInput
        If there is no event, not one curve and label for each subject, a label is
        missing, or a time lies past the last observed one.

    Examples
    --------
    >>> curves = SurvivalCurves([5.0], [[0.4]] * 20 + [[0.8]] * 20)
    >>> time, site = np.tile(np.arange(1.0, 21), 2), np.repeat(["a", "b"], 20)
    >>> found = group_calibration((time > 0, time), curves, groups=site, times=[5.0])
    >>> found.observed[:, 0], found.predicted[:, 0], found.worst_label
    (array([0.75, 0.75]), array([0.4, 0.8]), 'a')
    """
    labels = labels_of_counted(groups, Outcome.of(y).weighted(sample_weight))
    outcome, curves = check_weighted(y, curves, sample_weight)
    when = times_of_events(outcome) if times is None else as_times(times, outcome)
    return group_calibration_of_survival(
        outcome,
        curves.survival_at(when),
        curves.survival_at_observed(outcome.time),
        groups=labels,
        times=when,
        coverage=coverage,
        stored=curves._form.dtype,
    )


def labels_of_counted(groups: ArrayLike, y: Outcome) -> Labels:
    """Return the labels of those who weigh more than nothing."""
    labels = as_labels(groups)
    check_same_length(y=len(y), groups=len(labels))
    return labels if y.counted is None else labels[y.counted]


def group_calibration_of_survival(
    y: Outcome,
    survival: Float,
    at_observed: Float,
    *,
    groups: Labels,
    times: Float,
    coverage: float = 0.95,
    stored: DTypeLike = np.float64,
) -> GroupCalibrationResult:
    """Do what :func:`group_calibration` does with all that it reads of the curves.

    Parameters
    ----------
    y, survival, at_observed, times, coverage, stored
        As in :func:`~consurv.metrics.risk_calibration.risk_calibration_of_survival`.
    groups : array of labels of shape (n,)
    """
    check_params({"coverage": coverage}, {"coverage": Between(0, 1)})
    check_same_length(y=len(y), groups=len(groups))
    labels = known_labels(groups)
    codes = codes_of(groups, labels)
    parts = [np.flatnonzero(codes == g) for g in range(len(labels))]
    found = compare_parts(y, survival, at_observed, parts, times, coverage, stored)
    return GroupCalibrationResult(**found, labels=labels)


GROUP_CAL = Metric(
    "group_calibration",
    "Group-cal",
    "probabilities within groups of subjects; 0 is perfect",
    group_calibration,
    title="Calibration by group",
)
