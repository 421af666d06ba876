"""Observed survival of a group at several times, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from consurv._checks import Bool, Float
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["Observed", "observe", "variance_of_log"]


@dataclass(frozen=True, eq=False)
class Observed:
    """What was seen of one group of subjects at T ascending times.

    Attributes
    ----------
    survival : array of shape (T,)
        The Kaplan–Meier estimate; NaN where nobody was under observation until then,
        because it would be made up.
    variance : array of shape (T,)
        Greenwood's variance of it.
    lower, upper : array of shape (T,)
        The log-log interval.
    subjects : array of shape (T,)
        The effective number of subjects between the time before (0 at first) and this
        one: as many without censoring would estimate the conditional survival as well
        as these. 0 where nothing was seen.
    """

    survival: Float
    variance: Float
    lower: Float
    upper: Float
    subjects: Float


def observe(y: Outcome, times: Float, coverage: float = 0.95) -> Observed:
    """Return what was seen of one group of n ≥ 1 subjects at ascending times.

    With G = Σ d / (n (n − d)) over the times of events up to t, the variance is S² G
    and the interval is S^exp(±z √G / log S). Where S is 1 or 0 Greenwood's formula
    knows no variance: the interval is then the exact binomial one of as many subjects
    as were followed past the time (S = 1), or had the event (S = 0).

    Examples
    --------
    >>> y = Outcome(time=[1, 2, 3, 4], event=[1, 0, 1, 0])
    >>> found = observe(y, np.array([1.0, 3.0, 5.0]))
    >>> found.survival, found.subjects
    (array([0.75 , 0.375,   nan]), array([4., 2., 0.]))
    """
    at_risk = _at_risk(y, times)
    survival, log_variance, events = _kaplan_meier(y, times)
    seen = (at_risk > 0) | (survival == 0)
    survival = np.where(seen, survival, np.nan)
    lower, upper = _interval(survival, log_variance, coverage)
    tail = (1 - coverage) / 2
    lower = np.where(survival == 1, tail ** (1 / np.maximum(at_risk, 1)), lower)
    upper = np.where(survival == 0, 1 - tail ** (1 / np.maximum(events, 1)), upper)
    subjects = _effective(survival, log_variance, at_risk, events)
    return Observed(survival, survival**2 * log_variance, lower, upper, subjects)


def _at_risk(y: Outcome, times: Float) -> Any:
    """Return how many were followed until each time, as much as they weigh."""
    if y.weight is None:
        return len(y) - np.searchsorted(np.sort(y.time), times, side="left")
    order = np.argsort(-y.time, kind="stable")
    gone = np.searchsorted(-y.time[order], -times, side="right")
    return np.append(0.0, np.cumsum(y.weight[order]))[gone]


def variance_of_log(survival: Float, subjects: Float) -> Float:
    """Return the variance of log KM(t) if *survival* is the truth, (…, T).

    It is Greenwood's sum with the true conditional probabilities p in place of the
    observed ones: Σ (1 − p) / (p · subjects) over the intervals.

    Examples
    --------
    >>> variance_of_log(np.array([0.5, 0.25]), np.array([10.0, 5.0]))
    array([0.1, 0.3])
    """
    p = _conditional(survival)
    terms = np.full_like(p, np.nan)
    np.divide(1 - p, p * subjects, out=terms, where=p * subjects > 0)
    return np.cumsum(terms, axis=-1)


def _conditional(survival: Float) -> Float:
    """Return S(t_k) / S(t_{k−1}), NaN where that was 0 already."""
    before = np.concatenate(
        [np.ones_like(survival[..., :1]), survival[..., :-1]], axis=-1
    )
    ratio: Float = np.full_like(survival, np.nan)
    np.divide(survival, before, out=ratio, where=before > 0)
    return ratio


def _kaplan_meier(y: Outcome, times: Float) -> tuple[Float, Float, Float]:
    """Return S, the variance of its logarithm and the events so far, at times."""
    if y.n_events == 0:
        return np.ones(times.size), np.zeros(times.size), np.zeros(times.size)
    km = KaplanMeier(y)
    place = np.searchsorted(km.event_times, times, side="right")
    n, d = km.at_risk[km.events > 0], km.events[km.events > 0]
    # Only the last event can leave nobody, and then S is 0 and the sum not needed.
    terms = np.divide(d, n * (n - d), out=np.zeros(d.size), where=d < n)
    sums = np.concatenate([[0.0], np.cumsum(terms)])
    events = np.concatenate([[0.0], np.cumsum(d)])
    return km.event_survival[place], sums[place], events[place]


def _interval(
    survival: Float, log_variance: Float, coverage: float
) -> tuple[Float, Float]:
    inner: Bool = (survival > 0) & (survival < 1)
    log = np.log(survival, out=np.zeros(survival.size), where=inner)
    z = ndtri((1 + coverage) / 2)
    ratio = np.zeros(survival.size)
    np.divide(z * np.sqrt(log_variance), -log, out=ratio, where=inner)
    return (
        np.where(inner, np.exp(log * np.exp(ratio)), survival),
        np.where(inner, np.exp(log * np.exp(-ratio)), survival),
    )


def _effective(
    survival: Float, log_variance: Float, at_risk: Any, events: Float
) -> Float:
    """Return the numbers for which the binomial variance is Greenwood's.

    Where no event fell between two times it is the number followed past the second,
    and where S became 0 the number of events: the least that it can be.
    """
    ratio = _conditional(survival)
    variance = np.diff(log_variance, prepend=0.0)
    inner = (ratio > 0) & (ratio < 1)
    subjects = np.zeros(survival.size)
    np.divide(1 - ratio, ratio * variance, out=subjects, where=inner)
    subjects = np.where(ratio == 1, at_risk, subjects)
    return np.where(ratio == 0, np.diff(events, prepend=0.0), subjects)
