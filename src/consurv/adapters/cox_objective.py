"""The Cox likelihood as an objective of boosters that have none of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.curves.risk_sets import RiskSets
from consurv.outcome import Outcome

__all__ = ["CoxObjective"]

# A row whose risk sets are nearly empty still gets a finite step.
_LEAST = 1e-6


class CoxObjective:
    """Gradient and curvature of minus the log partial likelihood, for LightGBM.

    Rows are known by their place: ``y_true`` is not looked at. The curvature is the
    expected number of events, an upper bound of the second derivative.

    Parameters
    ----------
    outcome : Outcome
        Of the training rows, in their order.

    Examples
    --------
    >>> objective = CoxObjective(Outcome(time=[1, 2], event=[1, 1]))
    >>> objective(None, np.zeros(2))
    (array([-0.5,  0.5]), array([0.5, 1.5]))
    """

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._sets = RiskSets(outcome)

    def __call__(self, y_true: Any, scores: Any) -> tuple[Float, Float]:
        """Return gradient and curvature by the scores, of shape (n,)."""
        order = self._sets.order
        expected = np.empty(len(order))
        expected[order] = self._sets.expected(np.asarray(scores, dtype=float)[order])
        return expected - self.outcome.event, np.maximum(expected, _LEAST)

    def __deepcopy__(self, memo: Any) -> CoxObjective:
        return self  # it does not change
