"""The verdict of a report: what calibration did, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consurv.metrics.d_calibration import DCalibrationResult
from consurv.metrics.risk_calibration import RiskCalibrationResult
from consurv.report.bootstrap import Estimate
from consurv.report.by_risk import Harm, harms

__all__ = ["FEW_EVENTS", "Both", "Kind", "Verdict", "largest_gap", "verdict"]

Both = tuple[RiskCalibrationResult, RiskCalibrationResult]
Kind = Literal[
    "calibrated already",
    "calibrated now",
    "uneven",
    "improved",
    "unchanged",
    "unclear",
    "worse",
    "too few",
]

SIGNIFICANCE = 0.05
# Shares within this distance of their level do not matter, whatever the test says.
NEGLIGIBLE_GAP = 0.01
# Below the first nothing is said; below the second only that something is off.
FEWEST_EVENTS, FEW_EVENTS = 20, 50
_SMALL_C_INDEX = 0.005
# Noncentrality at which χ² with 9 degrees of freedom rejects at 0.05 in 80 %.
_NOTICED = 15.6

# That of "unclear" depends on which curves passed.
_HEADLINES: dict[Kind, str] = {
    "calibrated already": "The raw curves were calibrated already",
    "calibrated now": "The raw curves were off; they are calibrated now",
    "uneven": "Calibrated on average, but worse for some",
    "improved": "Calibration improved, but the curves are still off",
    "unchanged": "The curves were off and still are",
    "worse": "The adjustment made calibration worse",
    "too few": "Too few subjects to tell",
}


@dataclass(frozen=True)
class Verdict:
    """What :func:`verdict` returns.

    Attributes
    ----------
    kind : str
        One of the few things that can have happened.
    headline : str
    reasons : tuple of str
        Sentences with the numbers behind it.
    """

    kind: Kind
    headline: str
    reasons: tuple[str, ...]


def verdict(
    before: DCalibrationResult,
    after: DCalibrationResult,
    d_cal_change: Estimate,
    c_index_change: Estimate,
    n_events: int,
    by_risk: Both | None = None,
    by_group: Both | None = None,
) -> Verdict:
    """Decide what calibration did, from D-calibration tests and bootstrap intervals.

    Curves count as calibrated if the χ² test of D-calibration does not reject them at
    0.05, or if no share is further than 0.01 from its level, which is too little to
    matter however sure it is. With fewer than 20 events nothing is decided, with fewer
    than 50 (5 in each of 10 bins) nothing is made of passing the test. Where the test
    changes its mind but the interval of the change in D-cal holds 0, it is unclear.
    Nothing is called calibrated while a group has become clearly worse, see
    :func:`~consurv.report.by_risk.clearly_worse`.

    Parameters
    ----------
    before, after : DCalibrationResult
        Of the raw and of the calibrated curves, on the same subjects.
    d_cal_change, c_index_change : Estimate
        Calibrated minus raw.
    n_events : int
        Subjects with an event.
    by_risk : pair of RiskCalibrationResult, optional
        Of the raw and of the calibrated curves, in the same groups.
    by_group : pair of GroupCalibrationResult, optional
        The same in groups that have labels.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from consurv.curves.curves import SurvivalCurves
    >>> from consurv.metrics import d_calibration
    >>> time = np.arange(1, 200)
    >>> long, good = (SurvivalCurves([t], np.zeros((199, 1))) for t in (400.0, 200.0))
    >>> before, after = (d_calibration((time > 0, time), c) for c in (long, good))
    >>> change = Estimate(-0.1, -0.12, -0.08)
    >>> verdict(before, after, change, Estimate(0, 0, 0), n_events=199).headline
    'The raw curves were off; they are calibrated now'
    """
    kind = _kind(before, after, d_cal_change, n_events)
    tables = {"group of risk": by_risk, "other group": by_group}
    by = {
        what: harms(*both)
        for what, both in tables.items()
        if both is not None and kind != "too few"
    }
    harmed = [harm for found in by.values() for harm in found]
    if harmed and is_calibrated(after):
        kind = "uneven"
    n = float(before.histogram.sum())
    return Verdict(
        kind,
        _headline(kind, before, harmed),
        (
            f"Raw curves: {_state(before)}.",
            f"Calibrated curves: {_state(after)}.",
            _change(d_cal_change),
            *_by_groups(by, alone=by_risk is None or by_risk[0].n_groups == 1),
            *_doubt(kind, n, n_events),
            _ranking(c_index_change),
        ),
    )


def is_calibrated(result: DCalibrationResult) -> bool:
    """Say whether the test accepts the curves, or what it found does not matter."""
    return result.p_value >= SIGNIFICANCE or largest_gap(result) <= NEGLIGIBLE_GAP


def largest_gap(result: DCalibrationResult) -> float:
    """Return the largest distance of a share from its level."""
    return float(np.abs(result.cumulative - result.levels).max())


def _kind(
    before: DCalibrationResult,
    after: DCalibrationResult,
    change: Estimate,
    n_events: int,
) -> Kind:
    was, now = is_calibrated(before), is_calibrated(after)
    if n_events < FEWEST_EVENTS or (n_events < FEW_EVENTS and was and now):
        return "too few"
    if was and now:
        return "calibrated already"
    if was:
        return "worse" if change.is_above(0) else "unclear"
    if now:
        return "calibrated now" if change.is_below(0) else "unclear"
    if change.is_below(0):
        return "improved"
    return "worse" if change.is_above(0) else "unchanged"


def _headline(kind: Kind, before: DCalibrationResult, harmed: list[Harm]) -> str:
    """Return the headline; it never contradicts what the tests say below it."""
    if kind == "uneven":
        return f"{_HEADLINES[kind]}: {' and '.join(harm.who for harm in harmed)}"
    if kind == "unclear":
        test = (
            "Only the raw curves pass the test"
            if is_calibrated(before)
            else "The raw curves were off and the calibrated ones pass the test"
        )
        return f"{test}, but chance alone may explain the change"
    return _HEADLINES[kind]


def _by_groups(by: Mapping[str, list[Harm]], *, alone: bool) -> list[str]:
    """Say what became of groups; of those of risk nothing if there is one alone."""
    said = []
    for what, harmed in by.items():
        said += [f"Clearly worse off is {harm}." for harm in harmed]
        if not harmed and not (alone and what == "group of risk"):
            said.append(f"No {what} has become clearly worse.")
    return said


def _state(result: DCalibrationResult) -> str:
    """Say how the curves of one kind did in the test."""
    gap = f"largest gap between predicted and observed share {largest_gap(result):.1%}"
    p = "p < 0.001" if result.p_value < 0.001 else f"p = {result.p_value:.2g}"
    if result.p_value >= SIGNIFICANCE:
        return f"consistent with calibration ({p}; {gap})"
    if is_calibrated(result):
        return f"off by too little to matter ({p}; {gap})"
    return f"{_direction(result)} ({p}; {gap})"


def _direction(result: DCalibrationResult) -> str:
    """Say in which way curves are off."""
    gaps = result.cumulative - result.levels
    if abs(gaps.mean()) >= 0.5 * np.abs(gaps).mean():
        return (
            "too optimistic, events come earlier than they say"
            if gaps.mean() < 0
            else "too pessimistic, events come later than they say"
        )
    # Too many subjects at both ends, or too few.
    early, late = np.array_split(gaps, 2)
    return (
        "too sure of themselves, events come both earlier and later than they allow"
        if early.mean() > late.mean()
        else "too vague, events come closer to the middle than they say"
    )


def _change(change: Estimate) -> str:
    if not change.has_interval:
        return "The sample is too small for a bootstrap interval of the change."
    if change.is_below(0):
        return "D-cal fell by more than chance explains."
    if change.is_above(0):
        return "D-cal rose by more than chance explains."
    return "D-cal changed by no more than chance explains."


def _doubt(kind: Kind, n: float, n_events: int) -> tuple[str, ...]:
    """Say what passing the test on so many subjects is worth."""
    if kind == "too few":
        return (
            f"Only {n_events} events were observed. The test wants at least "
            f"{FEW_EVENTS}, 5 in each of 10 bins; passing it with fewer says little.",
        )
    if kind not in ("calibrated already", "calibrated now", "uneven", "unclear"):
        return ()
    off = np.sqrt(_NOTICED / n)
    return (
        f"With {n:,.0f} subjects the test would notice (4 times in 5) bins whose share "
        f"is off by {off:.0%} of what it should be; smaller faults may remain.",
    )


def _ranking(change: Estimate) -> str:
    moved = f"{abs(change.value):.4f}"
    if moved == "0.0000":
        return "The ranking of subjects was kept (C-index the same to four digits)."
    verb = "fell" if change.value < 0 else "rose"
    if not (change.is_below(0) or change.is_above(0)):
        return f"The ranking was kept (the C-index {verb} by {moved}, within chance)."
    if abs(change.value) < _SMALL_C_INDEX:
        return f"The ranking was all but kept (the C-index {verb} by {moved})."
    quality = "worse" if change.value < 0 else "better"
    return f"The ranking got {quality}: the C-index {verb} by {moved}."
