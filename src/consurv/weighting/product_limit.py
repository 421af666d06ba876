"""The weighted Kaplan–Meier curve of scores: how much is covered, level by level."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.weighting.sample import Sample, before
from consurv.weighting.weights import inverse

__all__ = ["covered_shares"]

# Levels that are looked at together: enough for numpy, few enough to stop early.
_AT_ONCE = 64


def covered_shares(
    sample: Sample, levels: Float, most: float = np.inf, enough: float = 0.0
) -> Float:
    """Return which share (m,) of subjects is covered at levels (m,), which fall.

    From a level ρ to the next lower one ρ' the share falls by the factor
    1 − Σ w/Σ v: over the events with ρ' < S(Y|x) ≤ ρ, w = 1/G(Y⁻|x), and over those who
    are seen at q(ρ|x), v = 1/G(q⁻|x). Levels may be left out: each factor is an
    estimate of P(T ≥ q(ρ'))/P(T ≥ q(ρ)), whatever lies between.

    Parameters
    ----------
    sample : Sample
        Censored.
    levels : ndarray of shape (m,)
        Falling.
    most : float
        1/G is clipped there.
    enough : float
        Once the share is less than this it is not looked at further, and 0.

    Returns
    -------
    ndarray of shape (m,)
        NaN where G is 0 but would have to be known, and from there on.

    Examples
    --------
    Without weights (G = 1) it is the Kaplan–Meier curve of the scores; here one of four
    is censored, at the second score:

    >>> from consurv import Outcome, SurvivalCurves
    >>> s = SurvivalCurves([10.0], [[0.0]] * 4)
    >>> g = SurvivalCurves([20.0], [[1.0]] * 4)
    >>> sample = Sample(Outcome(time=[1, 2, 3, 4], event=[1, 0, 1, 1]), s, g)
    >>> covered_shares(sample, np.array([0.9, 0.8, 0.7, 0.6]))
    array([1.   , 0.75 , 0.75 , 0.375])
    """
    lost = _lost(sample, levels, most)
    # Nobody is missed at level 1, which is met at time 0.
    share = 1 - lost[0] / float(sample.counts.sum())
    found = np.zeros(len(levels))
    for start in range(0, len(levels), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        factor = 1 - _hazards(sample, levels[some], lost[1:][some], most)
        shares = share * np.append(1.0, np.cumprod(factor))
        found[some], share = shares[:-1], shares[-1]
        if share < enough:
            break
    return found


def _lost(sample: Sample, levels: Float, most: float) -> Float:
    """Return what events weigh (m + 1,) above all levels, between two, below all."""
    chosen = sample.outcome.event & ~sample.late
    time = sample.outcome.time[chosen][:, None]
    g = before(sample.known_censoring[chosen], time)[:, 0]
    weight = sample.counts[chosen] * inverse(g, most)
    place = np.searchsorted(-levels, -sample.score[chosen], side="right")
    return np.bincount(place, weight, len(levels) + 1).astype(float)


def _hazards(sample: Sample, levels: Float, lost: Float, most: float) -> Float:
    """Return which share of those covered at levels (m,) is lost before the next."""
    hazard = np.zeros(len(levels))
    # Levels after which nobody is lost need no weights; what is NaN is lost.
    falls = lost != 0
    if not falls.any():
        return hazard
    g = before(sample.known_censoring, sample.bounds(levels[falls]))
    weight = np.where(sample.covered(levels[falls]), inverse(g, most), 0.0)
    seen = sample.counts @ weight
    hazard[falls] = np.minimum(lost[falls] / seen, 1.0)
    return hazard
