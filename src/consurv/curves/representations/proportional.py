"""Proportional hazards: a baseline for all, or for each stratum, and log risks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._rows import row_number
from consurv.curves._mean_nodes import mean_tail
from consurv.curves._sums import survival_sums
from consurv.curves.nodes import Nodes, end_time, tail_survival
from consurv.curves.representations.given import Given
from consurv.curves.representations.representation import Representation, frozen
from consurv.curves.representations.steps import Steps
from consurv.curves.search import Index, row_blocks
from consurv.errors import InvalidInput

__all__ = ["Proportional"]

# Sums of such logarithms are still finite.
_LARGEST = 1e300


class Proportional(Representation):
    """S(t | x) = exp(−H₀(t) exp(log risk(x))), a step curve, held as n log risks.

    Its answers are those of its table to rounding, the straight line past the last
    time of the baseline included. A percentile time is one search in the baseline.

    Parameters
    ----------
    baselines : sequence of Steps
        One, or one for each stratum.
    log_risk : array of shape (n,)
    stratum : array of int of shape (n,), optional
        The baseline of each subject.

    Examples
    --------
    >>> steps = Steps(np.array([1.0, 2.0]), np.log([0.5, 1.5]))
    >>> curves = Proportional([steps], np.log([1.0, 4.0]))
    >>> curves.percentile_times(np.array([0.5])).ravel()
    array([2., 1.])
    """

    interpolation = "step"

    def __init__(
        self,
        baselines: Sequence[Steps],
        log_risk: NDArray[Any],
        stratum: NDArray[Any] | None = None,
    ) -> None:
        risk = np.asarray(log_risk, dtype=np.float64)
        if np.isnan(risk).any():
            raise InvalidInput(
                f"the risk scores have {int(np.isnan(risk).sum())} NaN values, the "
                f"first at row {row_number(np.argmax(np.isnan(risk)))}, so that there "
                "are no survival curves; look for NaN or very large features"
            )
        self._baselines = tuple(baselines)
        # An infinite risk times no hazard is no hazard.
        self._log_risk: Float = frozen(np.clip(risk, -_LARGEST, _LARGEST))
        many = len(self._baselines) > 1 and stratum is not None
        self._stratum: Index | None = (
            frozen(np.asarray(stratum, dtype=np.intp)) if many else None
        )

    def __len__(self) -> int:
        return len(self._log_risk)

    def take(self, rows: Any) -> Self:
        """Return some subjects; the baselines are shared."""
        part = object.__new__(type(self))
        part._baselines = self._baselines
        part._log_risk = frozen(self._log_risk[rows])
        part._stratum = None if self._stratum is None else frozen(self._stratum[rows])
        return part

    def by_risk(self) -> Index:
        """Return the order of subjects by stratum and, there, from the highest risk."""
        if self._stratum is None:
            return np.argsort(-self._log_risk)
        return np.lexsort((-self._log_risk, self._stratum))

    @classmethod
    def join(cls, parts: Sequence[Proportional]) -> Proportional:
        """Return all subjects; baselines that differ become strata."""
        baselines: list[Steps] = []
        strata = []
        for part in parts:
            own = np.array([_place(b, baselines) for b in part._baselines])
            strata.append(own[part._strata()])
        log_risk = np.concatenate([part._log_risk for part in parts])
        return cls(baselines, log_risk, np.concatenate(strata))

    def _strata(self) -> Index:
        if self._stratum is None:
            return np.zeros(len(self), dtype=np.intp)
        return self._stratum

    def _groups(self) -> Iterator[tuple[Any, Steps, Float]]:
        """Yield the rows of each stratum, its baseline and their log risks."""
        if self._stratum is None:
            yield slice(None), self._baselines[0], self._log_risk
            return
        order = np.argsort(self._stratum, kind="stable")
        ends = np.searchsorted(
            self._stratum[order], np.arange(len(self._baselines)), side="right"
        )
        for steps, rows in zip(self._baselines, np.split(order, ends), strict=False):
            if rows.size:
                yield rows, steps, self._log_risk[rows]

    # -- the answers ----------------------------------------------------------

    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        out = np.empty((len(self), times.shape[-1]))
        for rows, steps, risk in self._groups():
            own = times if times.ndim == 1 else times[rows]
            out[rows] = steps.survival_at(risk, own)
        return out

    def survival_before(self, time: Float) -> Float:
        """Return S(t⁻) (n,) at one time > 0 for each curve."""
        out = np.empty(len(self))
        for rows, steps, risk in self._groups():
            out[rows] = steps.survival_before(risk, time[rows])
        return out

    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p)."""
        groups = self._groups()
        if self._stratum is None:
            _, steps, risk = next(groups)
            return steps.percentile_times(risk, levels)
        out = np.empty((len(self), levels.shape[-1]))
        for rows, steps, risk in groups:
            own = levels if levels.ndim == 1 else levels[rows]
            out[rows] = steps.percentile_times(risk, own)
        return out

    def falls_gently(self, levels: Float) -> bool:
        """Say whether all curves fall through all *levels*, each at a time of its own.

        They do where the follow-up of their baseline is long and its steps are small.

        Examples
        --------
        >>> times = np.linspace(0.01, 9, 900)
        >>> curves = Proportional([Steps(times, np.log(times))], np.zeros(1))
        >>> levels = np.array([0.8, 0.5, 0.2])
        >>> curves.falls_gently(levels), curves.falls_gently(levels / 1e4)
        (True, False)
        >>> np.exp(curves.log_times(levels)).round(2)
        array([[0.23, 0.7 , 1.61]])
        """
        return all(s.falls_gently(risk, levels) for _, s, risk in self._groups())

    def log_times(self, levels: Float) -> Float:
        """Return log q(ρ) (n, p) of curves that fall gently through levels (p,)."""
        out = np.empty((len(self), len(levels)), order="F")
        for rows, steps, risk in self._groups():
            out[rows] = steps.log_times(risk, levels)
        return out

    def last_survival(self) -> Float:
        """Return the survival at the last time of the baseline."""
        out = np.empty(len(self))
        for rows, steps, risk in self._groups():
            out[rows] = steps.last_survival(risk)
        return out

    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) between *start* and *stop*."""
        out = np.empty(len(self))
        for rows, steps, risk in self._groups():
            body = _common_body if _are_common(start, stop) else _own_bodies
            out[rows] = body(steps, risk, start[rows], stop[rows])
            out[rows] += _tail(steps, risk, start[rows], stop[rows])
        return out

    def mean_survival(self, times: Float) -> Float:
        """Return the mean over the subjects at common times (m,)."""
        total = np.zeros(times.size)
        for _, steps, risk in self._groups():
            total += len(risk) * _mean(steps, risk, times)
        return total / len(self)

    def given(self, time: Float) -> Given:
        """Return the conditional curves."""
        return Given(self, time)

    # -- the table ------------------------------------------------------------

    @property
    def last_time(self) -> Float:
        """The last time of the subject's baseline."""
        last = np.array([steps.last_time for steps in self._baselines])
        if self._stratum is None:
            return np.broadcast_to(last[0], len(self))
        return last[self._stratum]

    @property
    def times(self) -> Float:
        """The times of the baseline from 0 on; of different ones, for each subject."""
        first, width = self._baselines[0].times, self.n_nodes
        if all(np.array_equal(first, steps.times) for steps in self._baselines):
            return first
        grids = [_widen(steps.times, width) for steps in self._baselines]
        own: Float = np.stack(grids)[self._strata()]
        return own

    @property
    def n_nodes(self) -> int:
        """Number of times of the longest baseline."""
        return max(len(steps.times) for steps in self._baselines)

    def nodes(self) -> Nodes:
        """Return the table, of n x baseline times."""
        survival = np.empty((len(self), self.n_nodes))
        for rows, steps, risk in self._groups():
            k = len(steps.times)
            if isinstance(rows, slice):
                survival = steps.table(risk)
            else:
                survival[rows, :k] = steps.table(risk)
                survival[rows, k:] = survival[rows, k - 1 : k]
        return Nodes(self.times, survival, "step")


