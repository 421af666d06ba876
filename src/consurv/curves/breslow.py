"""Breslow's baseline: from risk scores to survival curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consurv._checks import Float, as_floats, check_same_length
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations import Proportional, Steps
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["Baseline", "breslow"]


@dataclass(frozen=True)
class Baseline:
    """A cumulative baseline hazard H₀, a step function.

    Attributes
    ----------
    times : array of shape (k,)
        The distinct event times and, if it is later, the last observed time.
    log_hazard : array of shape (k,)
        log H₀ at these times. Logarithms neither overflow nor underflow, whatever
        the size of the risk scores.
    """

    times: Float
    log_hazard: Float

    def curves(self, log_risk: NDArray[np.floating]) -> SurvivalCurves:
        """Return S(t | x) = exp(−H₀(t) exp(log_risk(x))) as step curves.

        They are held as log risks beside this baseline, not as a table.

        Parameters
        ----------
        log_risk : array of shape (n,)

        Examples
        --------
        >>> y = Outcome(time=[1, 2], event=[1, 1])
        >>> breslow(np.zeros(2), y).curves(np.zeros(1)).survival.round(3)
        array([[1.   , 0.607, 0.223]])
        """
        return SurvivalCurves._of(Proportional([self._steps], log_risk))

    def to_kept(self) -> dict[str, Float]:
        """Return times and log hazards, for a file."""
        return {"times": self.times, "log_hazard": self.log_hazard}

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Baseline:
        """Return the baseline that ``to_kept`` told of."""
        return cls(*(as_floats(state[name], name) for name in ("times", "log_hazard")))

    @cached_property
    def _steps(self) -> Steps:
        # Kept, so that the curves of all chunks share one.
        return Steps(self.times, self.log_hazard)


def breslow(log_risk: ArrayLike, outcome: Any) -> Baseline:
    """Return Breslow's estimate of the cumulative baseline hazard.

    H₀(t) = Σ over event times tᵢ ≤ t of dᵢ / Σ over those at risk at tᵢ of exp(log
    risk), with dᵢ the number of events at tᵢ. O(n log n).

    Parameters
    ----------
    log_risk : array-like of shape (n,)
        Log of the hazard ratio of each training subject.
    outcome : Outcome or anything that ``Outcome.of`` takes
        Their outcomes, at least one event.

    Returns
    -------
    Baseline
        ``baseline.curves(log_risk)`` gives the curves of new subjects.

    Raises
    ------
    InvalidInput
        If a score is missing, there is no event, or the lengths differ.

    Examples
    --------
    >>> y = Outcome(time=[1, 2, 2, 3], event=[1, 1, 0, 0])
    >>> baseline = breslow(np.zeros(4), y)
    >>> baseline.times, np.exp(baseline.log_hazard).round(3)
    (array([1., 2., 3.]), array([0.25 , 0.583, 0.583]))
    """
    outcome = Outcome.of(outcome)
    scores = as_floats(log_risk, "log_risk")
    check_same_length(log_risk=len(scores), outcome=len(outcome))
    if outcome.n_events == 0:
        raise InvalidInput(
            f"none of the {len(outcome)} subjects has an event; Breslow's baseline "
            "needs at least one"
        )
    order = np.argsort(outcome.time, kind="stable")
    time, event, scores = outcome.time[order], outcome.event[order], scores[order]
    log_at_risk = np.logaddexp.accumulate(scores[::-1])[::-1]
    times, counts = np.unique(time[event], return_counts=True)
    # All who share the time are at risk there, so the first of them counts.
    first = np.searchsorted(time, times, side="left")
    log_hazard = np.logaddexp.accumulate(np.log(counts) - log_at_risk[first])
    if time[-1] > times[-1]:  # flat until the end of follow-up
        times = np.append(times, time[-1])
        log_hazard = np.append(log_hazard, log_hazard[-1])
    return Baseline(times, log_hazard)
