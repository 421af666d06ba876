"""Who takes part: raw curves, every kind of adjustment, plain rivals and oracles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv._checks import Float
from consurv.conformal.adjustments import ADJUSTMENTS
from studies.bed.judge import LEVELS
from studies.bed.world import Draw

__all__ = ["Contestant", "contestants"]

Contestant = Callable[[Draw], SurvivalCurves]
# No true time is later: those who are cured have none.
_NEVER = 1e6
_DRAWN: Float = np.r_[0.99, np.arange(39, 0, -1) / 40, 0.01]


def contestants() -> dict[str, Contestant]:
    """Return all contestants by name; kinds that were registered are among them."""
    kinds: dict[str, Contestant] = {kind: _calibrated(kind) for kind in ADJUSTMENTS}
    return {
        "raw": lambda draw: draw.test,
        **kinds,
        "time, kaplan-meier": _calibrated("time", "kaplan-meier"),
        "level, uniform": _calibrated("level", "uniform"),
        "km of pit": km_of_pit,
        "cloglog": cloglog,
        "oracle time": _oracle("time"),
        "oracle log-time": _oracle("log-time"),
    }


def _adjusted(draw: Draw, outcome: Outcome, **options: Any) -> SurvivalCurves:
    """Return what the package makes of the draw."""
    curves = [draw.curves, draw.test]

    def model(X: Float) -> SurvivalCurves:
        """Look up curves: the first column says which set, the second which row."""
        return curves[int(X[0, 0])][X[:, 1].astype(int)]

    def rows(which: int) -> Float:
        n = len(curves[which])
        return np.column_stack([np.full(n, float(which)), np.arange(n)])

    post = ConformalSurvival(model, **options).conformalize(rows(0), outcome)
    return post.predict_survival_function(rows(1))


def _calibrated(adjustment: str, censoring: str = "auto") -> Contestant:
    """Return a kind of adjustment with its rule for censored subjects."""
    options = {"adjustment": adjustment, "censoring": censoring}
    return lambda draw: _adjusted(draw, draw.outcome, **options)


def _oracle(adjustment: str) -> Contestant:
    """Return a kind that is told the true times."""

    def oracle(draw: Draw) -> SurvivalCurves:
        time = np.minimum(draw.true_time, _NEVER)
        told = Outcome(time, np.ones(len(time)))
        return _adjusted(draw, told, adjustment=adjustment)

    return oracle


def _hazards(draw: Draw) -> Float:
    """Return H_raw(t_j|x_j), in the middle of a drop.

    Steps are joined by lines: a flat start would have no hazard at all.
    """
    drawn = SurvivalCurves.from_percentile_times(draw.curves._times_at(_DRAWN), _DRAWN)
    low = drawn.survival_at_observed(draw.outcome.time)
    high = drawn.survival_before_observed(draw.outcome.time)
    middle = np.where(draw.outcome.event, (low + high) / 2, low)
    hazard: Float = -np.log(np.clip(middle, 1e-6, 1 - 1e-4))
    return hazard


def _read(draw: Draw, moved: Float) -> SurvivalCurves:
    """Return the test curves with what they say at *moved* put at LEVELS."""
    times = draw.test._times_at(np.clip(moved, 0.0, 1.0))
    return SurvivalCurves.from_percentile_times(times, LEVELS)


def km_of_pit(draw: Draw) -> SurvivalCurves:
    """Levels by Kaplan–Meier of H_raw at the observed times, exponential beyond."""
    hazard, event = _hazards(draw), draw.outcome.event
    order = np.lexsort((~event, hazard))
    at_risk = len(order) - np.arange(len(order))
    left = np.cumprod(1 - event[order] / at_risk)
    first = np.searchsorted(-left, -LEVELS)
    known = hazard[order][np.minimum(first, len(order) - 1)]
    last = np.clip(left[-1], 1e-12, 0.999)
    beyond = hazard[order][-1] * np.log(LEVELS) / np.log(last)
    return _read(draw, np.exp(-np.where(first < len(order), known, beyond)))


def cloglog(draw: Draw) -> SurvivalCurves:
    """H' = e^a·H^b by maximum likelihood: an intercept and a slope."""
    log_hazard, event = np.log(_hazards(draw)), draw.outcome.event

    def loss(p: Float) -> float:
        fitted = p[0] + np.exp(p[1]) * log_hazard
        gain = (event * (fitted + p[1])).sum() - np.exp(np.minimum(fitted, 30)).sum()
        return -float(gain)

    a, b = minimize(loss, np.zeros(2), method="Nelder-Mead").x
    wanted = (np.log(-np.log(LEVELS)) - a) / np.exp(b)
    return _read(draw, np.exp(-np.exp(wanted)))
