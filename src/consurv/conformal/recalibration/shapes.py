"""Raw curves as a likelihood needs them: a median, a width, and log H over log time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.recalibration.drops import spread_drops, spread_start
from consurv.conformal.recalibration.tails import continue_past_end, count_finite
from consurv.curves.curves import SurvivalCurves

__all__ = ["FINE_LEVELS", "OUTER", "WIDTH", "Shapes", "middle_half", "read_curves"]

# The levels at which raw curves are read: dense where a rare event decides, and wide
# enough that a curve between them is nearly a line in log H over log t.
FINE_LEVELS = np.concatenate(
    [
        [0.998, 0.995, 0.99, 0.985, 0.98, 0.97, 0.96],
        np.arange(38, 1, -1) / 40,
        [0.04, 0.03, 0.02, 0.01],
    ]
)
# How many numbers are read off a curve: times at these levels, and where its data end.
WIDTH = len(FINE_LEVELS) + 2
# The rise of log H between the levels 0.75 and 0.25, whatever the curve.
OUTER = float(np.log(np.log(4)) - np.log(np.log(4 / 3)))
# No curve is taken to be narrower, on the scale of log time: a point mass has no width.
_NARROWEST = 0.02
# No percentile time is a smaller share of the median: one that was spread from 0, or
# lies far below a median past the end of the data, could be.
_NOTHING = 2.0**-40
_LARGEST = 1e300
_PER_SUBJECT = ("log_median", "log_width", "nodes", "t_end", "lowest", "stepped")


def read_curves(curves: SurvivalCurves) -> Float:
    """Return percentile times at ``FINE_LEVELS``, then level and time where data end.

    Returns
    -------
    ndarray of shape (n, 50)

    Examples
    --------
    >>> read_curves(SurvivalCurves([4.0], [[0.5]]))[:, -3:]
    array([[7.92, 0.5 , 4.  ]])
    """
    form = curves._form
    reading = np.empty((len(curves), WIDTH), order="F")  # as shapes are read
    reading[:, :-2] = curves._times_at(FINE_LEVELS)
    reading[:, -2], reading[:, -1] = form.end_level(), form.last_time
    return reading


@dataclass(frozen=True)
class Shapes:
    """Continuous curves of n subjects, as nodes of log H over e = log t − log median.

    Attributes
    ----------
    log_median, log_width : ndarray of shape (n,)
        The width of a curve is log q(.25) − log q(.75).
    nodes : ndarray of shape (n, K)
        e at the fine levels, stored by columns.
    log_hazards : ndarray of shape (K,)
        log(−log ρ) at the fine levels, ascending: the same for all.
    t_end : ndarray of shape (n,)
        The time where the data of a curve end; +inf where it goes on.
    lowest : ndarray of shape (n,)
        log H that a curve never exceeds; +inf for most.
    stepped : ndarray of shape (n,) of bool
        Which had vertical drops.
    """

    log_median: Float
    log_width: Float
    nodes: Float
    log_hazards: Float
    t_end: Float
    lowest: Float
    stepped: Bool

    @classmethod
    def read(
        cls, reading: Float, levels: Float, scale: float = 1.0
    ) -> tuple[Self, Index]:
        """Return the shapes of the rows that have one, and which rows these are.

        A curve that never drops has none, nor has one that is 0 at once.

        Parameters
        ----------
        reading : ndarray of shape (n, K + 2)
            As ``read_curves`` gives it.
        levels : ndarray of shape (K,)
            The fine levels.
        scale : float
            The unit of time that shapes are counted in.
        """
        # By columns: what follows runs along subjects, of which there are more.
        q = np.divide(reading[:, :-2], scale, order="F")
        end, t_last = reading[:, -2], reading[:, -1] / scale
        _, middle, _ = middle_half(levels)
        n_finite = count_finite(q)
        last = q[np.arange(len(q)), n_finite - 1]
        rows = np.flatnonzero((n_finite > 0) & (last > 0))
        if len(rows) < len(q):
            q, end = np.asfortranarray(q[rows]), end[rows]
            t_last, n_finite = t_last[rows], n_finite[rows]
        q = spread_start(q, levels, last[rows])
        times, t_end = continue_past_end(q, levels, end, t_last)
        times, stepped = spread_drops(times)
        floor = _NOTHING * times[:, middle]
        if (times[:, 0] < floor).any() or (times[:, -1] > _LARGEST).any():
            times = np.clip(times, floor[:, None], _LARGEST)
        log_hazards = np.log(-np.log(levels))
        never = np.where(n_finite < len(levels), log_hazards[n_finite - 1], np.inf)
        times = np.asfortranarray(times)
        return cls.of_log_times(
            np.log(times, out=times), levels, t_end, never, stepped
        ), rows

    @classmethod
    def of_log_times(
        cls, log_times: Float, levels: Float, t_end: Float, lowest: Float, stepped: Bool
    ) -> Self:
        """Return the shapes of log times (n, K), which are changed in place."""
        early, middle, late = middle_half(levels)
        log_median = log_times[:, middle].copy()
        width = np.maximum(log_times[:, late] - log_times[:, early], _NARROWEST)
        log_times -= log_median[:, None]
        y = np.log(-np.log(levels))
        return cls(log_median, np.log(width), log_times, y, t_end, lowest, stepped)

    def __len__(self) -> int:
        return len(self.log_median)

    def take(self, rows: Any) -> Shapes:
        """Return some subjects."""
        return replace(self, **{n: getattr(self, n)[rows] for n in _PER_SUBJECT})

    @classmethod
    def concatenate(cls, parts: list[Shapes]) -> Shapes:
        """Join the subjects of several parts."""
        joined = {
            n: np.concatenate([getattr(p, n) for p in parts]) for n in _PER_SUBJECT
        }
        return replace(parts[0], **joined)


def middle_half(levels: Float) -> tuple[int, int, int]:
    """Return where the levels 0.75, 0.5 and 0.25 are, or those nearest to them.

    Examples
    --------
    >>> middle_half(np.array([0.8, 0.6, 0.5, 0.2, 0.1]))
    (0, 2, 3)
    """
    early, middle, late = (
        int(np.argmin(np.abs(levels - level))) for level in (0.75, 0.5, 0.25)
    )
    return early, middle, late
