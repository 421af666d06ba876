"""The shifts of all levels, from the highest level down. Arrays only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Bool, Float, check_same_length
from consurv._params import AtLeast, InstanceOf, OneOf, check_params, make_rng
from consurv._warnings import warn
from consurv.conformal.censoring.rules import RULES, CensoringRule, resolve_rule
from consurv.conformal.parts.blocks import Block, Sweep
from consurv.conformal.parts.partitions import Blocks, Partitions, as_partitions
from consurv.conformal.quantile.found import Shifts
from consurv.conformal.quantile.identified import (
    ENOUGH_EVENTS,
    listed,
    unidentified_text,
)
from consurv.conformal.quantile.search import Quantiles, conformal_quantiles
from consurv.conformal.quantile.weighted_search import weighted_quantiles
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.curves.rearrange import as_percentile_times
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = [
    "Shifts",
    "check_place",
    "conformal_shifts",
    "descend",
    "find_shifts",
    "shifts_of",
]


def conformal_shifts(
    percentile_times: ArrayLike,
    levels: ArrayLike,
    y: Any,
    *,
    censoring: str | CensoringRule = "auto",
    n_samples: int | None = None,
    kaplan_meier: KaplanMeier | None = None,
    random_state: int | np.random.Generator | None = None,
    sample_weight: ArrayLike | None = None,
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
    sample_weight : array-like of shape (N,), optional
        How many subjects each stands for; N is then their sum W.

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
    check_params(
        {"n_samples": n_samples, "kaplan_meier": kaplan_meier},
        {
            "n_samples": (OneOf(None), AtLeast(1)),
            "kaplan_meier": (OneOf(None), InstanceOf(KaplanMeier)),
        },
    )
    rule = resolve_rule(censoring, n_samples)
    outcome = Outcome.of(y).weighted(sample_weight)
    q, grid = as_percentile_times(percentile_times, levels)
    check_same_length(percentile_times=len(q), y=len(outcome))
    if outcome.counted is not None:
        q, outcome = q[outcome.counted], outcome.counting
    block = Block(q, grid, outcome, kaplan_meier)
    return find_shifts([block], rule, make_rng(random_state)).shifts


def find_shifts(
    blocks: Partitions | Sequence[Block],
    rule: CensoringRule,
    rng: np.random.Generator,
) -> Shifts:
    """Return the shifts of all blocks of subjects together.

    The split into blocks and their order do not matter but for the curve that a block
    estimates itself; blocks of one conformal set share their ``reference``.

    Parameters
    ----------
    blocks : Partitions or sequence of Block
        All with the same levels and score.
    rule : CensoringRule
    rng : Generator
        For rules that draw.
    """
    subjects = as_partitions(blocks)
    levels = subjects.levels
    _check_enough(subjects.n)  # before the rule looks
    check_place(subjects, rule)
    check_weights(subjects, rule)
    own = rule.shifts(subjects)
    found, learns = (own, False) if own else _by_sweeps(subjects, rule, rng)
    _warn_about(found, levels)
    if subjects.n_events:
        _warn_about_unidentified(found, levels, learns=learns)
    return found


def _by_sweeps(
    subjects: Partitions, rule: CensoringRule, rng: np.random.Generator
) -> tuple[Shifts, bool]:
    """Return the shifts by what each block contributes, and whether levels learn."""
    sweeps: Sequence[Any] = rule.sweeps(subjects, rng)
    counted = sum(sweep.n_subjects for sweep in sweeps)
    _check_enough(counted)
    _warn_without_events(subjects, rule)
    learns = any(hasattr(sweep, "learn") for sweep in sweeps)
    levels = subjects.levels
    found = descend(sweeps, levels) if learns else at_once(sweeps, levels)
    if found.n_subjects.min() < counted:
        n_infinite = sum(sweep.n_infinite for sweep in sweeps)
        found = found._replace(n_infinite=n_infinite)
    return found, learns


def check_place(subjects: Any, rule: CensoringRule) -> None:
    """Refuse a rule that cannot run where the subjects are."""
    if isinstance(subjects, Partitions) and not (
        rule.anywhere or isinstance(subjects, Blocks)
    ):
        known = ", ".join(repr(n) for n, make in RULES.items() if make().anywhere)
        raise InvalidInput(
            f"the censoring rule {rule.name} sees all rows at once, or their features, "
            f"and runs in memory only; elsewhere choose one of: {known}"
        )


def check_weights(subjects: Partitions, rule: CensoringRule) -> None:
    """Refuse weights to a rule that cannot count by them."""
    if subjects.weighted and not rule.takes_weights:
        known = ", ".join(repr(n) for n, make in RULES.items() if make().takes_weights)
        raise InvalidInput(
            f"the censoring rule {rule.name} takes no sample_weight; choose one of: "
            f"{known} (without n_samples)"
        )


def at_once(partitions: Sequence[Any], levels: Float) -> Shifts:
    """Return the shift of each level, where none depends on another."""
    weighted = any(getattr(part, "weighted", False) for part in partitions)
    search = weighted_quantiles if weighted else conformal_quantiles
    found = search(partitions, np.arange(len(levels)), levels)
    return shifts_of(found, levels, sum(part.n_subjects for part in partitions))


def shifts_of(found: Quantiles, levels: Float, counted: int) -> Shifts:
    """Return quantiles as shifts, with what they rest on.

    Parameters
    ----------
    found : Quantiles
    levels : ndarray of shape (P,)
    counted : int
        Subjects that count at levels where they are finite.
    """
    _check_finite(found, levels, counted)
    return Shifts(found.scores, found.n, found.beyond, _enough(found))


def descend(sweeps: Sequence[Sweep], levels: Float) -> Shifts:
    """Return the shift of each level, where those of higher levels make its mass.

    A level that is not identified gets the shift of the last identified one, and so do
    all below.
    """
    counted = sum(sweep.n_subjects for sweep in sweeps)
    shifts, n_subjects = np.zeros(len(levels)), np.zeros(len(levels), dtype=np.intp)
    beyond, identified = np.zeros((2, len(levels)), dtype=np.bool_)
    last, lost = 0.0, False
    for p in np.argsort(-levels).tolist():
        masses = [sweep.at(p) for sweep in sweeps]
        found = conformal_quantiles(masses, np.zeros(1, dtype=np.intp), levels[[p]])
        _check_finite(found, levels[[p]], counted)
        lost = lost or not _enough(found)[0]
        last = last if lost else float(found.scores[0])
        for sweep in sweeps:
            sweep.learn(p, last)
        shifts[p], n_subjects[p] = last, found.n[0]
        beyond[p], identified[p] = found.beyond[0], not lost
    return Shifts(shifts, n_subjects, beyond, identified)


def _check_finite(found: Quantiles, levels: Float, counted: int) -> None:
    few = np.flatnonzero(found.n < 2)
    if few.size:
        worst = few[np.argmax(levels[few])]
        raise InvalidInput(
            f"only {found.n[worst]} of {counted} percentile times at level "
            f"{levels[worst]:g} are finite; at least two are needed"
        )


def _enough(found: Quantiles) -> Bool:
    """Say which levels have enough events at or beyond q'."""
    needed = np.minimum(ENOUGH_EVENTS, found.ranks / 2)
    enough: Bool = np.isfinite(found.scores) & (found.n_events >= needed)
    return enough


