"""How far groups differ on pooled adjusted curves, and how far by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index

__all__ = ["Differences", "counts_by_group", "differences"]

# Where adjusted survival is compared; the levels asked for may be few, or many.
_LEVELS = np.arange(9, 0, -1) / 10
_CUTS = -np.log(_LEVELS)
_WIDTHS = np.diff(_CUTS, prepend=0.0)
# With fewer subjects at risk a stretch of survival tells nothing.
_FEWEST = 2.0
_TINY = np.finfo(np.float64).tiny


class Differences(NamedTuple):
    """Groups against all others, (G,) each.

    NaN where nothing of a group, or of all others, was seen.

    Attributes
    ----------
    squares : squared differences
    own, others : what chance makes of the group's part in them, and of the others'
    dof : degrees of freedom of χ² that ``squares`` vary like, by chance
    """

    squares: Float
    own: Float
    others: Float
    dof: Float

    @property
    def noise(self) -> Float:
        """What ``squares`` are on average where nothing differs."""
        return self.own + self.others


def differences(counts: Float) -> tuple[Differences, Differences]:
    """Compare each group with all others on adjusted curves, in two ways.

    On these the hazard is one at every level, or the same for all. Events are counted
    against exposure in stretches between levels, so that censored subjects count as far
    as they were seen. The first differences are those in survival, mean squares over
    levels; the second that in the logarithm of the whole hazard, which tells groups
    apart whose times are all too long, or too short, and does not end at 1.

    Parameters
    ----------
    counts : ndarray of shape (2, G, L)
        As ``counts_by_group`` gives them; those of parts add up.
    """
    whole = counts.sum(axis=1, keepdims=True)
    # Own and others', (2, G, L) each.
    both = np.stack([counts, whole - counts], axis=1)
    events, exposure = both
    enough = (exposure >= _FEWEST * _WIDTHS).all(axis=0)
    # Up to the first stretch that tells nothing.
    seen = np.cumprod(enough, axis=1).astype(np.bool_)
    exposure = np.where(seen, exposure, 1.0)
    found = np.exp(-np.cumsum(_WIDTHS * events / exposure, axis=2))
    hazard = whole[0] / np.maximum(whole[1], _TINY)
    # The variance of log survival, if the hazard is that of all.
    spread = np.cumsum(_WIDTHS**2 * hazard / exposure, axis=2)
    own, others = _LEVELS**2 * spread
    in_survival = Differences(
        squares=_mean((found[0] - found[1]) ** 2, seen),
        own=_mean(own, seen),
        others=_mean(others, seen),
        dof=_degrees(spread.sum(axis=0), seen),
    )
    return in_survival, _in_hazard(*(n.sum(axis=2, where=seen) for n in both))


def _in_hazard(events: Float, exposure: Float) -> Differences:
    """Compare the logarithms of hazards, own and others' (2, G)."""
    known = (events > 0).all(axis=0)
    events, exposure = np.where(known, events, np.nan), np.where(known, exposure, 1.0)
    hazard, (own, others) = events / exposure, 1 / events
    squares = np.log(hazard[0] / hazard[1]) ** 2
    return Differences(squares, own, others, np.ones(len(squares)))


def counts_by_group(
    survival: Float, event: Bool, group: Index, n_groups: int, weight: Float
) -> Float:
    """Return events and exposure by group and stretch of survival, (2, G, L).

    Parameters
    ----------
    survival, event, group, weight : ndarray of shape (n,)
        Adjusted survival at the observed times, whether the event happened, the number
        of the group, and how many subjects each stands for.
    n_groups : int
    """
    with np.errstate(divide="ignore"):
        hazard = -np.log(survival)
    place = np.where(event, np.searchsorted(_CUTS, hazard), -1)
    sums: Float = np.zeros((2, n_groups, len(_CUTS)))
    for k, (high, width) in enumerate(zip(_CUTS, _WIDTHS, strict=True)):
        stay = weight * np.clip(hazard - (high - width), 0.0, width)
        for i, values in enumerate((weight * (place == k), stay)):
            sums[i, :, k] = np.bincount(group, values, minlength=n_groups)
    return sums


def _degrees(spread: Float, seen: Bool) -> Float:
    """Return the degrees of freedom of mean squares, by mean and variance, (G,).

    The sum of squares of normal numbers with covariance C has the mean tr C and the
    variance 2 tr C². Log survival has independent increments.
    """
    place = np.arange(len(_LEVELS))
    covariance = spread[:, np.minimum.outer(place, place)] * np.outer(_LEVELS, _LEVELS)
    covariance *= seen[:, :, None] & seen[:, None, :]
    trace = np.trace(covariance, axis1=1, axis2=2)
    squared = (covariance**2).sum(axis=(1, 2))
    degrees: Float = trace**2 / np.maximum(squared, _TINY)
    return degrees


def _mean(values: Float, seen: Bool) -> Float:
    """Return the mean over the levels that were seen; NaN where none was."""
    n = seen.sum(axis=1)
    total = np.where(seen, values, 0.0).sum(axis=1)
    mean: Float = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return mean
