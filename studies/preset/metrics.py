"""The metrics as the authors' code computes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from consurv.curves.curves import SurvivalCurves
from consurv.curves.kaplan_meier import KaplanMeier
from consurv.metrics import evaluate, integrated_brier_score, km_calibration
from consurv.metrics.evaluate import Evaluation
from consurv.outcome import Outcome

__all__ = ["evaluate_as_paper"]

_BRIER_POINTS = 10


def evaluate_as_paper(
    y: Outcome, curves: SurvivalCurves, *, y_train: KaplanMeier
) -> Evaluation:
    """Evaluate with KM-cal up to the last event and the Brier score on 10 points.

    The points go from 0 to the last time of training and test; those without weights
    are left out, where the authors' code gives their weights the value 0.

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
    last = max(float(y.time.max()), float(y_train.times[-1]))
    return replace(
        evaluate(y, curves, y_train=y_train),
        km_calibration=km_calibration(y, curves, grid="event"),
        integrated_brier_score=integrated_brier_score(
            y, curves, y_train=y_train, times=np.linspace(0.0, last, _BRIER_POINTS)
        ),
    )
