"""The conformal step on levels (CiPOT): where to read the raw curves. Arrays only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Bool, Float, as_floats, as_levels, check_same_length
from consurv._registry import resolve
from consurv.conformal.quantile import rank
from consurv.curves.curves import SurvivalCurves
from consurv.errors import CalibrationWarning, InvalidInput
from consurv.outcome import as_events

__all__ = ["LevelResult", "conformal_levels", "find_levels", "times_at"]

# Smaller probabilities count as 0: sums of 1/S could overflow.
_TINY = 1e-290


@dataclass(frozen=True)
class LevelResult:
    """Adjusted levels and what they rest on.

    Attributes
    ----------
    levels, adjusted_levels : ndarray of shape (P,)
        ρ and the ρ* at which the raw curves are read instead.
    beyond : ndarray of shape (P,) of bool
        Levels with k > N: ρ* is where all subjects count, without a guarantee.
    n_conformal : int
        Subjects in the conformal set.
    """

    levels: Float
    adjusted_levels: Float
    beyond: Bool
    n_conformal: int


def conformal_levels(
    survival_at_observed: ArrayLike,
    levels: ArrayLike,
    event: ArrayLike,
    *,
    censoring: Literal["uniform", "self-consistent"] = "uniform",
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
    survival: Float = as_floats(survival_at_observed, "survival_at_observed")
    happened = as_events(event)
    check_same_length(survival_at_observed=len(survival), event=len(happened))
    outside = np.flatnonzero((survival < 0) | (survival > 1))
    if outside.size:
        raise InvalidInput(
            f"survival_at_observed has {outside.size} values outside [0, 1], the first "
            f"at row {outside[0]}: {survival[outside[0]]:g}"
        )
    grid = as_levels(levels)
    return find_levels([(survival, happened)], grid, censoring).adjusted_levels


def find_levels(
    parts: Sequence[tuple[Float, Bool]], levels: Float, censoring: str = "uniform"
) -> LevelResult:
    """Return the adjusted levels of all parts of a conformal set together.

    The split into parts and their order do not matter, to the last bit.

    Parameters
    ----------
    parts : sequence of pairs (survival at the observed times, event)
    levels : ndarray of shape (P,)
        In (0, 1).
    censoring : str
        A key of ``WEIGHTS``.
    """
    weights = resolve(WEIGHTS, censoring, "censoring rule for levels")
    survival = np.concatenate([part[0] for part in parts])
    event = np.concatenate([part[1] for part in parts])
    n = len(survival)
    if n < 2:
        raise InvalidInput(f"{n} subjects set the levels; at least two are needed")
    ranks = np.array([rank(float(level), n) for level in levels])
    result = LevelResult(
        levels=levels,
        adjusted_levels=_smallest_levels(
            survival, event, weights(survival, event), np.minimum(ranks, n)
        ),
        beyond=ranks > n,
        n_conformal=n,
    )
    _warn_about(result, n_events=int(np.count_nonzero(event)))
    return result


def times_at(curves: SurvivalCurves, levels: Float) -> Float:
    """Return q(u|x) = inf{t : S(t|x) ≤ u} at levels in [0, 1] that may repeat.

    Level 1 is met at time 0, level 0 where a curve ends (+inf if it never drops).

    Examples
    --------
    >>> curves = SurvivalCurves([4], [[0.5]])
    >>> times_at(curves, np.array([0.0, 0.25, 0.25, 1.0]))
    array([[8., 6., 6., 0.]])
    """
    return curves._times_at(levels)


def _equal_weights(survival: Float, event: Bool) -> Float:
    """Let each subject count 1, as the paper does."""
    return np.ones(len(survival))


def _product_limit_weights(survival: Float, event: Bool) -> Float:
    """Let a censored subject hand its weight on to all with lower probabilities.

    This is Efron's redistribution: what the events get are the jumps of the
    product-limit estimate. Below the last event nobody can take the weight.
    """
    n = len(survival)
    # From the highest probability, which is the earliest time; events before
    # censorings at a tie.
    order = np.lexsort((~event, -survival))
    happened = event[order]
    at_risk = n - np.arange(n)
    left = np.cumprod(np.where(happened, 1 - 1 / at_risk, 1.0))
    before = np.append(1.0, left[:-1])
    sorted_weights = np.where(happened, n * before / at_risk, 0.0)
    last = int(np.flatnonzero(happened)[-1]) if happened.any() else -1
    if last < n - 1:
        sorted_weights[last + 1 :] = n * left[-1] / (n - 1 - last)
    weights = np.empty(n)
    weights[order] = sorted_weights
    return weights


WEIGHTS: Mapping[str, Callable[[Float, Bool], Float]] = {
    "uniform": _equal_weights,
    "self-consistent": _product_limit_weights,
}


def _smallest_levels(
    survival: Float, event: Bool, weight: Float, ranks: NDArray[np.intp]
) -> Float:
    """Return the smallest u with N·F(u) ≥ k for every rank k ≤ N.

    N·F jumps by its weight at the probability of an event. What a censored subject
    adds rises straight from 0 and bends at S(c). So between neighbouring probabilities
    N·F is a line, whose slope is the sum of weight/S(c) over the censored further up.
    """
    n = len(survival)
    value = np.where(survival < _TINY, 0.0, survival)
    kinks, place = np.unique(np.append(value, 0.0), return_inverse=True)
    place, size = place[:-1], len(kinks)  # 0 was added: the first line starts there
    reached = np.bincount(place, weight, minlength=size).cumsum()
    rising = ~event & (value > 0)
    slopes = weight[rising] / value[rising]
    # Added up from the top: small terms first, and none is ever taken off again.
    slope_before = np.bincount(place[rising], slopes, size)[::-1].cumsum()[::-1]
    slope_after = np.append(slope_before[1:], 0.0)
    reached_before = np.append(0.0, reached[:-1])
    mass_before = reached_before + kinks * slope_before
    mass = np.maximum.accumulate(reached + kinks * slope_after)
    # The same tolerance as for shifts.
    target = ranks - (1e-9 + 1e-12 * n)
    i = np.minimum(np.searchsorted(mass, target), size - 1)
    start = kinks[np.maximum(i - 1, 0)]
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.clip((ranks - reached_before[i]) / slope_before[i], start, kinks[i])
    return np.where((mass_before[i] >= target) & (i > 0), inside, kinks[i])


def _warn_about(result: LevelResult, n_events: int) -> None:
    if not n_events:
        warnings.warn(
            "no event was observed in the conformal set: the adjusted levels rest on "
            "the model's own curves alone",
            CalibrationWarning,
            stacklevel=4,
        )
    if result.beyond.any():
        levels = ", ".join(f"{level:g}" for level in result.levels[result.beyond])
        warnings.warn(
            f"{result.n_conformal} subjects are too few for the levels {levels}: the "
            "level at which all of them count is used there, without a guarantee; use "
            "fewer percentiles or more subjects",
            CalibrationWarning,
            stacklevel=4,
        )
