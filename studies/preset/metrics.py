"""The metrics as the authors' code computes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.integrate import trapezoid

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.metrics import evaluate, km_calibration, mae_po
from consurv.metrics.brier import BrierScoreResult
from consurv.metrics.evaluate import Evaluation
from consurv.metrics.ipcw import CensoringCurve
from consurv.outcome import Outcome

__all__ = ["evaluate_as_paper"]

_BRIER_POINTS = 10


def evaluate_as_paper(
    y: Outcome, curves: SurvivalCurves, *, y_train: KaplanMeier
) -> Evaluation:
    """Evaluate with KM-cal, the Brier score and MAE-PO of SurvivalEVAL.

    KM-cal ends at the last event. The Brier score has 10 points from 0 to the last time
    of training and test; where the censoring curve is 0 a subject counts as if it had
    no error, and a test set without censoring is not weighted. Pseudo-observations are
    areas below straight lines between the events of the Kaplan–Meier curve.

    Parameters
    ----------
    y : Outcome
    curves : SurvivalCurves
    y_train : KaplanMeier

    Examples
    --------
    >>> y = Outcome(time=[4.0, 5.0, 8.0, 9.0, 30.0], event=[1, 1, 0, 1, 1])
    >>> curves = SurvivalCurves([10.0], [[0.0], [0.1], [0.5], [0.6], [0.7]])
    >>> found = evaluate_as_paper(y, curves, y_train=KaplanMeier(y))
    >>> found.km_calibration.times[-1], len(found.integrated_brier_score.times)
    (np.float64(30.0), 10)
    """
    return replace(
        evaluate(y, curves, y_train=y_train),
        km_calibration=km_calibration(y, curves, grid="event"),
        integrated_brier_score=_brier(y, curves, y_train),
        mae_po=mae_po(y, curves, y_train=y_train, area="trapezoid"),
    )


def _brier(
    y: Outcome, curves: SurvivalCurves, y_train: KaplanMeier
) -> BrierScoreResult:
    last = max(float(y.time.max()), float(y_train.times[-1]))
    times = np.linspace(0.0, last, _BRIER_POINTS)
    censoring = CensoringCurve(y_train)
    with np.errstate(divide="ignore"):
        at_times = 1.0 / censoring.survival_at(times)
        at_events = np.where(y.event, 1.0 / censoring.survival_before(y.time), 0.0)
    alive = y.time[:, None] > times
    weights = np.where(alive, at_times, at_events[:, None])
    weights[~np.isfinite(weights)] = 0.0
    if y.event.all():
        weights[:] = 1.0
    scores = (weights * (curves.survival_at(times) - alive) ** 2).mean(axis=0)
    return BrierScoreResult(float(trapezoid(scores, times)) / last, times, scores)
