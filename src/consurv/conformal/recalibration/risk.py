"""The scale of risk: normal scores of raw medians, agreed on for all subjects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from consurv._checks import Float

__all__ = ["RiskScale", "knot_shares", "n_groups"]

# A knot for so many subjects, no fewer than five and no more than forty: the normal
# score is smooth, and knots are stored. Groups of subjects alike, up to twenty.
_PER_KNOT, _FEWEST, _MOST = 10, 5, 40
_MOST_GROUPS = 20
# Beyond this score few subjects say anything: a slope goes no further.
_CAP = 2.5
# Log medians closer than this are tied.
_TIED = 1e-9


@dataclass(frozen=True)
class RiskScale:
    """Normal scores of log medians: low where the raw model says early.

    Attributes
    ----------
    log_medians : ndarray of shape (k,)
        Knots, ascending.
    scores : ndarray of shape (k,)
        Of the knots; between them on a line, outside as at the last one.

    Examples
    --------
    >>> scale = RiskScale.of(np.arange(50.0))
    >>> scale.at(np.array([-9.0, 24.5, 99.0])).round(3)
    array([-1.282,  0.   ,  1.282])
    """

    log_medians: Float
    scores: Float

    @classmethod
    def of(cls, log_median: Float) -> RiskScale:
        """Return the scale of subjects; tied medians share the mean score."""
        shares = knot_shares(len(log_median))
        return cls.through(np.quantile(log_median, shares), shares)

    @classmethod
    def through(cls, knots: Float, shares: Float) -> RiskScale:
        """Return the scale by quantiles of log medians at some shares."""
        new = np.concatenate([[True], np.diff(knots) > _TIED])
        group = np.cumsum(new) - 1
        scores = np.clip(ndtri(shares), -_CAP, _CAP)
        return cls(knots[new], np.bincount(group, scores) / np.bincount(group))

    def at(self, log_median: Float) -> Float:
        """Return the scores of log medians."""
        return np.interp(log_median, self.log_medians, self.scores)

    def median_at(self, score: float) -> float:
        """Return the log median that has a score."""
        return float(np.interp(score, self.scores, self.log_medians))


def knot_shares(n: float) -> Float:
    """Return at which shares of n subjects the knots of their scale lie."""
    knots = int(np.clip(n // _PER_KNOT, _FEWEST, _MOST))
    return (np.arange(knots) + 0.5) / knots


def n_groups(n: float) -> int:
    """Return into how many groups of risk n subjects are cut."""
    return int(np.clip(n // _PER_KNOT, _FEWEST, _MOST_GROUPS))
