"""How much the subjects of other groups count for a group: empirical Bayes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import chi2

from consurv._checks import Bool, Float, Index
from consurv.conformal.groups.differences import (
    Differences,
    counts_by_group,
    differences,
)

__all__ = ["other_weights", "weights_by_counts"]

# How often groups that do not differ may seem to: all together, or any of them alone.
_CHANCE = 0.01


def other_weights(
    survival: Float,
    event: Bool,
    group: Index,
    n_groups: int,
    weight: Float | None = None,
) -> Float:
    """Return the weight κ of the subjects of other groups for each group, (G,).

    Groups are compared on pooled adjusted curves: S'(T|x) has the same law in all of
    them if the pooled adjustment suits all alike. Let δ² be the squared difference
    between a group and the others that remains when chance is taken off, and v the
    variance of what the others show. The mean of own and other subjects that comes
    closest to the group has others with the weight

        κ = v / (v + δ²):

    1 if nothing differs, which is the pooled adjustment, and near 0 if groups clearly
    differ or the others are many. δ² comes from the variance between groups, estimated
    by moments over all of them (DerSimonian and Laird), and is 0 unless they differ by
    more than chance explains (χ² at 1 %). For a group that is further off than that it
    is its own, and so it is for one that stands out by itself (at 1 % for all groups
    together) among many which are alike. This is done twice, for survival level by
    level and for the whole hazard, and the smaller weight is taken.

    Parameters
    ----------
    survival : ndarray of shape (n,)
        S'(t_j|x_j), pooled adjusted survival at the observed times.
    event : ndarray of shape (n,)
    group : ndarray of shape (n,)
        Numbers below *n_groups*.
    n_groups : int
    weight : ndarray of shape (n,), optional
        How many subjects each stands for; by default 1.

    References
    ----------
    DerSimonian and Laird (1986), Controlled Clinical Trials 7(3). Efron and Morris
    (1972), Journal of the American Statistical Association 67, for groups that stand
    out.

    Examples
    --------
    Uniform in both groups, then events too late in the second:

    >>> u, group = np.tile((np.arange(200) + 0.5) / 200, 2), np.repeat([0, 1], 200)
    >>> other_weights(u, u > 0, group, 2)
    array([1., 1.])
    >>> other_weights(np.where(group, u**2, u), u > 0, group, 2).round(3)
    array([0.008, 0.006])
    """
    weight = np.ones(len(survival)) if weight is None else weight
    return weights_by_counts(counts_by_group(survival, event, group, n_groups, weight))


def weights_by_counts(counts: Float) -> Float:
    """Return the same from events and exposure by group, which parts add up to."""
    in_survival, in_log_hazard = differences(counts)
    # A likelihood adds up hazards: who should have had the event e times sooner pulls
    # e times as much, whatever the logarithm says.
    found: Float = np.minimum(_weights(in_survival), _weights(in_log_hazard, np.expm1))
    return found


def _weights(
    found: Differences, pull: Callable[[Float], Float] = lambda gap: gap
) -> Float:
    """Return κ by one kind of differences; *pull* is what they do to an adjustment."""
    weights = np.ones(len(found.squares))
    known = np.isfinite(found.noise) & (found.noise > 0)
    if known.sum() >= 2:
        some = Differences(*(values[known] for values in found))
        rest = pull(np.sqrt(_remaining(some))) ** 2
        weights[known] = some.others / (some.others + rest)
    return weights


def _remaining(found: Differences) -> Float:
    """Return δ², what of the squared differences is more than chance, (G,)."""
    ratio, n = found.squares / found.noise, len(found.squares)
    alone = ratio > chi2.isf(_CHANCE / n, found.dof) / found.dof
    between = _between(found)
    # Where groups differ at all, one that is further off than most is not pulled back.
    own = np.where(alone | (between > 0), found.squares - found.noise, 0.0)
    precision = 1 / found.own
    rest = precision.sum() - precision
    # The mean of the others varies between groups, too.
    others = ((precision**2).sum() - precision**2) / rest**2
    remaining: Float = np.maximum(between * (1 + others), own)
    return remaining


def _between(found: Differences) -> float:
    """Return the variance between groups, 0 if chance explains what is seen of it."""
    share = found.own / found.noise  # 1 − n_g/N without censoring: G − 1 in all
    total, expected = (found.squares / found.noise * share).sum(), share.sum()
    dof = found.dof.mean() * (len(share) - 1)
    if total <= expected * chi2.isf(_CHANCE, dof) / dof:
        return 0.0
    precision = 1 / found.own
    scale = precision.sum() - (precision**2).sum() / precision.sum()
    return float((total - expected) / scale)
