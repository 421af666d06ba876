"""One cumulative hazard that jumps at some times, for subjects in proportion to it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.curves._search import Search
from consurv.curves.nodes import tail_percentile_time, tail_survival
from consurv.curves.representations.representation import frozen
from consurv.curves.search import Index, row_blocks

__all__ = ["Steps"]

# exp(-H) is 0 in floating point from about this H on.
_ZERO = 745.2
# Roundings by which a logarithm of a hazard may be off, generously.
_CLOSE = 64 * float(np.finfo(np.float64).eps)
# What is asked of a logarithm beyond rounding.
_CLEARLY = 1e-9
# A rise of log H₀ that is less than the distance of any two levels worth reading, and
# a share of time within which jumps count as one.
_GENTLE, _TOGETHER = 0.05, 1e-8
# Arrays of a block that are in use at one time and should share the cache.
_ALIVE = 4


class Steps:
    """A cumulative baseline hazard H₀, and S = exp(−H₀ exp(log risk)) from it.

    Parameters
    ----------
    times : array of shape (k,)
        Strictly ascending, ≥ 0.
    log_hazard : array of shape (k,)
        log H₀ at these times, never falling; −inf where H₀ = 0. Logarithms neither
        overflow nor underflow, whatever the size of the risks.

    Examples
    --------
    >>> steps = Steps(np.array([1.0, 2.0]), np.log([0.5, 1.5]))
    >>> steps.survival_at(np.zeros(1), np.array([0.0, 1.0, 2.0])).round(3)
    array([[1.   , 0.607, 0.223]])
    """

    def __init__(self, times: Float, log_hazard: Float) -> None:
        if times[0] > 0 or log_hazard[0] > -np.inf:
            times = np.concatenate([[0.0], times])
            log_hazard = np.concatenate([[-np.inf], log_hazard])
        self.times: Float = frozen(times)
        self.log_hazard: Float = frozen(log_hazard)
        # Where the hazard does not grow nothing can be found.
        jumps = np.flatnonzero(log_hazard[1:] > log_hazard[:-1]) + 1
        self._jump_times: Float = np.append(times[jumps], np.inf)
        self._jump_hazard: Float = frozen(log_hazard[jumps])
        self._search = Search(self._jump_hazard)

    def __reduce__(self) -> tuple[Any, ...]:
        return Steps, (self.times, self.log_hazard)

    def equals(self, other: Steps) -> bool:
        """Say whether two baselines are the same."""
        return self is other or (
            np.array_equal(self.times, other.times)
            and np.array_equal(self.log_hazard, other.log_hazard)
        )

    @property
    def last_time(self) -> float:
        """The last time of the baseline."""
        return float(self.times[-1])

    def table(self, log_risk: Float) -> Float:
        """Return the survival at all times of the baseline, of shape (n, k)."""
        survival = log_risk[:, None] + self.log_hazard
        return _to_survival(survival)

    def last_survival(self, log_risk: Float) -> Float:
        """Return the survival at the last time, of shape (n,)."""
        return _to_survival(log_risk + self.log_hazard[-1])

    def survival_at(self, log_risk: Float, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        index = np.searchsorted(self.times, times, side="right") - 1
        survival = _to_survival(log_risk[:, None] + self.log_hazard[index])
        tail = index == len(self.times) - 1
        if not tail.any():
            return survival
        last, lowest = self.times[-1], self.last_survival(log_risk)
        if tail.ndim == 1:
            survival[:, tail] = tail_survival(last, lowest[:, None], times[tail])
        else:
            row = np.nonzero(tail)[0]
            survival[tail] = tail_survival(last, lowest[row], times[tail])
        return survival

    def survival_before(self, log_risk: Float, time: Float) -> Float:
        """Return the survival (n,) just before times (n,) > 0."""
        index = np.searchsorted(self.times, time, side="left") - 1
        survival = _to_survival(log_risk + self.log_hazard[index])
        tail = index == len(self.times) - 1
        lowest = self.last_survival(log_risk[tail])
        survival[tail] = tail_survival(self.times[-1], lowest, time[tail])
        return survival

    def percentile_times(self, log_risk: Float, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p) in [0, 1)."""
        # In order of their risks, neighbours are found at neighbouring places, which
        # saves more than sorting costs. Those in no order are written row by row.
        order: Index | None = None
        if levels.ndim == 1 and (log_risk[1:] > log_risk[:-1]).any():
            order = np.argsort(-log_risk)
        shape = len(log_risk), levels.shape[-1]
        out: Float = np.empty(shape, order="F" if order is None else "C")
        for block in row_blocks(len(log_risk), _ALIVE * levels.shape[-1]):
            rows = block if order is None else order[block]
            # Levels x subjects: each search then runs along ascending keys.
            level = levels[:, None] if levels.ndim == 1 else levels[block].T
            out[rows] = self._invert(log_risk[rows], level).T
        return out

    def falls_gently(self, log_risk: Float, levels: Float) -> bool:
        """Say whether all curves fall through all *levels*, each at a time of its own.

        Parameters
        ----------
        log_risk : array of shape (n,)
        levels : array of shape (p,)
            In falling order, within (0, 1).
        """
        hazards, log_fall = self._jump_hazard, np.log(-np.log(levels))
        if not (len(log_risk) and len(hazards)):
            return False
        if not log_risk.min() + hazards[-1] > log_fall[-1] + _CLEARLY:
            return False
        if np.diff(log_fall).min() <= _GENTLE:
            return False
        earliest = log_fall[0] - log_risk.max() - _CLEARLY
        latest = log_fall[-1] - log_risk.min() + _CLEARLY
        first, last = np.searchsorted(hazards, [earliest, latest])
        before, until = np.searchsorted(self._steep, [first, last + 1])
        return bool(before == until)

    @cached_property
    def _steep(self) -> Index:
        """Jumps where log H₀ rises by much at one time, or nearly so."""
        times, hazards = self._jump_times[:-1], self._jump_hazard
        until = np.arange(len(times))
        together = times * (1 + _TOGETHER)
        close = np.flatnonzero(times[1:] <= together[:-1])
        until[close] = np.searchsorted(times, together[close], side="right") - 1
        before = np.append(-np.inf, hazards[:-1])
        return np.flatnonzero(hazards[until] - before > _GENTLE - _CLEARLY)

    def log_times(self, log_risk: Float, levels: Float) -> Float:
        """Return log q(ρ) (n, p) of curves that fall gently through levels (p,)."""
        out = np.empty((len(log_risk), len(levels)), order="F")
        for rows in row_blocks(len(log_risk), _ALIVE * len(levels)):
            index = self._first_at_or_below(log_risk[rows], levels[:, None])
            out[rows] = self._log_jump_times.take(index).T
        return out

    @cached_property
    def _log_jump_times(self) -> Float:
        with np.errstate(divide="ignore"):
            return np.log(self._jump_times)

    def _invert(self, log_risk: Float, level: Float) -> Float:
        """Return percentile times (p, n) of levels (p, 1) or (p, n)."""
        index = self._first_at_or_below(log_risk, level)
        time = self._jump_times.take(index)
        last = len(self._jump_hazard)
        if index.max(initial=0) < last:
            return time
        tail = index == last
        row = np.nonzero(tail)[1]
        lowest = self.last_survival(log_risk)
        time[tail] = tail_percentile_time(
            self.times[-1], lowest[row], np.broadcast_to(level, index.shape)[tail]
        )
        return time

    def _first_at_or_below(self, log_risk: Float, level: Float) -> Index:
        """Return the first jump after which S ≤ ρ, as a table would round S.

        A search among the hazards is right unless one is within a few roundings of
        the wanted one; only there is S itself looked at.
        """
        hazards = self._jump_hazard
        if not (len(hazards) and level.size):
            return np.zeros((len(level), len(log_risk)), dtype=np.intp)
        with np.errstate(divide="ignore"):
            fall = np.minimum(-np.log(level), _ZERO)
        log_fall = np.log(fall)
        # For all subjects at once: to look at more than are unsure does no harm.
        far = 2 * np.abs(log_risk).max(initial=0.0)
        close = _CLOSE * (1 + np.abs(log_fall) + far + 1 / fall)
        wanted = (log_fall - close) - log_risk
        index, found = self._search(wanted)
        found -= wanted
        # The lowest probabilities have few digits.
        if not level.all():
            unsure = np.nonzero(np.broadcast_to(True, index.shape))
        elif found.min(initial=np.inf) <= 2 * close.max():
            unsure = np.nonzero(found <= 2 * close)
        else:
            return index
        if unsure[0].size:
            levels = np.broadcast_to(level, index.shape)[unsure]
            index[unsure] = self._walk(log_risk[unsure[1]], levels, index[unsure])
        return index

    def _walk(self, log_risk: Float, level: Float, index: Index) -> Index:
        """Move each place to the first jump after which S ≤ ρ."""

        def reached(place: Index, of: Index) -> Any:
            hazard = self._jump_hazard[place]
            return _to_survival(log_risk[of] + hazard) <= level[of]

        moving = np.flatnonzero(index > 0)
        while moving.size:
            moving = moving[reached(index[moving] - 1, moving)]
            index[moving] -= 1
            moving = moving[index[moving] > 0]
        last = len(self._jump_hazard)
        moving = np.flatnonzero(index < last)
        while moving.size:
            moving = moving[~reached(index[moving], moving)]
            index[moving] += 1
            moving = moving[index[moving] < last]
        return index


def _to_survival(log_hazard: Float) -> Float:
    """Turn logarithms of cumulative hazards into survival, in place."""
    with np.errstate(over="ignore"):  # an infinite hazard is a survival of 0
        for step in (np.exp, np.negative, np.exp):  # in place: it may be large
            step(log_hazard, out=log_hazard)
    return log_hazard
