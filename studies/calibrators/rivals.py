"""Calibrators from the literature and from other packages, written anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from consurv import KaplanMeier, Outcome, SurvivalCurves
from consurv._checks import Float
from consurv.models import CoxPH

__all__ = [
    "RIVALS",
    "Calibrator",
    "breslow_slope",
    "cloglog",
    "isotonic",
    "km_of_pit",
    "km_shift",
]

# Curves of calibration subjects, their outcomes, and curves of new subjects.
Calibrator = Callable[[SurvivalCurves, Outcome, SurvivalCurves], SurvivalCurves]

_LEVELS: Float = np.arange(1, 20) / 20
_DRAWN: Float = np.r_[0.99, np.arange(39, 0, -1) / 40, 0.01]
# Probabilities stay within these where their logarithms are needed.
_INSIDE = 1e-6, 1 - 1e-6
# Points of curves that are moved time by time, and horizons of the isotonic maps.
_POINTS, _HORIZONS = 200, 20


def cloglog(
    curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
) -> SurvivalCurves:
    """H' = e^a·H^b: an intercept and a slope by censored maximum likelihood."""
    log_hazard, event = np.log(_hazards(curves, outcome)), outcome.event

    def loss(p: Float) -> float:
        fitted = p[0] + np.exp(p[1]) * log_hazard
        gain = (event * (fitted + p[1])).sum() - np.exp(np.minimum(fitted, 30)).sum()
        return -float(gain)

    a, b = minimize(loss, np.zeros(2), method="Nelder-Mead").x
    wanted = (np.log(-np.log(_LEVELS)) - a) / np.exp(b)
    return _read(new, np.exp(-np.exp(wanted)))


def km_of_pit(
    curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
) -> SurvivalCurves:
    """Levels by Kaplan–Meier of H at the observed times, exponential beyond."""
    hazard, event = _hazards(curves, outcome), outcome.event
    order = np.lexsort((~event, hazard))
    at_risk = len(order) - np.arange(len(order))
    left = np.cumprod(1 - event[order] / at_risk)
    first = np.searchsorted(-left, -_LEVELS)
    known = hazard[order][np.minimum(first, len(order) - 1)]
    last = np.clip(left[-1], 1e-12, 0.999)
    beyond = hazard[order][-1] * np.log(_LEVELS) / np.log(last)
    return _read(new, np.exp(-np.where(first < len(order), known, beyond)))


def km_shift(
    curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
) -> SurvivalCurves:
    """S'(t|x) = S(t|x) − (mean S(t) − Kaplan–Meier(t)), kept a curve.

    Examples
    --------
    >>> y = Outcome([1, 2, 3, 4], [1, 1, 1, 1])
    >>> said = SurvivalCurves([1.0, 2, 3, 4], [[0.9, 0.8, 0.7, 0.6]] * 4, "step")
    >>> km_shift(said, y, said[:1]).survival_at([1.0, 2, 3, 4]).round(12)
    array([[0.75, 0.5 , 0.25, 0.  ]])
    """
    times = _grid(outcome)
    off = curves.survival_at(times).mean(axis=0) - KaplanMeier(outcome).survival_at(
        times
    )
    return _curve(times, new.survival_at(times) - off)


def isotonic(
    curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
) -> SurvivalCurves:
    """P(T > t) by isotonic regression on S(t|x), horizon by horizon, with IPCW.

    Past the last horizon a curve goes on as the raw one.
    """
    happened = outcome.time[outcome.event]
    horizons = np.unique(np.quantile(happened, np.linspace(0.02, 0.98, _HORIZONS)))
    said, asked = curves.survival_at(horizons), new.survival_at(horizons)
    mapped = np.empty(asked.shape)
    for j, horizon in enumerate(horizons.tolist()):
        weight = _ipcw(outcome, horizon)
        known = weight > 0
        fit = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        fit.fit(said[known, j], outcome.time[known] > horizon, weight[known])
        mapped[:, j] = fit.predict(asked[:, j])
    later = _grid(outcome)
    later = later[later > horizons[-1]]
    beyond = new.survival_at(later) / np.maximum(asked[:, -1:], _INSIDE[0])
    values = np.concatenate([mapped, mapped[:, -1:] * np.minimum(beyond, 1.0)], axis=1)
    return _curve(np.concatenate([horizons, later]), values)


def breslow_slope(
    curves: SurvivalCurves, outcome: Outcome, new: SurvivalCurves
) -> SurvivalCurves:
    """Fit a Cox model to one number, log H in the middle of time: van Houwelingen's."""
    middle = [float(np.median(outcome.time))]

    def index(some: SurvivalCurves) -> Float:
        survival = np.clip(some.survival_at(middle), *_INSIDE)
        return np.log(-np.log(survival))

    return (
        CoxPH(penalty=1e-9)
        .fit(index(curves), outcome)
        .predict_survival_function(index(new))
    )


RIVALS: dict[str, Calibrator] = {
    "cloglog": cloglog,
    "isotonic, IPCW": isotonic,
    "Breslow with a slope": breslow_slope,
    "KM shift of the mean": km_shift,
    "km of pit": km_of_pit,
}


def _hazards(curves: SurvivalCurves, outcome: Outcome) -> Float:
    """Return H(t_j|x_j), in the middle of a drop.

    Steps are joined by lines: a flat start would have no hazard at all.
    """
    drawn = SurvivalCurves.from_percentile_times(curves._times_at(_DRAWN), _DRAWN)
    low = drawn.survival_at_observed(outcome.time)
    high = drawn.survival_before_observed(outcome.time)
    middle = np.where(outcome.event, (low + high) / 2, low)
    hazard: Float = -np.log(np.clip(middle, 1e-6, 1 - 1e-4))
    return hazard


def _read(new: SurvivalCurves, moved: Float) -> SurvivalCurves:
    """Return curves with what *new* says at *moved* put at the levels."""
    times = new._times_at(np.clip(moved, 0.0, 1.0))
    return SurvivalCurves.from_percentile_times(times, _LEVELS)


def _grid(outcome: Outcome) -> Float:
    """Return times that follow those of the events."""
    happened = np.unique(outcome.time[outcome.event])
    if len(happened) <= _POINTS:
        return happened
    return np.unique(np.quantile(happened, np.linspace(0, 1, _POINTS), method="lower"))


def _ipcw(outcome: Outcome, horizon: float) -> Float:
    """Return 1/G just before what is known: the event, or that it came later."""
    time, event = outcome.time, outcome.event
    censored = Outcome(time, ~event)
    if not censored.n_events:
        return np.ones(len(time))
    known = np.where(time > horizon, True, event)
    g = KaplanMeier(censored).survival_before(np.minimum(time, horizon))
    return np.where(known, 1 / np.maximum(g, 1e-3), 0.0)


def _curve(times: Float, values: Float) -> SurvivalCurves:
    """Return curves through values that may leave [0, 1] or rise."""
    falling = np.minimum.accumulate(np.clip(values, 0.0, 1.0), axis=1)
    return SurvivalCurves(times, falling)
