"""Subjects of low risk, with a bound on the share of false discoveries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Bool, Float
from consurv.curves.curves import SurvivalCurves
from consurv.weighting.sample import Sample
from consurv.weighting.weights import inverse

__all__ = ["Screening", "adjusted", "p_values", "screened"]


@dataclass(frozen=True)
class Screening:
    """Who is flagged as one who survives.

    Attributes
    ----------
    selected : ndarray of bool of shape (n,)
    p_values : ndarray of shape (n,)
        Against T ≤ time.
    survival : ndarray of shape (n,)
        Lower bounds of the survival at the time: 1 less the p-value, adjusted for
        having asked of all n subjects.

    Examples
    --------
    >>> found = Screening(np.array([True, False]), np.array([0.01, 0.4]),
    ...                   survival=np.array([0.98, 0.6]))
    >>> np.flatnonzero(found.selected)
    array([0])
    """

    selected: Bool
    p_values: Float
    survival: Float


def p_values(sample: Sample, model: SurvivalCurves, time: float) -> Float:
    """Return conformal p-values (n,) against T ≤ *time*.

    Calibration subjects of whom it is known at *time* whether T ≤ time (Y > time, or an
    event) have weights w = min(n, 1/G(min(Y, time)⁻|x)), and

        p(x) = (1 + Σ w·1(event, Y ≤ time, S(time|x_i) ≥ S(time|x))) / (1 + Σ w):

    how many of those who die by *time* look as safe as x does. Without censoring
    P(p ≤ u, T ≤ time) ≤ u for every u, by exchangeability of the scores
    S(time|x), lifted where T ≤ time.

    The paper's scores are S(Y|x_i) and its weights those of all events. Both are valid;
    but by such scores a subject at high risk who dies at once looks as safe as one at
    low risk (nobody is flagged at all where half of the subjects could be), and where G
    is small after *time* the weights of late events drown all others.

    Examples
    --------
    >>> from consurv import Outcome
    >>> curves = SurvivalCurves([10.0], np.linspace(0, 0.8, 9)[:, None])
    >>> sample = Sample(Outcome(time=range(1, 10), event=[1] * 9), curves)
    >>> p_values(sample, curves[[0, 8]], 3.5)  # three die by then, those like the first
    array([0.4, 0.1])
    """
    event, observed = sample.outcome.event, sample.outcome.time
    weight = np.where(event | (observed > time), sample.counts, 0.0)
    if sample.censoring is not None:
        seen = np.minimum(observed, time)
        g = sample.censoring.survival_before_observed(seen)
        weight = weight * inverse(g, float(len(sample)))
    early = event & (observed <= time)
    score = sample.model[early].survival_at(np.array([time]))[:, 0]
    mass = weight[early]
    order = np.argsort(score)
    below = np.append(0.0, np.cumsum(mass[order]))
    at = model.survival_at(np.array([time]))[:, 0]
    above: Float = below[-1] - below[np.searchsorted(score[order], at, side="left")]
    return np.asarray((1 + above) / (1 + float(weight.sum())))


def adjusted(p: Float) -> Float:
    """Return p-values adjusted for their number (Benjamini and Hochberg).

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, 0.03, 0.9]))
    array([0.04      , 0.05333333, 0.05333333, 0.9       ])
    """
    order = np.argsort(p)
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    least = np.minimum.accumulate(scaled[::-1])[::-1]
    found = np.empty_like(p)
    found[order] = np.minimum(least, 1.0)
    return found


def screened(
    sample: Sample,
    model: SurvivalCurves,
    time: float,
    survival: float,
    fdr: float,
    seen: Bool | None = None,
) -> Screening:
    """Return who is flagged: adjusted p ≤ fdr and 1 − adjusted p ≥ survival.

    Those who are not *seen* until *time* often enough have a p-value of 1.
    """
    p = p_values(sample, model, time)
    if seen is not None:
        p = np.where(seen, p, 1.0)
    corrected = adjusted(p)
    bound = 1 - corrected
    # 1 − 0.1 is not quite 0.9: both are compared with the room of rounding.
    selected = (corrected <= fdr + 1e-12) & (bound >= survival - 1e-12)
    return Screening(selected, p, bound)
