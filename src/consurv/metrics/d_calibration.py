"""Distribution calibration: survival probabilities at the events are uniform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy.stats import chi2

from consurv._checks import Bool, Float, Index
from consurv._params import AtLeast, check_params
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.metrics._inputs import check_weighted
from consurv.metrics.facts import Metric
from consurv.metrics.results import MetricResult

__all__ = [
    "D_CAL",
    "DCalibrationResult",
    "d_calibration",
    "d_calibration_of_survival",
]


@dataclass(frozen=True, eq=False)
class DCalibrationResult(MetricResult):
    """What :func:`d_calibration` returns; ``float()`` is the paper's D-cal.

    Attributes
    ----------
    value : float
        Mean of (cumulative − level)² over the levels; 0 is perfect.
    levels : array of shape (n_bins - 1,)
        The percentile levels ρ between the bins, ascending.
    cumulative : array of shape (n_bins - 1,)
        Share of the subjects with S(t_i) ≤ ρ, the censored split. Below ``levels``:
        the events come earlier than the curves say, which are too optimistic.
    histogram : array of shape (n_bins,)
        Expected number of subjects in each bin (a, b] of probability, from the
        lowest, which holds 0 too, to the highest.
    statistic : float
        χ² of the histogram against n / n_bins subjects in every bin.
    p_value : float
        Probability of a larger statistic under χ² with n_bins − 1 degrees of freedom.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([20.0], [[0.0]] * 4)  # twice too optimistic
    >>> found = d_calibration(([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0]), curves, n_bins=4)
    >>> found.histogram, found.cumulative
    (array([0., 0., 2., 2.]), array([0. , 0. , 0.5]))
    >>> round(float(found), 3), round(found.p_value, 3)
    (0.125, 0.261)
    """

    levels: Float
    cumulative: Float
    histogram: Float
    statistic: float
    p_value: float


def d_calibration(
    y: Any,
    curves: SurvivalCurves,
    *,
    n_bins: int = 10,
    sample_weight: ArrayLike | None = None,
) -> DCalibrationResult:
    """Measure how far the survival probabilities at the events are from uniform.

    If the curves are right, S(T_i | x_i) is uniform on (0, 1), so the share of
    subjects with S(T_i | x_i) ≤ ρ is ρ. A subject with an event counts 1 at the levels
    ρ ≥ S(t_i | x_i). A censored one counts the probability of this given survival of
    c_i, which is min(1, ρ / S(c_i | x_i)), and 1 where S(c_i | x_i) = 0. D-cal is the
    mean of the squared differences between share and level over ρ = 1/n_bins, …,
    1 − 1/n_bins (0.1, …, 0.9 by default). The right curves have the expectation
    mean(ρ(1 − ρ))/n without censoring.

    The χ² test takes split subjects for whole ones, so with censoring it rejects less
    often than its level says, and it wants at least about 5 subjects per bin. With
    weights it takes their sum for the number of subjects.

    Parameters
    ----------
    y : structured array, DataFrame, pair (event, time) or Outcome
        Outcomes of n ≥ 2 subjects.
    curves : SurvivalCurves
        The predicted curves of the same n subjects.
    n_bins : int
        Number of bins of equal width, ≥ 2.
    sample_weight : array-like of shape (n,), optional
        How many subjects each stands for, as if its row were repeated so often.

    Returns
    -------
    DCalibrationResult

    Raises
    ------
    InvalidInput
        If there are fewer than two subjects, no event, or not one curve per subject.

    References
    ----------
    Haider, Hoehn, Davis and Greiner (2020), JMLR 21(85); Qi, Yu and Greiner (2024),
    ICML, section 4.2 and appendix A.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> result = d_calibration(([1, 1, 1, 1], [1.0, 4.0, 6.0, 9.0]), curves, n_bins=4)
    >>> result.histogram
    array([1., 1., 1., 1.])
    >>> float(result), round(result.p_value, 3)
    (0.0, 1.0)
    """
    check_params({"n_bins": n_bins}, {"n_bins": AtLeast(2)})
    outcome, curves = check_weighted(y, curves, sample_weight)
    n = len(outcome)
    if n < 2:
        raise InvalidInput(f"y has {n} subject; d_calibration needs at least 2")
    survival = curves.survival_at_observed(outcome.time)
    return d_calibration_of_survival(
        survival,
        outcome.event,
        n_bins=n_bins,
        stored=curves._form.dtype,
        weight=outcome.weight,
    )


def d_calibration_of_survival(
    survival: Float,
    event: Bool,
    *,
    n_bins: int = 10,
    stored: DTypeLike = np.float64,
    weight: Float | None = None,
) -> DCalibrationResult:
    """Do what :func:`d_calibration` does with S(t_i | x_i) of n subjects.

    Parameters
    ----------
    survival : array of shape (n,)
    event : array of shape (n,)
    n_bins : int
    stored : dtype
        Of the curves, which says how exact *survival* is.
    weight : array of shape (n,), optional
        What each subject counts.

    Returns
    -------
    DCalibrationResult

    Examples
    --------
    >>> survival, event = np.array([0.2, 0.6]), np.array([True, True])
    >>> d_calibration_of_survival(survival, event, n_bins=2).histogram
    array([1., 1.])
    """
    n = survival.size if weight is None else float(weight.sum())
    levels = np.arange(1, n_bins) / n_bins
    bins = _bins(survival, levels, stored)
    counts = _cumulative_counts(survival, event, levels, bins, weight)
    histogram = np.diff(counts, prepend=0.0, append=float(n))
    cumulative = counts / n
    expected = n / n_bins
    statistic = float(np.sum((histogram - expected) ** 2) / expected)
    return DCalibrationResult(
        value=float(np.mean((cumulative - levels) ** 2)),
        levels=levels,
        cumulative=cumulative,
        histogram=histogram,
        statistic=statistic,
        p_value=float(chi2.sf(statistic, n_bins - 1)),
    )


def _bins(survival: Float, levels: Float, stored: DTypeLike) -> Index:
    """Return the bin (a, b] that each probability lies in, 0 in the lowest.

    An event exactly at a percentile time has S(t) = ρ and belongs to the bin below ρ,
    but rounding may lift S(t) by a few units of the last place of the type in which
    the curve is stored. The guard is relative: above rounding, and far below any
    difference that a model means.
    """
    guard = max(1e-12, 4 * float(np.finfo(np.dtype(stored)).eps))
    return np.searchsorted(levels * (1 + guard), survival, side="left")


def _cumulative_counts(
    survival: Float, event: Bool, levels: Float, bins: Index, weight: Float | None
) -> Float:
    """Sum what all subjects count at each level.

    The sum of min(1, ρ / S) at a level is the number of subjects in the bins up to it
    and ρ times the sum of 1 / S in those above.
    """
    n_bins = len(levels) + 1
    reached = np.bincount(bins, weight, minlength=n_bins).cumsum()[:-1]
    # No level is below the lowest bin, so S = 0 is never divided by.
    split = ~event & (bins > 0)
    own = 1.0 if weight is None else weight[split]
    inverse = np.bincount(bins[split], own / survival[split], minlength=n_bins)
    above = inverse[::-1].cumsum()[::-1][1:]
    counts: Float = reached + levels * above
    return counts


D_CAL = Metric(
    "d_calibration",
    "D-cal",
    "probabilities over all levels; 0 is perfect",
    d_calibration,
)
