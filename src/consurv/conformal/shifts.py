"""The conformal step: shifts of percentile times from outcomes. Arrays only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Bool, Float, check_same_length
from consurv._params import AtLeast, OneOf, check_params
from consurv._registry import resolve
from consurv.conformal.censoring import RULES, CensoringRule
from consurv.conformal.censoring.base import (
    AnyRule,
    Block,
    LearningRule,
    SweepRule,
)
from consurv.conformal.censoring.kaplan_meier import KaplanMeierRule
from consurv.conformal.descent import descend, start
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import as_percentile_times
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.outcome import Outcome

__all__ = ["ShiftResult", "conformal_shifts", "find_shifts"]


@dataclass(frozen=True)
class ShiftResult:
    """Shifts and what they rest on.

    Attributes
    ----------
    levels, shifts : ndarray of shape (P,)
    n_subjects : ndarray of shape (P,)
        How many subjects count at each level.
    beyond : ndarray of shape (P,) of bool
        Levels with k > N: the shift is the largest score and carries no guarantee.
    n_infinite : int
        Subjects left out at some level because their percentile time is infinite.
    n_conformal : int
        Subjects in the conformal set, whether they count or not.
    identified : ndarray of shape (P,) of bool
        Levels with enough events at or beyond q' (five, or half of the k subjects
        that should be there). At the others the shift rests on how the rule goes on
        where nothing was observed.
    """

    levels: Float
    shifts: Float
    n_subjects: NDArray[np.intp]
    beyond: Bool
    n_infinite: int
    n_conformal: int
    identified: Bool = field(default_factory=lambda: np.ones(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        if self.identified.size != self.levels.size:
            everywhere = np.ones(self.levels.size, dtype=np.bool_)
            object.__setattr__(self, "identified", everywhere)


def conformal_shifts(
    percentile_times: ArrayLike,
    levels: ArrayLike,
    y: Any,
    *,
    censoring: str | AnyRule = "auto",
    n_samples: int | None = None,
    kaplan_meier: KaplanMeier | None = None,
    random_state: int | np.random.Generator | None = None,
) -> Float:
    """Return the shift b(ρ) of every level: the conformal quantile of the scores.

    With scores s_j(ρ) = q(ρ|x_j) − T_j and F their distribution, b(ρ) is the smallest
    s with F(s) ≥ ⌈ρ(N+1)⌉/N. For a conformal set that the model never saw, without
    censoring, P(T ≥ q(ρ|x) − b(ρ)) lies in [ρ, ρ + 1/(N+1)], on average over subjects.

    Parameters
    ----------
    percentile_times : array-like of shape (N, P)
        Raw percentile times of the conformal set. Rows may cross. At a level, rows
        that are +inf are left out.
    levels : array-like of shape (P,)
        Percentile levels in (0, 1), one for each column.
    y : Outcome or anything that ``Outcome.of`` takes
        Outcomes of the conformal set.
    censoring : str or CensoringRule
        What a censored subject contributes: ``"uncensored"`` drops it, ``"margin"``
        and ``"pseudo-observation"`` put it at one time, ``"kaplan-meier"`` spreads it
        over the Kaplan–Meier curve beyond its censoring time. ``"self-consistent"``
        spreads it over its own adjusted curve, ``"local"`` over the Kaplan–Meier curve
        of subjects of similar risk and then its adjusted curve, ``"auto"`` over its raw
        curve, recalibrated by the events that were observed. ``"kaplan-meier"`` is the
        paper's, ``"auto"`` the default.
    n_samples : int, optional
        For ``"kaplan-meier"``: draw so many times for each censored subject, as the
        paper does, instead of using the exact law.
    kaplan_meier : KaplanMeier, optional
        The curve to use, usually that of the training outcomes; by default that of *y*.
    random_state : int or Generator, optional
        Used by ``n_samples`` alone.

    Returns
    -------
    ndarray of shape (P,)

    Raises
    ------
    InvalidInput
        If fewer than two subjects count, shapes differ, or input is not usable.

    Warns
    -----
    CalibrationWarning
        If k > N at some level, if rows are infinite, or if no event was observed.

    References
    ----------
    Qi, Yu and Greiner. Conformalized Survival Distributions: A Generic Post-Process to
    Increase Calibration. ICML 2024, section 3.

    Examples
    --------
    Four subjects, one censored; its event may come at 6 or 9.

    >>> q = [[5.0], [4.0], [6.0], [7.0]]
    >>> y = Outcome(time=[3, 4, 6, 9], event=[1, 0, 1, 1])
    >>> conformal_shifts(q, [0.5], y)
    array([0.])
    """
    check_params({"n_samples": n_samples}, {"n_samples": (OneOf(None), AtLeast(1))})
    rule = resolve_rule(censoring, n_samples)
    outcome = Outcome.of(y)
    q, grid = as_percentile_times(percentile_times, levels)
    check_same_length(percentile_times=len(q), y=len(outcome))
    block = Block(q, grid, outcome, kaplan_meier)
    return find_shifts([block], rule, np.random.default_rng(random_state)).shifts


def resolve_rule(censoring: str | AnyRule, n_samples: int | None) -> AnyRule:
    """Return the rule that a name or an instance stands for."""
    if not isinstance(censoring, str):
        if not isinstance(censoring, CensoringRule | LearningRule | SweepRule):
            raise InvalidInput(
                f"censoring={censoring!r} is neither a name ({', '.join(RULES)}) "
                "nor a rule with a method contribution, learn or start"
            )
        rule = censoring
    else:
        rule = resolve(RULES, censoring, "censoring rule")()
    if n_samples is None:
        return rule
    if not isinstance(rule, KaplanMeierRule):
        raise InvalidInput(
            f"n_samples={n_samples} goes with censoring='kaplan-meier' only, "
            f"not with {censoring!r}"
        )
    return KaplanMeierRule(n_samples)


def find_shifts(
    blocks: Sequence[Block], rule: AnyRule, rng: np.random.Generator
) -> ShiftResult:
    """Return the shifts of all blocks of subjects together.

    The split into blocks and their order do not matter but for the curve that a block
    estimates itself; blocks of one conformal set share their ``reference``.

    Parameters
    ----------
    blocks : sequence of Block
        All with the same levels.
    rule : CensoringRule, LearningRule or SweepRule
    rng : Generator
        For rules that draw.
    """
    levels = blocks[0].levels
    n_conformal = sum(len(block.outcome) for block in blocks)
    _check_enough(n_conformal)  # before the rule looks at them
    sweeps = start(rule, blocks, rng)
    counted = sum(sweep.n_subjects for sweep in sweeps)
    _check_enough(counted)
    _warn_without_events(blocks, rule)
    steps = descend(sweeps, levels)
    n_subjects = np.array([step.n for step in steps], dtype=np.intp)
    result = ShiftResult(
        levels=levels,
        shifts=np.array([step.shift for step in steps]),
        n_subjects=n_subjects,
        beyond=np.array([step.k > step.n for step in steps]),
        n_infinite=sum(sweep.n_infinite for sweep in sweeps)
        if n_subjects.min() < counted
        else 0,
        n_conformal=n_conformal,
        identified=np.array([step.identified for step in steps]),
    )
    _warn_about(result)
    if isinstance(rule, SweepRule):
        _warn_about_unidentified(result)
    return result


def _check_enough(counted: int) -> None:
    if counted < 2:
        raise InvalidInput(
            f"{counted} subjects count towards the shifts; at least two are needed "
            "(censoring='uncensored' counts events only)"
        )


def _warn_without_events(blocks: Sequence[Block], rule: AnyRule) -> None:
    learns = isinstance(rule, LearningRule)
    given = learns or all(block.reference is not None for block in blocks)
    if given and not any(block.outcome.n_events for block in blocks):
        source = "raw curves" if learns else "given Kaplan-Meier curve"
        warnings.warn(
            "no event was observed in the conformal set: the shifts rest on the "
            f"{source} alone",
            CalibrationWarning,
            stacklevel=4,
        )


def _warn_about(result: ShiftResult) -> None:
    if result.n_infinite:
        warnings.warn(
            f"{result.n_infinite} subjects have infinite percentile times (their "
            "curves never drop); they do not count and stay infinite",
            CalibrationWarning,
            stacklevel=4,
        )
    if result.beyond.any():
        levels = ", ".join(f"{level:g}" for level in result.levels[result.beyond])
        n = int(result.n_subjects[result.beyond].min())
        warnings.warn(
            f"{n} subjects are too few for the levels {levels}: the largest score is "
            "used there, without a guarantee; use fewer percentiles or more subjects",
            CalibrationWarning,
            stacklevel=4,
        )


def _warn_about_unidentified(result: ShiftResult) -> None:
    if not result.identified.all():
        levels = ", ".join(f"{level:g}" for level in result.levels[~result.identified])
        warnings.warn(
            f"too few events lie beyond the percentile times at the levels {levels} to "
            "tell their shifts; they get the shift of the last level above them",
            CalibrationWarning,
            stacklevel=4,
        )
