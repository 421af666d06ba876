"""Recalibrated curves: the map, the ratios, the order of medians, all in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.recalibration.hazards import hazard_at, residual_at
from consurv.conformal.recalibration.likelihood import seen_probability
from consurv.conformal.recalibration.order import OrderGuard
from consurv.conformal.recalibration.ratios import HazardRatios
from consurv.conformal.recalibration.sample import Sample
from consurv.conformal.recalibration.shapes import OUTER, Shapes, read_curves
from consurv.conformal.recalibration.smooth import levels_that_matter, smooth_shapes
from consurv.conformal.recalibration.stored import read_stored
from consurv.conformal.recalibration.time_map import TimeMap
from consurv.conformal.recalibration.windows import mixed
from consurv.curves.chunks import row_chunks
from consurv.curves.curves import SurvivalCurves
from consurv.curves.representations.law import Law
from consurv.curves.representations.proportional import Proportional

__all__ = ["Recalibration", "raw_times"]

# Rows at once, so that what is made on the way stays small.
_ROWS = 4096
# Log times stay within what a float can hold.
_LOG_TIMES = -690.0, 690.0
# So many times the longest follow-up nobody knows anything.
_FAR = 10.0
# Times that are whole units but for rounding are not moved to the next one.
_WHOLE = 1e-6


@dataclass(frozen=True)
class Recalibration:
    """What maximum likelihood says is to be done to raw curves.

    Attributes
    ----------
    fine_levels : ndarray of shape (K,)
        The levels at which raw curves are read.
    time_map : TimeMap
        Stage (a).
    ratios : HazardRatios
        Stage (b), on mapped curves.
    guard : OrderGuard
    unit : float
        Of which adjusted times are whole multiples; 0 if there is none.
    scale : float
        The unit of time that all of this is counted in: a power of two.
    follow_up : float
        The longest that was observed, in the unit of the data; 0 if nobody knows.
    """

    fine_levels: Float
    time_map: TimeMap
    ratios: HazardRatios
    guard: OrderGuard
    unit: float = 0.0
    scale: float = 1.0
    follow_up: float = 0.0

    def times(self, reading: Float, levels: Float) -> Float:
        """Return adjusted percentile times (n, p) from what was read off raw curves.

        Every step is monotone in the level, so rows never cross. Curves that have no
        shape (they never drop, or are 0 at once) stay as they are.
        """
        times = np.empty((len(reading), len(levels)))
        for piece in row_chunks(len(reading), _ROWS):
            some = reading[piece]
            shapes, rows = Shapes.read(some, self.fine_levels, self.scale)
            if len(rows) == len(some):
                np.multiply(self.times_of(shapes, levels), self.scale, out=times[piece])
                continue
            times[piece] = raw_times(some, self.fine_levels, levels)
            times[piece][rows] = self.scale * self.times_of(shapes, levels)
        return times

    def times_of_curves(
        self, curves: SurvivalCurves, levels: Float, times: Float
    ) -> None:
        """Write adjusted percentile times of raw curves into *times* (n, p)."""
        form, columns = curves._form, np.arange(len(self.fine_levels))
        if self.ratios.is_none:
            columns = levels_that_matter(self.fine_levels, levels)
        if isinstance(form, Proportional) and len(form) > _ROWS:
            # In the order of risks neighbours are searched for at neighbouring places
            # of their baseline, and what is read of few of them stays in the cache.
            order = form.by_risk()
            for piece in row_chunks(len(form), _ROWS):
                rows = order[piece]
                times[rows] = self._of_smooth(form.take(rows), levels, columns)
        elif isinstance(form, Law):
            for piece in row_chunks(len(form), _ROWS):
                times[piece] = self._of_smooth(form.take(piece), levels, columns)
        else:
            times[:] = self.times(read_curves(curves), levels)

    def _of_smooth(
        self, form: Law | Proportional, levels: Float, columns: Index
    ) -> Float:
        """Return adjusted percentile times, from few numbers where curves are smooth.

        Only some fine levels matter then, at *columns*.
        """
        shapes = smooth_shapes(form, self.fine_levels, columns, self.scale)
        if shapes is None:
            return self.times(read_curves(SurvivalCurves._of(form)), levels)
        times = self.times_of(shapes, levels)
        times *= self.scale
        return times

    def times_of(self, shapes: Shapes, levels: Float) -> Float:
        """Return adjusted percentile times (n, p) of shapes, in their scale."""
        log_hazards = self.ratios.log_mapped(shapes.log_median, levels)
        times = self._log_times(shapes, log_hazards)
        if self.guard.share:
            times += self._pull(shapes)[:, None]
        np.clip(times, *_LOG_TIMES, out=times)
        np.exp(times, out=times)
        if self.time_map.delay:
            times -= self.time_map.delay
            np.maximum(times, 0.0, out=times)
        self._draw_in(shapes, levels, times)
        if self.unit:
            times = np.ceil(times / self.unit - _WHOLE) * self.unit
        if (shapes.lowest < np.inf).any():
            times[log_hazards > shapes.lowest[:, None] + _WHOLE] = np.inf
        return times

    def _draw_in(self, shapes: Shapes, levels: Float, times: Float) -> None:
        """Draw in times that were moved far beyond all that was observed.

        What the map says of a wide or a flat curve holds within the follow-up; from ten
        times that on only the logarithm of a time counts, unless the raw curve itself
        goes as far. Nothing nearer is touched, and rows do not cross.
        """
        far = (_FAR * self.follow_up or np.inf) / self.scale
        rows = np.flatnonzero((times > far).any(axis=1))
        if not rows.size:
            return
        some, own = shapes.take(rows), times[rows]
        wanted = np.broadcast_to(np.log(-np.log(levels)), own.shape)
        log_raw = some.log_median[:, None] + residual_at(some, wanted)
        raw = np.exp(np.clip(log_raw, *_LOG_TIMES))
        drawn = far * (1 + np.log(np.maximum(own, far) / far))
        times[rows] = np.minimum(own, np.maximum(raw, drawn))

    def log_medians(self, shapes: Shapes) -> Float:
        """Return the log of T' + D at the median, before the order is held."""
        middle = self.ratios.log_mapped(shapes.log_median, np.array([0.5]))
        return self._log_times(shapes, middle)[:, 0]

    def hazard(self, shapes: Shapes, time: Float) -> Float:
        """Return adjusted cumulative hazards (n,), each at a time of its own."""
        if self.guard.share:
            delay = self.time_map.delay
            time = (time + delay) * np.exp(-self._pull(shapes)) - delay
        mapped, _ = hazard_at(shapes, self.time_map.residual(shapes, time))
        return self.ratios.adjusted(shapes.log_median, mapped)

    def log_likelihood(self, sample: Sample) -> float:
        """Return the log-likelihood of the whole follow-up of subjects."""
        shapes, windows = sample.shapes, sample.windows
        low, high = (self.hazard(shapes, t) for t in (windows.low, windows.high))
        p = seen_probability(windows.event, low, high)
        logs, weight = np.log(mixed(p, windows.broad(shapes))), sample.outcome.weight
        return float(logs.sum() if weight is None else logs @ weight)

    def factors(self, levels: Float, score: float) -> Float:
        """Return q'/q (p,) of a typical curve at a score of risk.

        It has the raw median that goes with the score, the usual width, and the form
        of a Weibull law.
        """
        median = np.array([self.ratios.risk.median_at(score)])
        log_width = self.time_map.centre[1:]
        y = np.log(-np.log(self.fine_levels))
        nodes = (y - np.log(np.log(2))) * np.exp(log_width) / OUTER
        none = np.array([np.inf])
        typical = Shapes(
            median, log_width, nodes[None, :], y, none, none, np.array([False])
        )
        smooth = replace(self, unit=0.0)
        log_raw = median + residual_at(typical, np.log(-np.log(levels))[None, :])
        factors: Float = smooth.times_of(typical, levels)[0] / np.exp(log_raw[0])
        return factors

    def _log_times(self, shapes: Shapes, log_hazards: Float) -> Float:
        location, scale = self.time_map.place(shapes.log_median, shapes.log_width)
        times = residual_at(shapes, log_hazards)
        times *= scale[:, None]
        times += location[:, None]
        return times

    def _pull(self, shapes: Shapes) -> Float:
        return self.guard.pull(shapes.log_median, self.log_medians(shapes))

    def to_stored(self) -> dict[str, Any]:
        """Return all numbers by name."""
        ratios, guard = self.ratios, self.guard
        return {
            "fine_levels": self.fine_levels,
            "map_numbers": self.time_map.numbers,
            "map_centre": self.time_map.centre,
            "ratio_borders": ratios.borders,
            "ratio_levels": ratios.levels,
            "ratio_slopes": ratios.slopes,
            "ratio_bend": ratios.bend,
            "risk_medians": ratios.risk.log_medians,
            "risk_scores": ratios.risk.scores,
            "order_share": guard.share,
            "order_medians": guard.log_medians,
            "order_targets": guard.targets,
            "time_unit": self.unit,
            "time_scale": self.scale,
            "follow_up": self.follow_up,
        }

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Recalibration:
        """Return what ``to_stored`` gave; everything is checked."""
        return cls(**read_stored(values)._asdict())

    def __repr__(self) -> str:
        held = f", order held by {self.guard.share:g}" if self.guard.share else ""
        return f"Recalibration({self.time_map!r}, ratios {self._ratios_said}{held})"

    @cached_property
    def _ratios_said(self) -> str:
        if self.ratios.is_none:
            return "1"
        said = [float(self.ratios.ratios(np.array([z])).mean()) for z in (-1.0, 0, 1)]
        return "{:.3g} / {:.3g} / {:.3g} at high / middle / low risk".format(*said)


def raw_times(reading: Float, fine_levels: Float, levels: Float) -> Float:
    """Return the percentile times (n, p) of raw curves from what was read off them.

    They are exact at fine levels and on a line between them.

    Examples
    --------
    >>> reading = np.array([[2.0, 6.0, 0.0, 9.0]])  # two times, then the end
    >>> raw_times(reading, np.array([0.8, 0.4]), np.array([0.6, 0.4]))
    array([[4., 6.]])
    """
    nodes = np.concatenate([np.zeros((len(reading), 1)), reading[:, :-2]], axis=1)
    grid = np.concatenate([[1.0], fine_levels])
    right = np.clip(np.searchsorted(-grid, -levels), 1, len(fine_levels))
    left = (levels - grid[right]) / (grid[right - 1] - grid[right])
    after, before = nodes[:, right], nodes[:, right - 1]
    past = levels < fine_levels[-1]
    with np.errstate(invalid="ignore"):  # inf - inf, which is inf here
        times = after - left * (after - before)
        times[:, past] = nodes[:, -1:] * (1 - levels[past]) / (1 - fine_levels[-1])
    return np.where(after < np.inf, times, np.inf)
