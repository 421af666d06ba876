"""The raw curves of a block as nodes that all subjects have at the same hazards.

A curve goes through its percentile times, made monotone, from level 1 at time 0 on;
beyond the lowest level it goes on as the Weibull law through that point and one further
up. So the n-th node of every subject is where its cumulative hazard H = −log S reaches
a value common to all. There are nodes before the highest and beyond the lowest level,
too, for models whose times are off by a large factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import unroll
from consurv.curves.search import row_blocks

__all__ = ["Place", "RawCurves"]

# Before the highest level nodes come at these shares of its percentile time.
_HEAD = 0.5 ** np.arange(5, 0, -1)
# Beyond the lowest level the hazard grows from node to node, slowly first.
_GROWTH = np.cumprod([4 / 3] * 6 + [2.0] * 8)
# The tail's second point is where H is nearest to this share of the last.
_SHARE = 0.25
# Exponents of H in the tail: from curves that drop all but at once to ones that hardly
# do.
_EXPONENTS = 0.05, 5.0
_FAR = 1e6


class Place(NamedTuple):
    """Where subjects left observation: the cells that they did not pass as a whole.

    Attributes
    ----------
    first : ndarray of shape (n,)
        Each subject passed all cells before this one.
    row, cell : ndarray of shape (K,)
        A cell in which a subject may have left; one for each, more on a drop.
    events : ndarray of shape (K,)
        The share of an event that falls into the cell.
    hazard : ndarray of shape (K,)
        The cumulative hazard that was spent in it.
    """

    first: Index
    row: Index
    cell: Index
    events: Float
    hazard: Float


class RawCurves:
    """Nodes for the percentile times of any subjects.

    Parameters
    ----------
    levels : ndarray of shape (P,)
        In any order.
    largest : float, optional
        The largest finite percentile time, where some are infinite: far beyond it
        these are put, where a curve hardly drops.

    Attributes
    ----------
    hazards : ndarray of shape (M,)
        H at the nodes, ascending.
    widths : ndarray of shape (M,)
        H from node to node, from 0 on.
    """

    def __init__(self, levels: Float, largest: float | None = None) -> None:
        self._far = np.inf if largest is None else _FAR * (largest or 1.0)
        self._order = np.argsort(-levels)
        own = -np.log(levels[self._order])
        self._upper = int(np.argmin(np.abs(np.log(own / own[-1]) - np.log(_SHARE))))
        self._span = float(np.log(own[-1] / own[self._upper]))
        head = -np.log1p(_HEAD * np.expm1(-own[0]))  # S is straight there
        self.hazards = np.concatenate([head, own, own[-1] * _GROWTH])
        self.widths = np.diff(self.hazards, prepend=0.0)

    def nodes(self, percentile_times: Float, rows: Index | None = None) -> Float:
        """Return the times of the nodes, (n, 1 + M), from percentile times (n, P).

        Time 0, where H = 0, comes first. With *rows*, those of some subjects: beside
        the nodes only the temporaries of a block of rows are held.
        """
        n = len(percentile_times) if rows is None else len(rows)
        nodes = np.zeros((n, 1 + len(self.hazards)))
        first, last = 1 + len(_HEAD), 1 + len(self.hazards) - len(_GROWTH)
        for block in row_blocks(*nodes.shape):
            some = percentile_times[block if rows is None else rows[block]]
            part = nodes[block]
            q = part[:, first:last]  # a view: the matrix is held once
            np.maximum(some[:, self._order], 0.0, out=q)
            np.maximum.accumulate(q, axis=1, out=q)
            np.minimum(q, self._far, out=q)
            np.multiply(q[:, :1], _HEAD, out=part[:, 1:first])
            exponent = self._tail_exponent(q)[:, None]
            np.multiply(
                q[:, -1:], np.exp(exponent * np.log(_GROWTH)), out=part[:, last:]
            )
        return nodes

    def _tail_exponent(self, q: Float) -> Float:
        """Return e such that times grow as H^e between two nodes of each curve."""
        if self._span <= 0:  # a single level
            return np.ones(len(q))
        with np.errstate(divide="ignore", invalid="ignore"):
            exponent = np.log(q[:, -1] / q[:, self._upper]) / self._span
        return np.clip(np.nan_to_num(exponent, nan=1.0), *_EXPONENTS)

    def place(self, nodes: Float, time: Float, event: Bool) -> Place:
        """Return where the subjects left observation.

        An event at a node ends the cell before it, a censoring there begins the next.
        Where several nodes are at one time the curve drops from S(t⁻) to S(t), and an
        event at t is spread evenly over that drop: over the cells between these nodes.
        """
        until, observed, end = nodes[:, 1:], time[:, None], len(self.hazards) - 1
        passed = (until <= observed).sum(axis=1)
        first = np.where(event, (until < observed).sum(axis=1), passed)
        # The first of several nodes at t ends a cell that lies before t.
        drops = event & (passed > first + 1)
        first = np.minimum(first + drops, end)
        plain = np.flatnonzero(~drops)
        hazard = self._within(nodes, plain, first[plain], time[plain])
        if not drops.any():
            return Place(first, plain, first, event.astype(np.float64), hazard)
        rows = np.flatnonzero(drops)
        place, cell = unroll(first[rows], passed[rows])
        share, spent = self._spread(first[rows][place], passed[rows][place], cell)
        return Place(
            first,
            np.concatenate([plain, rows[place]]),
            np.concatenate([first[plain], cell]),
            np.concatenate([event[plain], share]),
            np.concatenate([hazard, spent]),
        )

    def _within(self, nodes: Float, row: Index, cell: Index, time: Float) -> Float:
        """Return the hazard from the start of a cell to a time in it."""
        width, start = self.widths[cell], nodes[row, cell]
        # S falls linearly within a cell, and some curves drop to 0 at once.
        with np.errstate(divide="ignore"):
            way = np.clip((time - start) / (nodes[row, cell + 1] - start), 0.0, 1.0)
            hazard = -np.log1p(way * np.expm1(-width))
        return np.minimum(hazard, width)

    def _spread(self, first: Index, stop: Index, cell: Index) -> tuple[Float, Float]:
        """Return the share in a cell of events spread over [first, stop), and hazards.

        Whoever leaves evenly over the fall of S in a cell of width w spends there
        1 − w/(e^w − 1) on average; whoever leaves later, w.
        """
        survival = np.exp(-np.append(0.0, self.hazards))
        whole, width = survival[first] - survival[stop], self.widths[cell]
        share = (survival[cell] - survival[cell + 1]) / whole
        later = (survival[cell + 1] - survival[stop]) / whole
        return share, later * width + share * (1 - width / np.expm1(width))