def _place(steps: Steps, baselines: list[Steps]) -> int:
    """Return where a baseline is in the list, to which it is added if it is new."""
    for i, known in enumerate(baselines):
        if steps.equals(known):
            return i
    baselines.append(steps)
    return len(baselines) - 1


def _widen(times: Float, width: int) -> Float:
    return np.pad(times, (0, width - len(times)), mode="edge")


def _are_common(start: Float, stop: Float) -> bool:
    if not len(start):
        return False
    return bool((start == start[0]).all() and (stop == stop[0]).all())


def _common_body(steps: Steps, risk: Float, start: Float, stop: Float) -> Float:
    """Return the areas between common times, up to the last time of the baseline."""
    span = np.diff(np.clip(steps.times, start[0], stop[0]))
    return survival_sums(steps.log_hazard[:-1], span, risk)


def _own_bodies(steps: Steps, risk: Float, start: Float, stop: Float) -> Float:
    out = np.empty(len(risk))
    for rows in row_blocks(len(risk), len(steps.times)):
        span = np.clip(steps.times, start[rows, None], stop[rows, None])
        table = steps.table(risk[rows])
        out[rows] = np.einsum("ij,ij->i", np.diff(span), table[:, :-1])
    return out


def _tail(steps: Steps, risk: Float, start: Float, stop: Float) -> Float:
    """Return the areas below the last line."""
    last, lowest = steps.times[-1], steps.last_survival(risk)
    end = end_time(last, lowest)
    first, until = (np.clip(time, last, end) for time in (start, stop))
    heights = [tail_survival(last, lowest, time) for time in (first, until)]
    with np.errstate(invalid="ignore"):
        length = np.where(until > first, until - first, 0.0)
        return np.asarray(length * ((heights[0] + heights[1]) / 2))


def _mean(steps: Steps, risk: Float, times: Float) -> Float:
    """Return the mean curve of one stratum."""
    index = np.searchsorted(steps.times, times, side="right") - 1
    hazard = steps.log_hazard[index]
    result = np.ones(times.size)
    fallen = hazard > -np.inf
    weights = np.full(len(risk), 1 / len(risk))
    result[fallen] = survival_sums(risk, weights, hazard[fallen])
    past = index == len(steps.times) - 1
    if past.any():
        falls = 1 - steps.last_survival(risk)
        result[past] = mean_tail(steps.times[-1], falls, times[past])
    return result
