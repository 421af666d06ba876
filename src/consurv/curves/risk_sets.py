"""Who is at risk at each event time: sums over all risk sets in one pass."""

from __future__ import annotations

import numpy as np

from consurv._checks import Float
from consurv.outcome import Outcome

__all__ = ["RiskSets"]


class RiskSets:
    """The risk sets of the Cox model with Breslow's ties.

    Log risks, called scores, come in the order of leaving, the last to leave first:
    ``scores[order]``. Each method is O(n) and sums logarithms, so that it neither
    overflows nor underflows, however far the scores are apart.

    Parameters
    ----------
    outcome : Outcome
        At least one event.

    Attributes
    ----------
    order : array of shape (n,)
        The subjects from the last time to the first.
    event : array of shape (n,)
        Their events, in that order.
    closes : array of shape (k,)
        For each event time, from the last, the row that completes its risk set.
    counts : array of shape (k,)
        The number of events at each.

    Examples
    --------
    >>> sets = RiskSets(Outcome(time=[1, 2, 3], event=[1, 0, 1]))
    >>> sets.order, np.exp(sets.log_at_risk(np.zeros(3)))
    (array([2, 1, 0]), array([1., 3.]))
    """

    def __init__(self, outcome: Outcome) -> None:
        self.order = np.argsort(-outcome.time, kind="stable")
        time, self.event = outcome.time[self.order], outcome.event[self.order]
        # At a time all who share it are at risk: the last of them closes the set.
        last = np.searchsorted(-time, -time, side="right") - 1
        self.closes, counts = np.unique(last[self.event], return_counts=True)
        self.counts = counts.astype(float)
        # Row j is in every risk set that closes at or after it.
        self._first_set = np.searchsorted(self.closes, np.arange(len(time)))

    def log_at_risk(self, scores: Float) -> Float:
        """Return the log of each risk set's total risk, shape (k,)."""
        return np.logaddexp.accumulate(scores)[self.closes]

    def expected(self, scores: Float) -> Float:
        """Return the expected events of each row: its risk times its hazard."""
        terms = np.log(self.counts) - self.log_at_risk(scores)
        log_hazard = np.logaddexp.accumulate(terms[::-1])[::-1]
        expected: Float = np.exp(
            scores + np.append(log_hazard, -np.inf)[self._first_set]
        )
        return expected

    def residuals(self, scores: Float) -> Float:
        """Return events less expected events of each row, the martingale residuals.

        They are the gradient of the log partial likelihood by the scores, and add up
        to 0.
        """
        return self.event - self.expected(scores)
