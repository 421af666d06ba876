"""What calibration subjects tell a lower bound: outcomes, curves and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Bool, Float
from consurv.curves.curves import SurvivalCurves
from consurv.outcome import Outcome

__all__ = ["Sample", "before"]

# No more levels than these are looked at where all are: bounds are cautious by what
# lies between two of them.
_MOST = 2048


@dataclass(frozen=True)
class Sample:
    """Calibration subjects with what models that never saw them say of them.

    Parameters
    ----------
    outcome : Outcome of n subjects
    model : SurvivalCurves
        S(t|x), the curves whose quantiles become bounds.
    censoring : SurvivalCurves or None
        G(t|x) = P(C > t|x); None where nobody is censored.
    event : SurvivalCurves or None
        Another S(t|x), that the doubly robust methods follow beyond a censoring; None
        is ``model``.
    limit : ndarray of shape (n,) or None
        C of everybody, where it is known.
    weight : ndarray of shape (n,) or None
        What each subject counts; by default what its outcome weighs.
    cap : ndarray of shape (n,) or None
        Bounds are at most that.

    Examples
    --------
    >>> curves = SurvivalCurves([10.0], [[0.0]] * 2)
    >>> sample = Sample(Outcome(time=[1, 4], event=[1, 1]), curves)
    >>> sample.score, sample.is_censored
    (array([0.9, 0.6]), False)
    """

    outcome: Outcome
    model: SurvivalCurves
    censoring: SurvivalCurves | None = None
    event: SurvivalCurves | None = None
    limit: Float | None = None
    weight: Float | None = None
    cap: Float | None = None

    def capped(self, least: float | None) -> Sample:
        """Return the sample with bounds up to the time at which G falls to *least*."""
        if least is None:
            return self
        cap = self.known_censoring._times_at(np.array([least]))[:, 0]
        return replace(self, cap=cap)

    def to_kept(self) -> dict[str, Any]:
        """Return outcomes, curves and limits, for a file."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_kept(cls, state: Mapping[str, Any]) -> Sample:
        """Return the sample that ``to_kept`` told of."""
        sample = cls(**state)
        parts = [part for part in state.values() if part is not None]
        curves = (sample.model, sample.censoring, sample.event)
        if not isinstance(sample.outcome, Outcome) or not all(
            isinstance(part, SurvivalCurves | None) for part in curves
        ):
            raise ValueError("its sample has no outcomes or no curves")
        if {len(part) for part in parts} != {len(sample)}:
            raise ValueError("parts of its sample have different lengths")
        return sample

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def is_censored(self) -> bool:
        """Whether there is a censoring distribution to be reckoned with."""
        return self.censoring is not None

    @property
    def known_censoring(self) -> SurvivalCurves:
        """G of a censored sample."""
        assert self.censoring is not None
        return self.censoring

    @property
    def known_limit(self) -> Float:
        """C of everybody, of a sample of which it is known."""
        assert self.limit is not None
        return self.limit

    @cached_property
    def counts(self) -> Float:
        """What each subject counts, of shape (n,)."""
        return self.outcome.weights if self.weight is None else self.weight

    @cached_property
    def score(self) -> Float:
        """S(Y|x) of each subject: q(ρ|x) ≤ Y where it is at most ρ."""
        return self.model.survival_at_observed(self.outcome.time)

    @cached_property
    def candidates(self) -> Float:
        """The levels at which a bound passes somebody's time, falling."""
        return np.unique(self.score)[::-1]

    @cached_property
    def some_candidates(self) -> Float:
        """Candidates, of more than 2,048 of them that many, evenly spread."""
        stride = -(-len(self.candidates) // _MOST)
        return self.candidates[stride - 1 :: stride]

    def bounds(self, levels: Float) -> Float:
        """Return q(ρ|x) (n, m) of all subjects at levels (m,) in [0, 1], capped."""
        q = self.model._times_at(levels)
        return q if self.cap is None else np.minimum(q, self.cap[:, None])

    @cached_property
    def late(self) -> Bool:
        """Who is seen at the cap, and covered at every level."""
        if self.cap is None:
            return np.zeros(len(self), dtype=np.bool_)
        return self.outcome.time >= self.cap

    def covered(self, levels: Float) -> Bool:
        """Say of whom Y ≥ q(ρ|x), (n, m), which is S(Y|x) ≤ ρ."""
        return (self.score[:, None] <= levels) | self.late[:, None]


def before(curves: SurvivalCurves, times: Float) -> Float:
    """Return S(t⁻) (n, m) at times (n, m) of each subject's own; 1 at time 0.

    Examples
    --------
    >>> steps = SurvivalCurves([4.0], [[0.5]], "step")
    >>> before(steps, np.array([[4.0, 0.0]]))
    array([[1., 1.]])
    """
    # The float before t lies before every drop at t; beyond all times S is at its end.
    last = np.nextafter(np.minimum(times, np.finfo(float).max), 0.0)
    return curves._form.survival_at(np.maximum(last, 0.0))
