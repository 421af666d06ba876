"""Whom calibration has made worse off: raw and calibrated curves, group by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Bool, Float
from consurv._labels import told_groups
from consurv.metrics.group_calibration import GroupCalibrationResult
from consurv.metrics.risk_calibration import RiskCalibrationResult

__all__ = [
    "Harm",
    "clearly_worse",
    "digits_for",
    "group_name",
    "group_names",
    "harms",
    "negligible_gap",
    "percents",
]

# A gap that is smaller, or grew by less, does not matter, however sure it is. Where
# events are rare it is a large part of the risk: there a tenth of that counts.
_NEGLIGIBLE, _PART_OF_RISK = 0.02, 0.1
_Z = 1.96
# From so small a risk on, whole percents of survival do not tell it.
_SMALL_RISK, _MOST_DIGITS = 0.05, 3
_PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 10: "tenth"}


@dataclass(frozen=True)
class Harm:
    """A group that calibration has made clearly worse, at its worst time.

    Attributes
    ----------
    who : str
        Such as "the fifth at highest risk", or "the group 'a'".
    time : float
    observed, raw, calibrated : float
        Survival at this time in the group.
    """

    who: str
    time: float
    observed: float
    raw: float
    calibrated: float

    def __str__(self) -> str:
        observed, raw, calibrated = percents(self.observed, self.raw, self.calibrated)
        return (
            f"{self.who}: {observed} survive time {self.time:.4g}, raw said {raw}, "
            f"calibrated says {calibrated}"
        )


def harms(raw: RiskCalibrationResult, calibrated: RiskCalibrationResult) -> list[Harm]:
    """Return the groups that are clearly worse off; of risk, the highest first.

    Parameters
    ----------
    raw, calibrated : RiskCalibrationResult
        Of the same subjects in the same groups at the same times.

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> from consurv.metrics import risk_calibration
    >>> time = np.arange(1.0, 401)
    >>> right, long = (SurvivalCurves([t], np.zeros((400, 1))) for t in (400.0, 600.0))
    >>> both = [risk_calibration((time > 0, time), c) for c in (right, long)]
    >>> for harm in harms(*both):
    ...     print(harm)
    all subjects: 10% survive time 360, raw said 10%, calibrated says 40%
    >>> harms(*both[::-1])
    []
    """
    worse = clearly_worse(raw, calibrated)
    growth = np.abs(calibrated.gaps) - np.abs(raw.gaps)
    names, found = group_names(raw), []
    for group in np.flatnonzero(worse.any(axis=1)):
        k = int(np.argmax(np.where(worse[group], growth[group], -np.inf)))
        found.append(
            Harm(
                names[group],
                float(raw.times[k]),
                observed=float(raw.observed[group, k]),
                raw=float(raw.predicted[group, k]),
                calibrated=float(calibrated.predicted[group, k]),
            )
        )
    return found


def clearly_worse(
    raw: RiskCalibrationResult, calibrated: RiskCalibrationResult
) -> Bool:
    """Say in which groups and at which times calibration has done clear harm, (G, T).

    Three things must hold at once:

    - The calibrated survival lies outside the 95 % interval of the observed one.
    - It is further from it than the raw one was, by more than the standard error of
      what was observed and by more than is negligible: 0.02, or a tenth of the risk
      where that is less.
    - The truth lies on the raw side. (C − μ)² > (R − μ)² says that μ lies on R's side
      of the middle between C and R, so observed survival is tested against that
      middle, with the variance that it would have there: z ≥ 1.96. Without this, noise
      in what was observed would often decide between two equally wrong predictions.
    """
    r, c, observed = raw.predicted, calibrated.predicted, raw.observed
    standard_error = np.sqrt(raw.variances)
    growth = np.abs(c - observed) - np.abs(r - observed)
    outside = (c < raw.lower) | (c > raw.upper)
    least = np.maximum(standard_error, negligible_gap(observed, r, c))
    # NaN, where nothing was seen, compares as False.
    return outside & (growth > least) & (_towards_raw(r, c, raw) >= _Z)


def negligible_gap(*survival: Float) -> Float:
    """Return the gap that does not matter: 0.02, or a tenth of the risk if it is less.

    The risk is the largest that was seen or said, NaN apart.

    Examples
    --------
    >>> negligible_gap(np.array([0.5, 0.98]), np.array([0.6, 0.99]))
    array([0.02 , 0.002])
    """
    risk: Float = 1 - np.fmin.reduce(survival)
    return np.minimum(_NEGLIGIBLE, _PART_OF_RISK * risk)


def percents(*survival: float) -> list[str]:
    """Write probabilities of survival with as many digits as small risks need.

    Examples
    --------
    >>> percents(0.25, 0.5), percents(0.997, 0.994, 0.979)
    (['25%', '50%'], ['99.70%', '99.40%', '97.90%'])
    """
    digits = digits_for(*survival)
    return [f"{value:.{digits}%}" for value in survival]


def digits_for(*survival: float) -> int:
    """Return how many digits of a percent are to be told of survival.

    Examples
    --------
    >>> digits_for(0.5), digits_for(0.98), digits_for(0.98, 0.997), digits_for(1.0)
    (0, 1, 2, 0)
    """
    # What is left by rounding is no risk.
    risks = [1 - s for s in survival if 1 - s > 10.0 ** -(_MOST_DIGITS + 2)]
    if not risks:
        return 0
    return int(np.clip(np.ceil(np.log10(_SMALL_RISK / min(risks))), 0, _MOST_DIGITS))


def group_names(result: RiskCalibrationResult) -> list[str]:
    """Name the groups of a result: by their labels, or by risk."""
    if isinstance(result, GroupCalibrationResult):
        return [told_groups([label]) for label in result.labels]
    return [group_name(group, result.n_groups) for group in range(result.n_groups)]


def group_name(group: int, n_groups: int) -> str:
    """Name a group, 0 being the highest risk.

    Examples
    --------
    >>> group_name(0, 5), group_name(2, 5), group_name(4, 5)
    ('the fifth at highest risk', 'the third fifth by risk', 'the fifth at lowest risk')
    >>> group_name(0, 1), group_name(6, 7)
    ('all subjects', 'the group at lowest risk of 7')
    """
    if n_groups == 1:
        return "all subjects"
    part = _PARTS.get(n_groups, "group")
    rest = "" if n_groups in _PARTS else f" of {n_groups}"
    if group in (0, n_groups - 1):
        return f"the {part} at {'lowest' if group else 'highest'} risk{rest}"
    ordinal = (
        ("second", "third", "fourth")[group - 1] if group < 4 else f"{group + 1}th"
    )
    return f"the {ordinal} {part}{rest} by risk"


def _towards_raw(r: Float, c: Float, seen: RiskCalibrationResult) -> Float:
    """Return how many standard errors observed survival is on the raw side."""
    middle = (r + c) / 2
    distance: Float = np.sign(c - r) * (middle - seen.observed)
    error = seen.standard_errors(middle)
    # Without an error, where both say 0 or 1, there is nothing between them.
    return np.divide(distance, error, out=np.zeros_like(error), where=error > 0)