def _check_enough(counted: int) -> None:
    if counted < 2:
        raise InvalidInput(
            f"{counted} subjects count towards the shifts; at least two are needed "
            "(censoring='uncensored' counts events only)"
        )


def _warn_without_events(subjects: Partitions, rule: CensoringRule) -> None:
    given = rule.rests_on == "raw curves" or subjects.has_reference
    if given and not subjects.n_events:
        warn(
            "no event was observed in the conformal set: the shifts rest on the "
            f"{rule.rests_on} alone"
        )


def _warn_about(found: Shifts, levels: Float) -> None:
    if found.n_infinite:
        warn(
            f"{found.n_infinite} subjects have infinite percentile times (their "
            "curves never drop); they do not count and stay infinite"
        )
    if found.beyond.any():
        n = int(found.n_subjects[found.beyond].min())
        warn(
            f"{n} subjects are too few for the levels {listed(levels[found.beyond])}: "
            "the largest score is used there, without a guarantee; use fewer "
            "percentiles or more subjects"
        )


def _warn_about_unidentified(found: Shifts, levels: Float, *, learns: bool) -> None:
    unknown = levels[~found.identified]
    if learns and unknown.size:
        warn(
            "too few events lie beyond the percentile times at the levels "
            f"{listed(unknown)} to tell their shifts; they get the shift of the last "
            "level above them"
        )
    elif unknown.size:
        warn(unidentified_text(unknown, "numbers"))
