"""What laws with log T = location + scale · W have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv._rows import row_number
from consurv.curves._chebyshev import read_smooth
from consurv.curves.nodes import Nodes
from consurv.curves.representations.given import Given
from consurv.curves.representations.representation import Representation, frozen
from consurv.curves.search import row_blocks
from consurv.errors import InvalidInput

__all__ = ["Law"]

# The levels at which a table of a law has its nodes: every half percent, so that 9,
# 19, 39, 49 or 99 percentiles are hit exactly, and geometric steps to both ends. In
# between its lines are off by less than 3e-4.
_ENDS = np.geomspace(1e-6, 0.05, 40, endpoint=False)
_LEVELS: Float = np.union1d(np.arange(1, 200) / 200, np.r_[_ENDS, 1 - _ENDS])[::-1]


class Law(Representation):
    """log T = location + scale · W, with W of one known law, for each subject.

    Survival, percentile times and areas are exact, and past the end of the data the
    law goes on: no straight line is drawn.

    Parameters
    ----------
    location, scale : array of shape (n,)
        scale ≥ 0. A location of −inf or +inf is an event at once or never.
    last_time : float or array of shape (n,), default=inf
        The largest time that the law was fitted on.
    """

    interpolation = "linear"

    def __init__(
        self, location: NDArray[Any], scale: NDArray[Any], last_time: Any = np.inf
    ) -> None:
        location, scale = (np.asarray(a, dtype=np.float64) for a in (location, scale))
        missing = np.isnan(location) | np.isnan(scale)
        if missing.any():
            raise InvalidInput(
                f"the law of {int(missing.sum())} subjects has NaN parameters, the "
                f"first at row {row_number(np.argmax(missing))}, so that there are no "
                "survival curves; look for NaN or very large features"
            )
        self._location: Float = frozen(location)
        # A law without spread is the limit of narrow ones.
        self._scale: Float = frozen(np.maximum(scale, np.finfo(np.float64).tiny))
        last = np.broadcast_to(np.asarray(last_time, dtype=np.float64), location.shape)
        self._last: Float = frozen(last)

    # -- what a law adds ------------------------------------------------------

    @abstractmethod
    def _survival(self, z: Float) -> Float:
        """Return P(W > z)."""

    @abstractmethod
    def _quantile(self, level: Float) -> Float:
        """Return w with P(W > w) = level, in [0, 1)."""

    @abstractmethod
    def _mean(self) -> Float:
        """Return the mean of T, of shape (n,)."""

    @abstractmethod
    def _until(self, t: Float, z: Float) -> Float:
        """Return ∫ S from 0 to finite t > 0, with z = (log t − location) / scale."""

    @abstractmethod
    def _beyond(self, t: Float, z: Float) -> Float:
        """Return ∫ S from finite t > 0 on; used where the mean is finite."""

    # -- the answers ----------------------------------------------------------

    def __len__(self) -> int:
        return len(self._location)

    def take(self, rows: Any) -> Self:
        """Return some subjects."""
        part = object.__new__(type(self))
        part.__setstate__({name: value[rows] for name, value in vars(self).items()})
        return part

    def in_unit(self, unit: float) -> Self:
        """Return the law of unit · T: times that were counted in *unit*."""
        return type(self)(self._location + np.log(unit), self._scale, self._last * unit)

    @classmethod
    def join(cls, parts: Sequence[Law]) -> Law:
        """Return all subjects."""
        names = ("_location", "_scale", "_last")
        return cls(*(np.concatenate([vars(p)[name] for p in parts]) for name in names))

    def survival_at(self, times: Float) -> Float:
        """Return the survival (n, m) at times (m,) or (n, m)."""
        out = np.empty((len(self), times.shape[-1]))
        with np.errstate(divide="ignore"):
            log_times = np.log(times)
        for rows in row_blocks(*out.shape):
            part = self.take(rows)
            log_time = log_times if times.ndim == 1 else log_times[rows]
            out[rows] = part._survival(part._standard(log_time))
        return out

    def _standard(self, log_time: Float) -> Float:
        """Return z = (log t − location) / scale, of shape (n, m)."""
        location, scale = self._location[:, None], self._scale[:, None]
        with np.errstate(invalid="ignore", over="ignore"):
            z = (log_time - location) / scale
        # An event at once is over at time 0 too.
        z[np.broadcast_to(location == -np.inf, z.shape)] = np.inf
        return z

    def percentile_times(self, levels: Float) -> Float:
        """Return q(ρ) (n, p) at levels (p,) or (n, p)."""
        out = np.empty((len(self), levels.shape[-1]))
        common = self._quantile(levels) if levels.ndim == 1 else None
        for rows in row_blocks(*out.shape):
            w = self._quantile(levels[rows]) if common is None else common
            location, scale = self._location[rows, None], self._scale[rows, None]
            with np.errstate(invalid="ignore", over="ignore"):
                np.exp(location + scale * w, out=out[rows])
        out[self._location == -np.inf] = 0.0
        return out

    def log_times(self, levels: Float) -> Float:
        """Return log q(ρ) (n, p) at levels (p,) in (0, 1), stored by columns."""
        log_times = np.multiply.outer(self._quantile(levels), self._scale)
        log_times += self._location
        return log_times.T

    def area(self, start: Float, stop: Float) -> Float:
        """Return the areas (n,) between *start* and *stop*."""
        mean = self._mean()
        ends = []
        for time in (start, stop):
            inner = np.where((time > 0) & np.isfinite(time), time, 1.0)
            z = self._standard(np.log(inner)[:, None])[:, 0]
            with np.errstate(all="ignore"):
                until = np.where(time > 0, self._until(inner, z), 0.0)
                beyond = np.where(time > 0, self._beyond(inner, z), mean)
            never = np.isinf(time)
            until, beyond = np.where(never, mean, until), np.where(never, 0.0, beyond)
            # Without spread the formulas have no digits left, but the limit is plain.
            until = np.where(self._location == -np.inf, 0.0, until)
            ends.append((np.where(self._location == np.inf, time, until), beyond, z))
        (until0, beyond0, z0), (until1, beyond1, _) = ends
        with np.errstate(invalid="ignore"):
            # From the side on which less lies, so that few digits cancel.
            late = (z0 > 0) & np.isfinite(mean) & (start > 0)
            area = np.where(late, beyond0 - beyond1, until1 - until0)
        return np.where(stop > start, np.maximum(area, 0.0), 0.0)

    def mean_survival(self, times: Float) -> Float:
        """Return the mean over the subjects at common times (m,)."""
        result = super().mean_survival(np.zeros(1)).repeat(times.size)
        inside = times > 0

        def mean(log_times: Float) -> Float:
            return Representation.mean_survival(self, np.exp(log_times))

        narrow = float(self._scale.min())
        result[inside] = read_smooth(mean, np.log(times[inside]), narrow)
        return result

    def given(self, time: Float) -> Given:
        """Return the conditional curves."""
        return Given(self, time)

    # -- the table ------------------------------------------------------------

    @property
    def last_time(self) -> Float:
        """The largest time that the law was fitted on; +inf where unknown."""
        return self._last

    def end_level(self) -> Float:
        """Return 0: a law goes on as it is past the times that it was fitted on."""
        return np.zeros(len(self))

    @property
    def times(self) -> Float:
        """Exact percentile times at 279 levels, from 0 on."""
        times = self.percentile_times(_LEVELS)
        return np.concatenate([np.zeros((len(self), 1)), times], axis=1)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the table."""
        return len(_LEVELS) + 1

    def nodes(self) -> Nodes:
        """Return a linear table, close to the law between its levels alone."""
        times = self.times
        levels = np.concatenate([[1.0], _LEVELS])
        return Nodes(times, np.broadcast_to(levels, times.shape), "linear")
