"""A caution where the model's own curves do not explain who was censored."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv.bounds.diagnostic import advice, censoring_test
from consurv.bounds.forest import NeighbourForest
from consurv.conformal.censoring.nuisance import Nuisance, curves_of, out_of_fold
from consurv.conformal.reading.raw_model import rows_of
from consurv.curves.curves import SurvivalCurves
from consurv.errors import InvalidInput
from consurv.outcome import Outcome
from consurv.report.cautions import Caution
from consurv.weighting.sample import Sample

__all__ = ["about_censoring"]

# Enough to see what matters, and few enough for curves to be held.
_MOST_ROWS, _FOLDS = 5000, 5
# With fewer of either kind the test has nothing to say.
_FEW = 30


def about_censoring(X: Any, y: Outcome, raw: SurvivalCurves) -> list[Caution]:
    """Return a caution if rules that follow the model's own curve go wrong here.

    Parameters
    ----------
    X : table of shape (n, m)
    y : Outcome of n subjects
    raw : SurvivalCurves
        What the model says of them.
    """
    rows = np.arange(min(len(y), _MOST_ROWS))
    # Weights are left aside: a right model is right for everybody.
    X, y, raw = rows_of(X, rows), y.unweighted[rows], raw[rows]
    if min(y.n_events, len(y) - y.n_events) < _FEW:
        return []
    try:
        g, order = _censoring(X, y)
    except InvalidInput:  # the forest reads numbers alone
        return []
    sample = Sample(y[order], raw[order], g)
    found = censoring_test(sample, 1 / np.log(len(y)))
    if found.explained:
        return []
    text = advice(found)
    return [Caution("Censoring is not explained", f"{text[0].upper()}{text[1:]}.")]


def _censoring(X: Any, y: Outcome) -> tuple[SurvivalCurves, Any]:
    """Return G of everybody by a forest of the others, and in which order."""
    parts, order = [], []
    rng = np.random.default_rng(0)
    for rows, models in out_of_fold(
        Nuisance(NeighbourForest(random_state=0)), (X, y), _FOLDS, rng
    ):
        parts.append(curves_of(models.censoring, X, rows))
        order.append(rows)
    return SurvivalCurves.concatenate(parts), np.concatenate(order)
