"""Smooth hazard ratios from a table of events and exposure: penalised Poisson."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float
from consurv.conformal.recalibration.counts import Counts
from consurv.conformal.recalibration.ratios import BORDERS, HazardRatios, curvature
from consurv.conformal.recalibration.risk import RiskScale
from consurv.conformal.recalibration.shrinkage import ridge_for, settled

__all__ = ["fit_ratios"]

_CELLS = len(BORDERS)
# Cells over which ratios are alike; past the last event they return to the overall one.
_MEMORY = 2.0
# Single numbers a, b, c; then the walks of a and of b over the cells.
_SINGLE = 3
_WALKS = slice(_SINGLE, _SINGLE + _CELLS), slice(_SINGLE + _CELLS, None)
# Ridge weights to start from: a standard deviation of 1, and of 0.3 for the walks.
_START = np.array([1.0, 1.0, 1.0, 10.0, 10.0])
# The weights stay within these; a walk with fewer degrees of freedom is none.
_LOOSEST, _TIGHTEST, _FEWEST_DOF = 0.3, 1e6, 0.3
_ROUNDS, _FIRST_STEPS, _STEPS = 30, 12, 3
_STANDS, _SHORT = 0.02, 1e-4
_STEEPEST, _TINY, _JITTER = 8.0, 1e-10, 1e-9
# Scores whose standard deviation is less are all the same: there are no slopes.
_SAME = 1e-3


def fit_ratios(counts: Counts, risk: RiskScale) -> tuple[HazardRatios, float]:
    """Return hazard ratios, and how many degrees of freedom they have.

    Events are Poisson, their mean is the exposure times
    exp(a + u_m + (b + v_m) z + c (z² − 1)/√2) in cell m at score z.
    a, b and c are shrunk one by one, u and v as a whole: their variance is their own,
    less two standard errors of a chi-square.
    """
    fit = _Fit(counts)
    for i in range(_ROUNDS):
        fit.climb(_FIRST_STEPS if i == 0 else _STEPS)
        if fit.renew() < _STANDS:
            break
    (a, b, c), walks, dof = fit.result()
    return HazardRatios(BORDERS, a + walks[0], b + walks[1], float(c), risk), dof


class _Fit:
    """The search on its way: numbers, ridge weights and what was given up."""

    def __init__(self, counts: Counts) -> None:
        score, members = counts.score, counts.members
        seen = counts.exposure > 0
        self._design = _design(score)[seen]
        self._events, self._exposure = counts.events[seen], counts.exposure[seen]
        steps = np.subtract.outer(np.arange(_CELLS), np.arange(_CELLS))
        self._precision = np.linalg.inv(np.exp(-np.abs(steps) / _MEMORY))
        self._numbers = np.zeros(_SINGLE + 2 * _CELLS)
        self._gone: Bool = np.zeros(len(_START), dtype=np.bool_)
        if _spread(score, members) < _SAME:
            self._gone[[1, 2, 4]] = True
        self._ridge = np.where(self._gone, _TIGHTEST, _START)
        self._variance: Float = np.empty(0)

    def climb(self, steps: int) -> None:
        """Take Newton steps under the ridge as it is."""
        penalty = self._penalty()
        for _ in range(steps):
            logs = np.clip(self._design @ self._numbers, -_STEEPEST, _STEEPEST)
            expected = self._exposure * np.exp(logs)
            curved = self._design.T @ (expected[:, None] * self._design) + penalty
            slope = self._design.T @ (self._events - expected)
            step = np.linalg.solve(curved, slope - penalty @ self._numbers)
            longest = float(np.abs(step).max())
            self._numbers = self._numbers + step / max(longest, 1.0)
            if longest < _SHORT:
                break
        self._variance = np.linalg.inv(curved).astype(np.float64)

    def renew(self) -> float:
        """Let the ridge follow the numbers; return by what log factor it changed."""
        before = self._ridge
        after = before.copy()
        single = slice(_SINGLE)
        after[single] = ridge_for(
            self._numbers[single], self._singles(), before[single]
        )
        for k, walk in enumerate(_WALKS, start=_SINGLE):
            u, dof = self._numbers[walk], max(self._dof(k), 1e-6)
            threshold = 1 + 2 * np.sqrt(2 / max(dof, 1.0))
            after[k] = threshold * dof / max(u @ self._precision @ u, _TINY)
            self._gone[k] |= dof < _FEWEST_DOF
        after = np.where(self._gone, _TIGHTEST, np.clip(after, _LOOSEST, _TIGHTEST))
        self._ridge = after
        return float(np.abs(np.log(after / before)).max())

    def result(self) -> tuple[Float, list[Float], float]:
        """Return the single numbers, the two walks and the degrees of freedom."""
        ridge, single = self._ridge, slice(_SINGLE)
        numbers, dof = settled(self._numbers[single], self._singles(), ridge[single])
        walks = []
        for k, walk in enumerate(_WALKS, start=_SINGLE):
            found = ridge[k] < _TIGHTEST
            walks.append(self._numbers[walk] if found else np.zeros(_CELLS))
            dof += self._dof(k) if found else 0.0
        return numbers, walks, dof

    def _penalty(self) -> Float:
        weights = np.full(len(self._numbers), _JITTER)
        weights[:_SINGLE] = self._ridge[:_SINGLE]
        penalty = np.diag(weights)
        for k, walk in enumerate(_WALKS, start=_SINGLE):
            penalty[walk, walk] += self._ridge[k] * self._precision
        return penalty

    def _singles(self) -> Float:
        return np.diag(self._variance)[:_SINGLE]

    def _dof(self, k: int) -> float:
        """Return the degrees of freedom of a walk."""
        walk = _WALKS[k - _SINGLE]
        lost = np.trace(self._precision @ self._variance[walk, walk])
        return float(_CELLS - self._ridge[k] * lost)


def _design(score: Float) -> Float:
    """Return the columns a, b, c, u, v for every group and cell: (G, M, 3 + 2M)."""
    shape = len(score), _CELLS
    singles = [np.ones_like(score), score, curvature(score)]
    single = np.stack([np.broadcast_to(v[:, None], shape) for v in singles], axis=-1)
    cells = np.broadcast_to(np.eye(_CELLS), (*shape, _CELLS))
    return np.concatenate([single, cells, cells * score[:, None, None]], axis=-1)


def _spread(score: Float, members: Float) -> float:
    mean = (score * members).sum() / members.sum()
    return float(np.sqrt((members * (score - mean) ** 2).sum() / members.sum()))
