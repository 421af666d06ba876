"""The mass of censored subjects whose anchor lies on the segment of the next level."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.laws.law import (
    UNLISTED,
    AtScore,
    LineMass,
)
from consurv.conformal.quantile.masses import Pieces, in_units, to_mass

__all__ = ["Head", "SegmentMass"]

# Where the mass rises by no more than this it is taken as linear: the curvature left
# out is of second order.
_LINEAR = 1e-6


class Head(Protocol):
    """The law of censored subjects between c and an anchor at or after c."""

    anchor: Float
    weight: Float  # P(T > anchor | T > c)

    def before(self, rows: Index, x: Float) -> Float:
        """Return P(T ≥ x | T > c) for c < x ≤ anchor."""

    def inverse(self, rows: Index, level: Float) -> Float:
        """Return a time at which P(T > t | T > c) falls to *level* ≥ weight."""

    def jumps(self, rows: Index, near: Float, far: Float) -> tuple[Index, Float, Float]:
        """Return the atoms in [near, far): position in *rows*, time and mass."""


class SegmentMass(LineMass):
    """Σ P(T ≥ x | T > c) − w·ρ/r over subjects, for x = max(offset − s·rate, u).

    P is 1 up to c, the head's up to the anchor a, and beyond
    w·ρ / (r − (r − ρ)·(a − u)/(x − u)), where u is the last node of the subject's
    curve and r its level. The term subtracted, ``floor``, is the limit for large x.

    Parameters
    ----------
    head : Head
    rows : ndarray of int
        The subjects, as *head* counts them.
    line : pair of ndarray
        Offset and rate of each.
    node, c : ndarray
        Last node and censoring time of each.
    levels : pair of float
        The level of the last node and the next one.
    """

    most_pieces = UNLISTED
    straight = True

    def __init__(
        self,
        head: Head,
        rows: Index,
        line: tuple[Float, Float],
        node: Float,
        c: Float,
        levels: tuple[float, float],
    ) -> None:
        self.head, self.rows, self.node, self.c = head, rows, node, c
        self.anchor, self.weight = head.anchor[rows], head.weight[rows]
        super().__init__(*line, float(self.anchor.max(initial=0.0)))
        self.above, self.level = levels
        self.floor = self.weight * (self.level / self.above)
        self._way = (self.above - self.level) * (self.anchor - node)

    def sketch(self, size: int) -> Float:
        """Return the scores at which the mass passes evenly spread values."""
        total = np.cumsum(1 - self.floor)
        places = (np.arange(max(int(total[-1] * size), 1)) + 0.5) / size
        i = np.minimum(np.searchsorted(total, places), self.n - 1)
        level = np.minimum(1 - (total[i] - places), 1.0)
        x, early = np.empty(len(i)), level >= self.weight[i]
        x[early] = self.head.inverse(self.rows[i[early]], level[early])
        late = i[~early]
        at_anchor = self.weight[late] * self.level / level[~early]
        with np.errstate(divide="ignore"):
            x[~early] = self.node[late] + self._way[late] / (self.above - at_anchor)
        # Far out is as good as anywhere further.
        far = 64 * float(self.anchor.max(initial=0.0))
        scores: Float = (self.offset[:, i] - np.clip(x, 0.0, far)) / self.rate[:, i]
        return scores

    def at(self, s: Float, above: AtScore | None) -> AtScore:
        """Return the mass at s."""
        x = np.maximum(self.offset[0] - s * self.rate[0], self.node)
        beyond = x > self.anchor
        with np.errstate(divide="ignore", invalid="ignore"):
            part = self._way / (x - self.node)
            reach = np.where(
                beyond, self.weight * self.level / (self.above - part), 1.0
            )
        early = np.flatnonzero(~beyond & (x > self.c))
        if early.size:
            reach[early] = self.head.before(self.rows[early], x[early])
        return AtScore(s, in_units(reach - self.floor)[None])

    def n_pieces(self, lo: AtScore, hi: AtScore) -> Index:
        """Return the number of jumps in (lo, hi]; endless while the rest bends."""
        near, far = (self.offset[0] - state.s * self.rate[0] for state in (hi, lo))
        # The mass of some subject begins or ceases to move on the way.
        bends = any(
            bool(((near <= t) & (t < far)).any())
            for t in (self.anchor, self.c, self.node)
        )
        if bends:
            return np.array([UNLISTED])
        _, _, jump = self._jumps(lo, hi)
        rise = float(to_mass(hi.units - lo.units)[0]) - float(jump.sum())
        return np.array([len(jump) if rise <= _LINEAR else UNLISTED])

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return the jumps of the head, and one line for all the rest."""
        row, time, jump = self._jumps(lo, hi)
        position = (self.offset[0, row] - time) / self.rate[0, row]
        none = np.zeros(len(position))
        return Pieces(np.zeros(1), none.astype(np.intp), position, jump, none)

    def _jumps(self, lo: AtScore, hi: AtScore) -> tuple[Index, Float, Float]:
        near = np.maximum(self.offset[0] - hi.s * self.rate[0], self.node)
        far = np.maximum(self.offset[0] - lo.s * self.rate[0], near)
        return self.head.jumps(self.rows, near, far)
