"""The verdict of a report: what calibration did, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consurv.metrics.d_calibration import DCalibrationResult
from consurv.metrics.risk_calibration import RiskCalibrationResult
from consurv.report.bootstrap import Estimate
from consurv.report.by_risk import Harm, harms, negligible_gap

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
# Where events are rare a twentieth of their share counts: censored subjects lie where
# the curves put them, so that no gap is larger than the share of events and its error.
NEGLIGIBLE_GAP, _PART_OF_EVENTS = 0.01, 0.05
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
    overall: Both | None = None,
    risk_cal_change: Estimate | None = None,
) -> Verdict:
    """Decide what calibration did, from tests and bootstrap intervals.

    Curves count as calibrated if three tests accept them: that of D-calibration and,
    which see rare events, those of survival against Kaplan–Meier of all subjects and in
    groups of risk. Each rejects at a third of 0.05, so that right curves fail in 5 % at
    most, and forgives what is too little to matter however sure it is: shares within
    0.01 of their levels (a twentieth of the share of events, if that is less), and
    survival within 0.02 of the observed one (a tenth of the risk). With fewer than 20
    events nothing is decided, with fewer than 50 (5 in each of 10 bins) nothing is made
    of passing the tests. Where these change their mind but the interval of the change
    holds 0, it is unclear; the change is that of D-cal, or of calibration by risk where
    D-calibration rejects nothing. Nothing is called calibrated while a group has become
    clearly worse, see :func:`~consurv.report.by_risk.clearly_worse`.

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
        The same in groups that have labels; it takes no part in the tests.
    overall : pair of RiskCalibrationResult, optional
        The same of all subjects together. The tests that are not given leave their
        share of 0.05 to the others.
    risk_cal_change : Estimate, optional
        Calibrated minus raw, of calibration by risk.

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
    n = float(before.histogram.sum())
    share = _share_of_events(n, n_events, by_risk)
    tests = [both for both in (overall, by_risk) if both is not None]
    raw, calibrated = (
        _Seen(result, tuple(both[place] for both in tests), share)
        for place, result in enumerate((before, after))
    )
    change = d_cal_change
    if raw.is_d_calibrated and calibrated.is_d_calibrated and risk_cal_change:
        change = risk_cal_change
    kind = _kind(raw, calibrated, change, n_events)
    tables = {"group of risk": by_risk, "other group": by_group}
    by = {
        what: harms(*both)
        for what, both in tables.items()
        if both is not None and kind != "too few"
    }
    harmed = [harm for found in by.values() for harm in found]
    if harmed and calibrated.on_average:
        kind = "uneven"
    elif harmed and raw.is_calibrated:
        kind = "worse"
    return Verdict(
        kind,
        _headline(kind, raw, harmed),
        (
            f"Raw curves: {_state(raw)}.",
            f"Calibrated curves: {_state(calibrated)}.",
            *_against_observed(raw, calibrated),
            _change(d_cal_change),
            *_by_groups(by, alone=by_risk is None or by_risk[0].n_groups == 1),
            *_doubt(kind, n, n_events),
            _ranking(c_index_change),
        ),
    )


@dataclass(frozen=True)
class _Seen:
    """Curves of one kind and the tests of them: D-calibration, and Kaplan–Meier."""

    d_cal: DCalibrationResult
    observed: tuple[RiskCalibrationResult, ...]
    share: float

    @property
    def level(self) -> float:
        """The level of each test, so that right curves fail one of them in 5 %."""
        return SIGNIFICANCE / (1 + len(self.observed))

    @property
    def is_d_calibrated(self) -> bool:
        """Whether D-calibration accepts the curves."""
        return is_calibrated(self.d_cal, self.share, self.level)

    @property
    def on_average(self) -> bool:
        """Whether the tests of all subjects accept them."""
        return self.is_d_calibrated and all(
            self._follows(found) for found in self.observed if found.n_groups == 1
        )

    @property
    def is_calibrated(self) -> bool:
        """Whether all tests accept them."""
        return self.is_d_calibrated and all(map(self._follows, self.observed))

    def _follows(self, found: RiskCalibrationResult) -> bool:
        # NaN: nothing could be tested.
        return not found.p_value < self.level or _is_close(found)


