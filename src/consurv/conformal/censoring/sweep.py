"""Censored subjects by their own adjusted curves, found in one sweep over the levels.

At a level ρ a censored subject counts P(T ≥ q' | T > c), and beyond an anchor a this is
w·ρ/S'(a) by its adjusted curve S'. (If the curve alone speaks, a = c and w = 1; a
``Head`` may speak first, up to a later anchor, and leave the weight w.)

S' is drawn from level 1 at time 0 on, so S'(a) depends on b(ρ) and on the shifts of
higher levels, never of lower ones. The equations of all levels are triangular: taken in
falling order each has one unknown. Where an earlier node lies beyond the anchor, S'(a)
is known and so is what the subject counts. Otherwise a lies on the segment that ends at
q', and the count rises with the shift, without jumps (``segment.py``). So every level
has one solution, and together they are the fixed point of imputing by the adjusted
curves and adjusting by what was imputed; no start, no iteration.

For the curves, nodes that would come before the last one are put there: a running
maximum, which is what clipping at 0 and ``rearrange="ceil"`` do. Events count by their
scores, as in every rule, so without censoring this is the plain quantile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.laws.segment import Head, SegmentMass
from consurv.conformal.parts.blocks import Block
from consurv.conformal.quantile.masses import LevelMass
from consurv.errors import InvalidInput

__all__ = ["CurveSweep", "check_events"]


def check_events(blocks: Sequence[Block], rule: str) -> int:
    """Return the number of events in all blocks, at least one."""
    n_events = sum(block.outcome.n_events for block in blocks)
    if not n_events:
        raise InvalidInput(
            f"no event was observed in the conformal set: censoring={rule!r} has "
            "nothing to go by; use 'kaplan-meier' with the curve of other subjects"
        )
    return n_events


class CurveSweep:
    """A block on its way down the levels.

    Parameters
    ----------
    block : Block
    head : Head
        What speaks for the censored subjects, in their order, before their curves do.
    """

    def __init__(self, block: Block, head: Head) -> None:
        outcome = block.outcome
        self._q, self._levels, self._head = block.percentile_times, block.levels, head
        self._line = block.line
        self.n_subjects = len(outcome)
        self._events = np.flatnonzero(outcome.event)
        self._censored = np.flatnonzero(~outcome.event)
        self._time = outcome.time
        self._node = np.zeros(len(outcome))  # of each curve, the last so far
        self._level = 1.0  # its level
        self._at_anchor = np.ones(len(self._censored))  # S'(a), once it is known
        self._known = np.zeros(len(self._censored), dtype=np.bool_)

    @property
    def n_infinite(self) -> int:
        """Number of subjects that are infinite at some level."""
        return int(np.isinf(self._q).any(axis=1).sum())

    def at(self, p: int) -> LevelMass:
        """Return the mass at the p-th level, the next one below the last learnt."""
        level, q = float(self._levels[p]), np.ascontiguousarray(self._q[:, p])
        counts = np.maximum(q, self._node) < np.inf
        events, counted = self._events[counts[self._events]], counts[self._censored]
        known = counted & self._known
        fixed = float((self._head.weight[known] / self._at_anchor[known]).sum()) * level
        law = self._segment(q, level, np.flatnonzero(counted & ~self._known))
        offset, rate = self._line(q[events])
        return LevelMass(
            points=(offset - self._time[events]) / rate,
            law=law,
            fixed=fixed + float(law.floor.sum()),
            n_fixed=int(known.sum()),
        )

    def _segment(self, q: Float, level: float, rows: Index) -> SegmentMass:
        subjects = self._censored[rows]
        return SegmentMass(
            self._head,
            rows,
            self._line(q[subjects]),
            self._node[subjects],
            self._time[subjects],
            (self._level, level),
        )

    def learn(self, p: int, shift: float) -> None:
        """Add the node of the p-th level to the curves."""
        level = float(self._levels[p])
        offset, rate = self._line(self._q[:, p])
        node = np.maximum(offset - shift * rate, self._node)
        u, x = self._node[self._censored], node[self._censored]
        anchor = self._head.anchor
        passed = ~self._known & (anchor < x)
        way = (anchor[passed] - u[passed]) / (x[passed] - u[passed])
        self._at_anchor[passed] = self._level - (self._level - level) * way
        self._known |= passed
        self._node, self._level = node, level
