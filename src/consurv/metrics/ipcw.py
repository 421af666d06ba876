"""The curve of the censoring times, for inverse probability of censoring weights."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from consurv._checks import Bool, Float
from consurv._params import OneOf
from consurv.curves.kaplan_meier import KaplanMeier

__all__ = ["SIDES", "CensoringCurve", "Side"]

Side = Literal["left", "right"]
SIDES = OneOf("left", "right")
_ROUNDING = 1e-9


class CensoringCurve:
    """G(t) = P(C > t), the Kaplan–Meier estimate of the censoring times.

    At a tied time the events leave before the censorings, because a subject with an
    event at t was not censored there: with n at risk, d events and c censorings, G
    falls by the factor 1 − c / (n − d). Counting censorings as events of an ordinary
    Kaplan–Meier estimate, as some libraries do, takes c / n instead.

    G is known from 0 to the last observed time. Where that is a censoring that nobody
    outlives, G is 0 there, and no weight 1/G exists.

    Parameters
    ----------
    y : Outcome, structured array, DataFrame, pair (event, time) or KaplanMeier
        The outcomes whose censoring is described, or the estimate made from them.

    Attributes
    ----------
    times : ndarray of shape (K,)
        The distinct censoring times, ascending.
    survival : ndarray of shape (K + 1,)
        1, then G after each of them.
    t_max : float
        The last observed time, event or censoring.

    Examples
    --------
    >>> curve = CensoringCurve(([1, 0, 0, 1], [2, 2, 3, 5]))
    >>> curve.survival_at([1, 2, 3]).round(3), curve.survival_before([2, 3]).round(3)
    (array([1.   , 0.667, 0.333]), array([1.   , 0.667]))
    >>> curve.is_positive_at([5, 6])
    array([ True, False])
    """

    times: Float
    survival: Float
    t_max: float

    def __init__(self, y: Any) -> None:
        km = y if isinstance(y, KaplanMeier) else KaplanMeier(y)
        censored = -np.diff(km.at_risk, append=0) - km.events
        if censored.dtype.kind == "f":  # sums of weights are rounded
            censored = np.where(censored > _ROUNDING * km.at_risk, censored, 0.0)
        place = np.flatnonzero(censored)
        self.t_max = km.t_max
        self.times, self.survival = np.empty(0), np.ones(1)
        if place.size:
            # The same estimate with other counts.
            at_risk = (km.at_risk - km.events)[place]
            curve = KaplanMeier.from_arrays(km.times[place], at_risk, censored[place])
            self.times, self.survival = curve.event_times, curve.event_survival

    def survival_at(self, t: Float | list[float]) -> Float:
        """Return G(t), which past ``t_max`` is the last value."""
        return self._look_up(t, "right")

    def survival_before(self, t: Float | list[float]) -> Float:
        """Return G(t⁻) = P(C ≥ t), which past ``t_max`` is the last value."""
        return self._look_up(t, "left")

    def weights_of(self, time: Float, side: Side) -> Float:
        """Return 1/G(t⁻) (``"left"``) or 1/G(t), and 0 where that does not exist."""
        probability = self._look_up(time, side)
        exists = (probability > 0) & (time <= self.t_max)
        weights = np.zeros(len(time))
        np.divide(1.0, probability, out=weights, where=exists)
        return weights

    def is_positive_at(self, t: Float | list[float]) -> Bool:
        """Say where G is known and above 0, so that weights 1/G(t) exist."""
        return np.asarray((np.asarray(t) <= self.t_max) & (self.survival_at(t) > 0))

    def _look_up(self, t: Float | list[float], side: Side) -> Float:
        steps: Float = self.survival[np.searchsorted(self.times, t, side=side)]
        return steps
