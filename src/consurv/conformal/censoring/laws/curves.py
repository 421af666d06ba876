"""Laws of T given T > c, each by a survival curve of its own.

Where the curves are straight the mass is piecewise linear, with a bend wherever a node
of any subject comes by; listing slopes that begin and end would let steep stretches
drown flat ones in rounding. So the search narrows its bracket until no bend is left
inside, and there two exact values give the line. Steps are listed as jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import (
    UNLISTED,
    AtScore,
    EvenDraws,
    LineMass,
    unroll,
)
from consurv.conformal.quantile.masses import EVERYONE, Pieces, carry
from consurv.curves.interpolate import index_before, survival_at, survival_before
from consurv.curves.nodes import Nodes, end_time
from consurv.curves.percentiles import percentile_times

__all__ = ["CurveLaw", "Curves"]


@dataclass(frozen=True)
class Curves:
    """Linear or step curves of some subjects censored at c, where S(c) > 0."""

    nodes: Nodes
    c: Float

    @cached_property
    def survival(self) -> Float:
        """S(c)."""
        return survival_at(self.nodes, self.c[:, None])[:, 0]

    @cached_property
    def end(self) -> Float:
        """Where each curve reaches 0; +inf for one that never does."""
        last_time = np.broadcast_to(self.nodes.times[..., -1], self.c.shape)
        last = self.nodes.survival[:, -1].astype(np.float64)
        return np.where(np.isinf(last_time), np.inf, end_time(last_time, last))

    @property
    def steps(self) -> bool:
        """Whether the curves fall in steps."""
        return self.nodes.interpolation == "step"

    @cached_property
    def bends(self) -> list[Float]:
        """Times beyond the nodes at which a straight stretch begins or ends, or inf."""
        if not self.steps:
            return [self.c, self.end]
        # Only the last line is straight. It begins at the last node, or at c.
        start = np.maximum(self.nodes.times[..., -1], self.c)
        return [np.where(start < self.end, t, np.inf) for t in (start, self.end)]

    def take(self, rows: Any) -> Curves:
        """Return some of the subjects."""
        return Curves(self.nodes.take(rows), self.c[rows])

    def inverse(self, level: Float) -> Float:
        """Return the times at which the curves fall to levels (n, m)."""
        return percentile_times(self.nodes, level)

    def n_bends(self, near: Float, far: Float, nodes: Index) -> int:
        """Return how many ends of straight stretches lie in [near, far).

        *nodes* says how many nodes do.
        """
        found = sum(int(((near <= t) & (t < far)).sum()) for t in self.bends)
        return found if self.steps else found + int(nodes.sum())

    def jumps(self, first: Index, last: Index) -> tuple[Index, Float, Float]:
        """Return row, time and size of the jumps at the nodes first + 1 … last."""
        row, m = unroll(first + 1, last + 1)
        limit = self.survival[row]
        before, at = (
            np.minimum(self.nodes.survival[row, i], limit) for i in (m - 1, m)
        )
        kept = before > at
        row, m = row[kept], m[kept]
        times = self.nodes.times
        time = times[m] if times.ndim == 1 else times[row, m]
        return row, time, (before - at)[kept] / limit[kept]


class CurveLaw(EvenDraws):
    """P(T ≥ x | T > c) = min(1, S(x⁻)/S(c)) by curves that all come down to 0.

    The curves may come in parts with different grids.
    """

    many_levels = False

    def __init__(self, parts: Sequence[Curves]) -> None:
        self.parts = parts
        ends = np.cumsum([len(part.c) for part in parts]).tolist()
        starts = [0, *ends[:-1]]
        self.rows = [slice(*pair) for pair in zip(starts, ends, strict=True)]
        self.n: int = ends[-1]
        self.last_time = max(float(part.end.max(initial=0.0)) for part in parts)
        self.at_c = np.concatenate([part.survival for part in parts])

    def select(self, rows: Any) -> CurveLaw:
        """Return the laws of some of the subjects, in order."""
        kept = np.zeros(self.n, dtype=np.bool_)
        kept[rows] = True
        pairs = zip(self.parts, self.rows, strict=True)
        return CurveLaw(
            [
                part if kept[own].all() else part.take(_as_slice(kept[own]))
                for part, own in pairs
                if kept[own].any()
            ]
            or [self.parts[0].take(slice(0))]
        )

    def at(self, offset: Float, rate: Float, rows: Any = EVERYONE) -> _CurveMass:
        """Return the mass of *rows* for scores on these lines."""
        if rows is EVERYONE:
            return _CurveMass(self, offset, rate)
        if not isinstance(rows, slice):
            return _CurveMass(self.select(rows), offset, rate)
        # The same parts come again at every level.
        cut: dict[Any, CurveLaw] = self.__dict__.setdefault("_cut", {})
        key = rows.start, rows.stop
        if key not in cut:
            cut[key] = self.select(rows)
        return _CurveMass(cut[key], offset, rate)

    def inverse(self, level: Float) -> Float:
        """Return (n, m) times at which the curves fall to levels (n, m)."""
        pairs = zip(self.parts, self.rows, strict=True)
        return np.concatenate([part.inverse(level[rows]) for part, rows in pairs])


class _CurveMass(LineMass):
    """The mass of laws by curves at one level.

    At a score the last node that each subject has passed is known, part by part.
    """

    most_pieces = UNLISTED
    straight = True

    def __init__(self, law: CurveLaw, offset: Float, rate: Float) -> None:
        # Tails may end light-years out, where nothing happens.
        observed = max(float(part.c.max(initial=0.0)) for part in law.parts)
        super().__init__(offset, rate, min(law.last_time, observed))
        self.law = law

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        return self.scores(self.law.draws(size))

    def at(self, s: Float, above: AtScore | None) -> AtScore:
        """Return the last node before offset − s·rate, part by part, and the mass."""
        indices, units = [], np.zeros((1, 2), dtype=np.int64)
        reached = self.offset[0] - s * self.rate[0]
        for part, rows in zip(self.law.parts, self.law.rows, strict=True):
            # Nothing falls before c, where min(S(x⁻), S(c)) is S(c) already.
            x = np.maximum(reached[rows], part.c)
            index = index_before(part.nodes, x)
            value = survival_before(part.nodes, x, index)
            share = np.minimum(value, part.survival) / part.survival
            units += self.in_units(share, rows)
            indices.append(index)
        return AtScore(s, carry(units), indices)

    def n_pieces(self, lo: AtScore, hi: AtScore) -> Index:
        """Return the number of jumps in (lo, hi]; endless while a bend lies there."""
        jumps = bends = 0
        near, far = (self.offset[0] - state.s * self.rate[0] for state in (hi, lo))
        parts = zip(self.law.parts, self.law.rows, hi.found, lo.found, strict=True)
        for part, rows, first, last in parts:
            from_c = np.maximum(near[rows], part.c)
            bends += part.n_bends(from_c, far[rows], last - first)
            jumps += int((last - first).sum()) if part.steps else 0
        return np.array([jumps + bends * UNLISTED])

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return the jumps of step curves, and one line for all that is straight."""
        positions, sizes = [np.empty(0)], [np.empty(0)]
        parts = zip(self.law.parts, self.law.rows, hi.found, lo.found, strict=True)
        for part, rows, first, last in parts:
            if part.steps:
                row, time, size = part.jumps(first, last)
                position = self.offset[0, rows][row] - time
                position /= self.rate[0, rows][row]
                positions.append(position)
                sizes.append(size)
        position, jump = np.concatenate(positions), np.concatenate(sizes)
        none = np.zeros(len(position))
        return Pieces(np.zeros(1), none.astype(np.intp), position, jump, none)


def _as_slice(kept: Bool) -> Any:
    """Return a mask as a slice, which copies nothing, if it is one."""
    first, last = np.flatnonzero(kept)[[0, -1]]
    return slice(first, last + 1) if kept[first : last + 1].all() else kept