def _is_close(found: RiskCalibrationResult) -> bool:
    """Say whether predicted survival is off by too little to matter."""
    least = negligible_gap(found.observed, found.predicted)
    return not bool((np.abs(found.gaps) > least).any())  # NaN: nobody knows


def is_calibrated(
    result: DCalibrationResult, share: float = 1.0, level: float = SIGNIFICANCE
) -> bool:
    """Say whether the test accepts the curves, or what it found does not matter.

    Parameters
    ----------
    result : DCalibrationResult
    share : float
        Of subjects with an event.
    level : float
        At which the test rejects.
    """
    negligible = min(NEGLIGIBLE_GAP, _PART_OF_EVENTS * share)
    return result.p_value >= level or largest_gap(result) <= negligible


def _share_of_events(n: float, n_events: int, by_risk: Both | None) -> float:
    """Return the share of subjects with an event, as much as they weigh."""
    if by_risk is None:
        return n_events / n
    return float(by_risk[0].events.sum() / by_risk[0].sizes.sum())


def largest_gap(result: DCalibrationResult) -> float:
    """Return the largest distance of a share from its level."""
    return float(np.abs(result.cumulative - result.levels).max())


def _kind(raw: _Seen, calibrated: _Seen, change: Estimate, n_events: int) -> Kind:
    was, now = raw.is_calibrated, calibrated.is_calibrated
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


def _headline(kind: Kind, raw: _Seen, harmed: list[Harm]) -> str:
    """Return the headline; it never contradicts what the tests say below it."""
    if kind == "uneven":
        return f"{_HEADLINES[kind]}: {' and '.join(harm.who for harm in harmed)}"
    if kind == "unclear":
        tests = "tests" if raw.observed else "test"
        said = (
            f"Only the raw curves pass the {tests}"
            if raw.is_calibrated
            else f"The raw curves were off and the calibrated ones pass the {tests}"
        )
        return f"{said}, but chance alone may explain the change"
    return _HEADLINES[kind]


def _by_groups(by: Mapping[str, list[Harm]], *, alone: bool) -> list[str]:
    """Say what became of groups; of those of risk nothing if there is one alone."""
    said = []
    for what, harmed in by.items():
        said += [f"Clearly worse off is {harm}." for harm in harmed]
        if not harmed and not (alone and what == "group of risk"):
            said.append(f"No {what} has become clearly worse.")
    return said


def _state(seen: _Seen) -> str:
    """Say how the curves of one kind did in the test of D-calibration."""
    result, test = seen.d_cal, "D-calibration" if seen.observed else "calibration"
    gap = f"largest gap between predicted and observed share {largest_gap(result):.1%}"
    p = _p(result.p_value)
    if result.p_value >= seen.level:
        return f"consistent with {test} ({p}; {gap})"
    if seen.is_d_calibrated:
        return f"off by too little to matter ({p}; {gap})"
    return f"{_direction(result)} ({p}; {gap})"


def _against_observed(raw: _Seen, calibrated: _Seen) -> list[str]:
    """Say how curves of both kinds did in the tests against Kaplan–Meier."""
    told = []
    for before, after in zip(raw.observed, calibrated.observed, strict=True):
        whose = "in groups of risk" if before.n_groups > 1 else "of all subjects"
        told.append(
            f"Against Kaplan–Meier {whose}: raw curves {_followed(before, raw.level)}, "
            f"calibrated ones {_followed(after, calibrated.level)}."
        )
    return list(dict.fromkeys(told))  # there may be one group of risk


def _followed(found: RiskCalibrationResult, level: float) -> str:
    if np.isnan(found.p_value):
        return "not tested"
    p = _p(found.p_value)
    if found.p_value >= level:
        return f"consistent with it ({p})"
    if _is_close(found):
        return f"off by too little to matter ({p})"
    gaps = found.gaps[~np.isnan(found.gaps)]
    if abs(gaps.mean()) < 0.5 * np.abs(gaps).mean():
        return f"too optimistic for some and too pessimistic for others ({p})"
    return f"too {'optimistic' if gaps.mean() > 0 else 'pessimistic'} ({p})"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


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
    # Who is censored early tells next to nothing, so that events count.
    off = np.sqrt(_NOTICED / n_events)
    return (
        f"With {n_events:,} events among {n:,.0f} subjects the test would notice (4 "
        f"times in 5) bins whose share is off by {off:.0%} of what it should be; "
        "smaller faults may remain.",
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
