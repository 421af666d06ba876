"""The conformal step as the authors' code takes it, in the limit of many draws."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator

from consurv._checks import Float
from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.outcome import Outcome

__all__ = ["authors_shifts", "authors_times", "joined_as_authors"]

# Draws of each censored subject; they count as so many subjects.
_DRAWS = 1000
_STEPS = 60


def joined_as_authors(curves: SurvivalCurves) -> SurvivalCurves:
    """Return the curves with their points joined by monotone cubics.

    Examples
    --------
    >>> joined_as_authors(SurvivalCurves([2.0, 4.0], [[0.5, 0.0]], "step"))
    SurvivalCurves(n=1, nodes=3, grid='shared', interpolation='pchip')
    """
    return SurvivalCurves(curves.times, curves.survival, "pchip")


def authors_times(curves: SurvivalCurves, levels: Float) -> Float:
    """Return percentile times (n, P) as they read them: 1 − S ↦ t by monotone cubics.

    Of points with the same S the first is kept, so that a flat stretch is left out.
    Beyond the last point they follow the line through (0, 1) and that point.

    Examples
    --------
    >>> curves = SurvivalCurves([1.0, 8.0, 9.0], [[0.6, 0.6, 0.2]])
    >>> authors_times(curves, np.array([0.6, 0.4, 0.1])).round(2)
    array([[ 1.  ,  3.78, 10.12]])
    """
    reached = 1.0 - levels
    # A curve that never drops gets there nowhere.
    found = np.full((len(curves), len(levels)), np.inf)
    times = np.broadcast_to(curves.times, curves.survival.shape)
    for i, (t, survival) in enumerate(zip(times, curves.survival, strict=True)):
        dead = 1.0 - survival.astype(np.float64)
        if dead[-1] == 0:
            continue
        first = np.diff(dead, prepend=-1.0) > 0
        inside = reached <= dead[-1]
        found[i, inside] = PchipInterpolator(dead[first], t[first])(reached[inside])
        found[i, ~inside] = reached[~inside] * t[-1] / dead[-1]
    return found


def authors_shifts(
    percentile_times: Float, levels: Float, y: Outcome, training: Outcome
) -> Float:
    """Return the shift of each level by their rule.

    A censored subject is drawn from the Kaplan–Meier curve of the training rows, where
    each drop of the curve is put at the observed time before it (``np.diff`` of the
    distribution function, taken at the left end). N subjects count as 1,000 N scores,
    so that the rank is ρ(N + 1/1,000) and not that of N + 1 exchangeable ones.

    Parameters
    ----------
    percentile_times : array of shape (N, P)
    levels : array of shape (P,)
    y : Outcome
        Of the N conformal subjects.
    training : Outcome

    Examples
    --------
    A fifth of the curve's mass on 3, the rest on 4 and 6; censored at 2, where the
    training rows have a time, too. Times 2, 3 and 5 are drawn.

    >>> training = Outcome(time=[2, 3, 4, 4, 5, 6], event=[0, 1, 1, 1, 0, 1])
    >>> y, levels = Outcome(time=[2], event=[0]), np.array([0.1, 0.5, 0.9])
    >>> 10 - authors_shifts(np.full((1, 3), 10.0), levels, y, training)
    array([5., 3., 2.])
    """
    law = _EarlyLaw(KaplanMeier(training))
    wanted = levels * (len(y) + 1 / _DRAWS) * (1 - 1e-12)
    largest = np.nanmax(np.where(np.isfinite(percentile_times), percentile_times, 0.0))
    low = np.full(len(levels), -max(law.end, float(y.time.max())) - 1.0)
    high = np.full(len(levels), float(largest) + 1.0)
    at_censoring = law.at(y.time)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        # P(T >= q - s): a score is no larger than s where T is no earlier than that.
        reached = percentile_times - middle
        mass = np.where(
            y.event[:, None],
            reached <= y.time[:, None],
            law.reaches(reached, at_censoring[:, None]),
        ).sum(axis=0)
        enough = mass >= wanted
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    shifts: Float = high
    return shifts


class _EarlyLaw:
    """Their conditional law: drops of the curve at the observed time before."""

    def __init__(self, km: KaplanMeier) -> None:
        start = [] if km.times[0] == 0 else [0.0]
        self._times = np.concatenate([start, km.times])
        self._survival = np.concatenate([np.ones(len(start)), km.survival])
        last, left = self._times[-1], self._survival[-1]
        self.end = float(last / (1 - left)) if left < 1 else float(last)

    def at(self, time: Float) -> Float:
        """Return S(c)."""
        place = np.searchsorted(self._times, time, side="right") - 1
        found: Float = self._survival[place]
        return found

    def reaches(self, times: Float, survival: Float) -> Float:
        """Return P(T >= t | T > c) for S(c)."""
        place = np.searchsorted(self._times, times, side="left")
        last = self._times[-1]
        beyond = np.append(self._survival, self._survival[-1])[place]
        if self.end > last:
            tail = np.clip((self.end - times) / (self.end - last), 0.0, 1.0)
            beyond = np.where(place == len(self._times), beyond * tail, beyond)
        else:
            beyond = np.where(place == len(self._times), 0.0, beyond)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Float = np.where(
                survival > 0, np.minimum(1.0, beyond / survival), times <= last
            )
        return found
