"""Who takes part: raw curves, every kind of adjustment, plain rivals and oracles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from consurv import ConformalSurvival, Outcome, SurvivalCurves
from consurv._checks import Float
from consurv.conformal.adjustments import ADJUSTMENTS
from studies.bed.world import Draw
from studies.calibrators.rivals import RIVALS, Calibrator

__all__ = ["Contestant", "contestants", "further"]

Contestant = Callable[[Draw], SurvivalCurves]
# No true time is later: those who are cured have none.
_NEVER = 1e6


def contestants() -> dict[str, Contestant]:
    """Return all contestants by name; kinds that were registered are among them."""
    kinds: dict[str, Contestant] = {kind: _calibrated(kind) for kind in ADJUSTMENTS}
    return {
        "raw": lambda draw: draw.test,
        **kinds,
        "time, kaplan-meier": _calibrated("time", "kaplan-meier"),
        "level, uniform": _calibrated("level", "uniform"),
        **{name: _rival(rival) for name, rival in RIVALS.items()},
        "oracle time": _oracle("time"),
        "oracle log-time": _oracle("log-time"),
    }


def further() -> dict[str, Contestant]:
    """Return those that take part where they are asked for, and in group "further".

    They are the other rules for censored subjects, and a conformal step after the
    default on the same subjects, whose curves did not see their outcomes.
    """
    rules = ("self-consistent", "local", "margin", "uncensored")
    return {
        **{f"time, {rule}": _calibrated("time", rule) for rule in rules},
        **{f"recalibrated, {kind}": _two_steps(kind) for kind in ("log-time", "level")},
    }


def _adjusted(
    draw: Draw, outcome: Outcome, of: SurvivalCurves | None = None, **options: Any
) -> SurvivalCurves:
    """Return what the package makes of curves; not said: of the test subjects."""
    curves = [draw.curves, draw.test if of is None else of]

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
    options: dict[str, Any] = {"adjustment": adjustment, "censoring": censoring}
    return lambda draw: _adjusted(draw, draw.outcome, **options)


def _two_steps(adjustment: str) -> Contestant:
    """Return a kind of adjustment of the curves that the default has made."""

    def steps(draw: Draw) -> SurvivalCurves:
        both = (
            _adjusted(draw, draw.outcome, of=of, adjustment="recalibrated")
            for of in (draw.curves, draw.test)
        )
        curves, test = both
        mended = replace(draw, curves=curves, test=test)
        return _adjusted(mended, draw.outcome, adjustment=adjustment)

    return steps


def _oracle(adjustment: str) -> Contestant:
    """Return a kind that is told the true times."""

    def oracle(draw: Draw) -> SurvivalCurves:
        time = np.minimum(draw.true_time, _NEVER)
        told = Outcome(time, np.ones(len(time)))
        return _adjusted(draw, told, adjustment=adjustment)

    return oracle


def _rival(calibrator: Calibrator) -> Contestant:
    return lambda draw: calibrator(draw.curves, draw.outcome, draw.test)
