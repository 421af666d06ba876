"""Surrogate times by the trapezoid area below the Kaplan–Meier steps.

SurvivalEVAL joins the Kaplan–Meier estimate by straight lines before it takes areas,
which is less than the area below the steps. These are its surrogate times, for those
who compare numbers; ours are those of :class:`KaplanMeier`.
"""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["trapezoid_conditional_mean", "trapezoid_pseudo_observations"]


def trapezoid_conditional_mean(km: KaplanMeier, c: Float) -> Float:
    """Return E[T | T > c] with lines between the observed times; O(n log n).

    Parameters
    ----------
    km : KaplanMeier
    c : array of shape (n,)

    Examples
    --------
    >>> km = KaplanMeier(([1, 1], [2, 6]))
    >>> trapezoid_conditional_mean(km, np.array([1.0, 2.0, 7.0])).round(3)
    array([2.75, 4.  , 7.  ])
    """
    nodes = np.concatenate(([0.0], km.times, [km.t_end]))
    survival = np.concatenate(([1.0], km.survival, [0.0]))
    area_from = np.cumsum(_trapezoids(nodes, survival)[::-1])[::-1]
    area_from = np.append(area_from, 0.0)
    alive = km.survival_at(c)
    after = np.minimum(np.searchsorted(nodes, c, side="right"), len(nodes) - 1)
    first = (nodes[after] - c) * (survival[after] + alive) / 2
    means: Float = c.copy()  # stays where nobody outlives c
    known = alive > 0
    means[known] += (first + area_from[after])[known] / alive[known]
    return means


def trapezoid_pseudo_observations(km: KaplanMeier, c: Float) -> Float:
    """Return (N + 1)θ₊ᵢ − Nθ for subjects censored at *c*, with lines between events.

    A censored subject lowers every fall of the curve up to c, and leaves the later
    ones as they are: the curve changes by prefix products before and by one factor
    after. O(n log n) for all subjects together.

    Parameters
    ----------
    km : KaplanMeier
        The sample of N subjects that each of the others is added to.
    c : array of shape (n,)

    Examples
    --------
    >>> km = KaplanMeier(([1, 1], [2, 6]))
    >>> trapezoid_pseudo_observations(km, np.array([4.0])).round(3)
    array([4.])
    """
    place = np.union1d(np.flatnonzero(km.events), len(km.times) - 1)
    at_risk, events = km.at_risk[place], km.events[place]
    times = np.append(0.0, km.times[place])
    survival = np.append(1.0, km.survival[place])
    changed = np.append(1.0, np.cumprod(1 - events / (at_risk + 1)))
    area = np.append(0.0, np.cumsum(_trapezoids(times, survival)))
    changed_area = np.append(0.0, np.cumsum(_trapezoids(times, changed)))
    mean = area[-1] + _tail(times[-1:], survival[-1:])

    node = np.searchsorted(times, c, side="right") - 1
    last = node == len(times) - 1
    # S is 0 at the last node at most, where nothing lies beyond.
    factor = changed[node] / np.where(last, 1.0, survival[node])
    beyond = np.where(last, c - times[-1], 0.0)
    body = changed_area[node] + factor * np.where(last, beyond, area[-1] - area[node])
    end_survival = np.where(last, factor, factor * survival[-1])
    changed_mean = body + _tail(times[-1] + beyond, end_survival)
    return np.asarray((km.n + 1) * changed_mean - km.n * mean)


def _trapezoids(times: Float, survival: Float) -> Float:
    return np.asarray(np.diff(times) * (survival[:-1] + survival[1:]) / 2)


def _tail(last_time: Float, last_survival: Float) -> Float:
    """Return the area below the line from the last node to its end."""
    return last_time * (last_survival**2 / (2 * (1 - last_survival)))
