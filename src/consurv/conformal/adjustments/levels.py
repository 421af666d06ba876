"""The levels at which raw curves are to be read (CiPOT). Arrays only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from consurv._checks import Bool, Float, as_floats, as_levels, check_same_length
from consurv._registry import resolve
from consurv._warnings import warn
from consurv._weights import as_weights
from consurv.conformal.adjustments.probabilities import (
    Counts,
    Mass,
    equal_weights,
    product_limit,
)
from consurv.conformal.quantile.found import Levels
from consurv.conformal.quantile.identified import (
    ENOUGH_EVENTS,
    listed,
    unidentified_text,
)
from consurv.conformal.quantile.search import rank
from consurv.errors import InvalidInput
from consurv.outcome import as_events

__all__ = ["WEIGHTS", "conformal_levels", "find_levels", "warn_of_levels"]


def conformal_levels(
    survival_at_observed: ArrayLike,
    levels: ArrayLike,
    event: ArrayLike,
    *,
    censoring: Literal["uniform", "self-consistent"] = "uniform",
    survival_before: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Float:
    """Return the level ρ* at which the raw curves are to be read for every level ρ.

    Let F be the distribution of the survival probabilities S(T_j|x_j) at the events.
    ρ* is the smallest u with F(u) ≥ ⌈ρ(N+1)⌉/N, and the adjusted percentile time is
    q'(ρ|x) = q(ρ*|x). For a conformal set that the model never saw, without censoring,
    P(T ≥ q'(ρ|x)) lies in [ρ, ρ + 1/(N+1)], on average over subjects.

    By the raw model the probability of a subject censored at c is uniform on
    (0, S(c)). So the paper draws it, and the limit of many draws is

        F(u) = (1/N)·[Σ_events 1(S_j(t_j) ≤ u) + Σ_censored min(1, u / S_j(c_j))],

    with 1 where S_j(c_j) = 0: the F of ``d_calibration``, which needs no seed.

    Where a curve drops at an event's time its probability is not one number: the model
    says that it is uniform on (S(t), S(t⁻)], and there the event is spread if
    *survival_before* is given. Otherwise a right model on few distinct times looks
    wrong.

    Parameters
    ----------
    survival_at_observed : array-like of shape (N,)
        S(t_j|x_j) of the conformal set, each at its own observed time, as
        ``SurvivalCurves.survival_at_observed`` gives it.
    levels : array-like of shape (P,)
        Percentile levels in (0, 1).
    event : array-like of shape (N,)
        True or 1 where the event happened, False or 0 for censored subjects.
    censoring : {"uniform", "self-consistent"}
        ``"uniform"`` is the formula above, the paper's. It believes the raw model about
        censored subjects. ``"self-consistent"`` (ours) believes the adjusted one: F is
        the product-limit estimate of the distribution of S(T|x), with S(c|x) as the
        censored values, and uniform only below the last event.
    survival_before : array-like of shape (N,), optional
        S(t_j⁻|x_j), as ``SurvivalCurves.survival_before_observed`` gives it; at least
        S(t_j|x_j). Only that of events is looked at.
    sample_weight : array-like of shape (N,), optional
        How many subjects each stands for; N is then their sum.

    Returns
    -------
    ndarray of shape (P,)
        In [0, 1]; never falls as the level rises, and may repeat.

    Raises
    ------
    InvalidInput
        If there are fewer than two subjects, lengths differ, a probability is outside
        [0, 1], or the rule is unknown.

    Warns
    -----
    CalibrationWarning
        If k > N at some level, or if no event was observed.

    References
    ----------
    Qi, Yu and Greiner. Toward Conditional Distribution Calibration in Survival
    Prediction. NeurIPS 2024.

    Examples
    --------
    Three subjects, the second censored; k = 2. At u = 0.5 the last one counts, and the
    censored one just wholly.

    >>> conformal_levels([0.9, 0.5, 0.2], [0.5], event=[True, False, True])
    array([0.5])
    """
    survival = _as_probabilities(survival_at_observed, "survival_at_observed")
    happened = as_events(event)
    check_same_length(survival_at_observed=len(survival), event=len(happened))
    before = survival
    if survival_before is not None:
        before = _as_probabilities(survival_before, "survival_before")
        check_same_length(event=len(happened), survival_before=len(before))
        _check_order(survival, before)
    grid = as_levels(levels)
    weight = None
    if sample_weight is not None:
        weight = as_weights(sample_weight, len(happened), of="event")
    return find_levels(survival, happened, grid, censoring, before, weight).levels


def _as_probabilities(values: ArrayLike, name: str) -> Float:
    found: Float = as_floats(values, name)
    outside = np.flatnonzero((found < 0) | (found > 1))
    if outside.size:
        raise InvalidInput(
            f"{name} has {outside.size} values outside [0, 1], the first at row "
            f"{outside[0]}: {found[outside[0]]:g}"
        )
    return found


def _check_order(survival: Float, before: Float) -> None:
    rising = np.flatnonzero(before < survival)
    if rising.size:
        i = rising[0]
        raise InvalidInput(
            f"survival_before is lower than survival_at_observed in {rising.size} "
            f"rows, the first is {i}: {before[i]:g} < {survival[i]:g}; curves never "
            "rise"
        )


def find_levels(
    survival: Float,
    event: Bool,
    levels: Float,
    censoring: str = "uniform",
    before: Float | None = None,
    weight: Float | None = None,
) -> Levels:
    """Return the adjusted levels, and what they rest on.

    The order of subjects does not matter, to the last bit.

    Parameters
    ----------
    survival, event : ndarray of shape (N,)
        Survival at the observed times, and whether the event happened.
    levels : ndarray of shape (P,)
        In (0, 1).
    censoring : str
        A key of ``WEIGHTS``.
    before : ndarray of shape (N,), optional
        Survival just before the observed times; by default the same.
    weight : ndarray of shape (N,), optional
        What each subject counts.
    """
    weigh = resolve(WEIGHTS, censoring, "censoring rule for levels")
    before = survival if before is None else before
    if weight is not None and not weight.all():
        some = weight > 0
        survival, event, before = survival[some], event[some], before[some]
        weight = weight[some]
    if len(survival) < 2:
        raise InvalidInput(
            f"{len(survival)} subjects set the levels; at least two are needed"
        )
    n = len(survival) if weight is None else float(weight.sum())
    ranks = np.array([rank(float(level), n) for level in levels])
    counts = Counts.of(survival, event, before, weight)
    mass = weigh(counts)
    adjusted = mass.smallest(np.minimum(ranks, n), n)
    needed = np.minimum(ENOUGH_EVENTS, ranks / 2)
    found = Levels(adjusted, ranks > n, counts.events_below(adjusted) >= needed - 1e-9)
    warn_of_levels(found, levels, event)
    return found


def warn_of_levels(found: Levels, levels: Float, event: Bool) -> None:
    """Warn of levels that rest on too little."""
    if not event.any():
        warn(
            "no event was observed in the conformal set: the adjusted levels rest on "
            "the model's own curves alone"
        )
    elif not found.identified.all():
        warn(unidentified_text(levels[~found.identified], "adjusted levels"))
    if found.beyond.any():
        warn(
            f"{len(event)} subjects are too few for the levels "
            f"{listed(levels[found.beyond])}: the level at which all of them count is "
            "used there, without a guarantee; use fewer percentiles or more subjects"
        )


WEIGHTS: Mapping[str, Callable[[Counts], Mass]] = {
    "uniform": equal_weights,
    "self-consistent": product_limit,
}
