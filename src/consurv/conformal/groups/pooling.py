"""How much the subjects of other groups count for a group: empirical Bayes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from consurv._checks import Bool, Float, Index

__all__ = ["other_weights"]

# Where adjusted survival is compared; the levels asked for may be few, or many.
_LEVELS = np.arange(9, 0, -1) / 10
_CUTS = -np.log(_LEVELS)
_WIDTHS = np.diff(_CUTS, prepend=0.0)
# With fewer subjects at risk a stretch of survival tells nothing.
_FEWEST = 2.0
# A mean square of differences over levels varies by chance as χ² with so many degrees
# of freedom, divided by them: mean and variance of ∫B², B a Brownian bridge.
_DOF = 2.5
# How sure it must be that groups differ at all, and that a single group does.
_SURE, _SURE_OF_ONE = 0.95, 0.99


class _Differences(NamedTuple):
    """Groups against all others: mean squares over levels, (G,) each.

    Attributes
    ----------
    squares : of the difference in survival
    own, others : what chance makes of the group's survival, and of that of the others
    """

    squares: Float
    own: Float
    others: Float

    @property
    def noise(self) -> Float:
        """What ``squares`` are on average where nothing differs."""
        return self.own + self.others


def other_weights(survival: Float, event: Bool, group: Index, n_groups: int) -> Float:
    """Return the weight κ of the subjects of other groups for each group, (G,).

    Groups are compared on pooled adjusted curves: S'(T|x) has the same law in all of
    them if the pooled adjustment suits all alike. Let δ² be the mean squared difference
    between a group and the others that remains when chance is taken off, and v the
    variance of the others' survival. The mean of own and other subjects that comes
    closest to the group has others with the weight

        κ = v / (v + δ²):

    1 if nothing differs, which is the pooled adjustment, and near 0 if groups clearly
    differ or the others are many. δ² comes from the variance between groups, estimated
    by moments over all of them (DerSimonian and Laird), and is 0 unless they differ
    more than chance allows (in 5 of 100 cases); for a group that stands out by itself
    (1 of 100) it is at least its own.

    Parameters
    ----------
    survival : ndarray of shape (n,)
        S'(t_j|x_j), pooled adjusted survival at the observed times.
    event : ndarray of shape (n,)
    group : ndarray of shape (n,)
        Numbers below *n_groups*.
    n_groups : int

    References
    ----------
    DerSimonian and Laird (1986), Controlled Clinical Trials 7(3). Efron and Morris
    (1972), Journal of the American Statistical Association 67, for groups that stand
    out.

    Examples
    --------
    Uniform in both groups, then twice too early in the second:

    >>> u, group = np.tile((np.arange(200) + 0.5) / 200, 2), np.repeat([0, 1], 200)
    >>> other_weights(u, u > 0, group, 2)
    array([1., 1.])
    >>> other_weights(np.where(group, u**0.5, u), u > 0, group, 2).round(2)
    array([0.03, 0.02])
    """
    found = _differences(survival, event, group, n_groups)
    known = np.isfinite(found.noise) & (found.noise > 0)
    weights = np.ones(n_groups)
    if known.sum() >= 2:
        some = _Differences(*(values[known] for values in found))
        weights[known] = some.others / (some.others + _remaining(some))
    return weights


def _remaining(found: _Differences) -> Float:
    """Return δ², what of the squared differences is more than chance, (G,)."""
    ratio, precision = found.squares / found.noise, 1 / found.own
    share = found.own / found.noise  # of all others: 1 − n_g/N without censoring
    total, expected = float((ratio * share).sum()), float(share.sum())
    dof = _DOF * (len(ratio) - 1)
    between = 0.0
    if total > expected * chi2.ppf(_SURE, dof) / dof:
        scale = precision.sum() - (precision**2).sum() / precision.sum()
        between = (total - expected) / scale
    rest = precision.sum() - precision
    # The mean of the others has a variance between groups, too.
    among = ((precision**2).sum() - precision**2) / rest**2
    alone = ratio > chi2.ppf(_SURE_OF_ONE, _DOF) / _DOF
    own = alone * (found.squares - found.noise)
    rest_of: Float = np.maximum(between * (1 + among), own)
    return rest_of


def _differences(
    survival: Float, event: Bool, group: Index, n_groups: int
) -> _Differences:
    """Compare the survival of each group with that of all others on adjusted curves.

    On these the hazard is one at every level, or the same for all. Events are counted
    against exposure in stretches between levels, so that censored subjects count as far
    as they were seen.
    """
    events, exposure = _counts(survival, event, group, n_groups)
    all_events, all_exposure = events.sum(axis=0), exposure.sum(axis=0)
    rest_events, rest = all_events - events, all_exposure - exposure
    enough = np.minimum(exposure, rest) >= _FEWEST * _WIDTHS
    # Up to the first stretch that tells nothing.
    seen = np.cumprod(enough, axis=1).astype(bool)
    own, others = np.where(seen, exposure, 1.0), np.where(seen, rest, 1.0)
    gaps = np.where(seen, events / own - rest_events / others, 0.0) * _WIDTHS
    hazard = np.divide(
        all_events, all_exposure, where=all_exposure > 0, out=gaps[0] * 0
    )
    square = _LEVELS**2  # of survival, if its logarithm has moved by little
    spread = _WIDTHS**2 * hazard
    return _Differences(
        *(
            _mean(values * square, seen)
            for values in (
                np.cumsum(gaps, axis=1) ** 2,
                np.cumsum(spread / own, axis=1),
                np.cumsum(spread / others, axis=1),
            )
        )
    )


def _counts(
    survival: Float, event: Bool, group: Index, n_groups: int
) -> tuple[Float, Float]:
    """Return events and exposure of groups in stretches of survival, (G, L) each."""
    with np.errstate(divide="ignore"):
        hazard = -np.log(survival)
    events, exposure = np.zeros((2, n_groups, len(_CUTS)))
    place = np.searchsorted(_CUTS, hazard)
    for k, (high, width) in enumerate(zip(_CUTS, _WIDTHS, strict=True)):
        there = group[event & (place == k)]
        events[:, k] = np.bincount(there, minlength=n_groups)
        stay = np.clip(hazard - (high - width), 0.0, width)
        exposure[:, k] = np.bincount(group, stay, minlength=n_groups)
    return events, exposure


def _mean(values: Float, seen: Bool) -> Float:
    """Return the mean over the levels that were seen; NaN where none was."""
    n = seen.sum(axis=1)
    total = np.where(seen, values, 0.0).sum(axis=1)
    mean: Float = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return mean
