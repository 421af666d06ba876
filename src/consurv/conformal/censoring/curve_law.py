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

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Bool, Float
from consurv.conformal.censoring.base import Pieces
from consurv.curves.interpolate import index_before, survival_at, survival_before
from consurv.curves.nodes import Nodes, end_time
from consurv.curves.percentiles import percentile_times

__all__ = ["CurveLaw", "Curves"]

Index = NDArray[np.intp]

_GOLDEN = (np.sqrt(5) - 1) / 2
_REMEMBERED = 4
# A bend in the bracket counts as so many pieces that the search goes on.
_UNLISTED = 1 << 40
# Rises of the mass below this, plus the second times n, are rounding of its two ends.
_ROUNDING = 1e-10, 1e-13


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

    def take(self, rows: Bool) -> Curves:
        """Return some of the subjects."""
        if rows.all():
            return self
        return Curves(self.nodes.take(rows), self.c[rows])

    def draws(self, shares: Float) -> Float:
        """Return the times at which the conditional laws fall to *shares*, (n, m)."""
        return percentile_times(self.nodes, shares * self.survival[:, None])

    def n_bends(self, near: Float, far: Float, nodes: Index) -> int:
        """Return how many ends of straight stretches lie in [near, far).

        *nodes* says how many nodes do.
        """
        found = sum(int(((near <= t) & (t < far)).sum()) for t in self.bends)
        return found if self.steps else found + int(nodes.sum())

    def jumps(self, q: Float, first: Index, last: Index) -> tuple[Float, Float]:
        """Return position and size of the jumps at the nodes first + 1 … last."""
        row = np.flatnonzero(last > first)
        counts = (last - first)[row]
        start = np.cumsum(counts) - counts
        m = np.arange(int(counts.sum())) + np.repeat(first[row] + 1 - start, counts)
        row = np.repeat(row, counts)
        limit = self.survival[row]
        before, at = (
            np.minimum(self.nodes.survival[row, i], limit) for i in (m - 1, m)
        )
        kept = before > at
        row, m = row[kept], m[kept]
        times = self.nodes.times
        time = times[m] if times.ndim == 1 else times[row, m]
        return q[row] - time, (before - at)[kept] / limit[kept]


class CurveLaw:
    """P(T ≥ x | T > c) = min(1, S(x⁻)/S(c)) by curves that all come down to 0.

    The curves may come in parts with different grids.
    """

    def __init__(self, parts: Sequence[Curves]) -> None:
        self.parts = parts
        ends = np.cumsum([len(part.c) for part in parts]).tolist()
        starts = [0, *ends[:-1]]
        self.rows = [slice(*pair) for pair in zip(starts, ends, strict=True)]
        self.n: int = ends[-1]
        self.last_time = max(float(part.end.max(initial=0.0)) for part in parts)
        self._draws: dict[int, Float] = {}

    def select(self, rows: Bool) -> CurveLaw:
        """Return the laws of some of the subjects."""
        pairs = zip(self.parts, self.rows, strict=True)
        return CurveLaw([part.take(rows[own]) for part, own in pairs])

    def at(self, q: Float) -> _CurveMass:
        """Return the mass for percentile times *q*."""
        return _CurveMass(self, q)

    def draws(self, size: int) -> Float:
        """Return (n, size) times at evenly spread levels, shifted by subject."""
        if size not in self._draws:
            shift = (np.arange(self.n) * _GOLDEN) % 1
            shares = (shift[:, None] + np.arange(size)) / size
            pairs = zip(self.parts, self.rows, strict=True)
            parts = [part.draws(shares[rows]) for part, rows in pairs]
            self._draws[size] = np.concatenate(parts)
        return self._draws[size]


class _CurveMass:
    """The mass of laws by curves at one level."""

    def __init__(self, law: CurveLaw, q: Float) -> None:
        self.law, self.n = law, law.n
        # Tails may end light-years out, where nothing happens.
        observed = max(float(part.c.max(initial=0.0)) for part in law.parts)
        self.last_time = min(law.last_time, observed)
        self.parts = [
            (part, q[rows]) for part, rows in zip(law.parts, law.rows, strict=True)
        ]
        self._q = q
        # The search comes back to the last few places.
        self._seen: dict[float, tuple[list[Index], float]] = {}

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        return (self._q[:, None] - self.law.draws(size)).ravel()

    def coarse_mass(self, s: float) -> float:
        """Return the mass at s."""
        return self.mass(s)

    def mass(self, s: float) -> float:
        """Return the mass at s."""
        return self._at(s)[1]

    def n_pieces(self, lo: float, hi: float) -> int:
        """Return the number of jumps in (lo, hi]; endless while a bend lies there."""
        jumps = bends = 0
        pairs = zip(self.parts, self._at(hi)[0], self._at(lo)[0], strict=True)
        for (part, q), first, last in pairs:
            bends += part.n_bends(np.maximum(q - hi, part.c), q - lo, last - first)
            jumps += int((last - first).sum()) if part.steps else 0
        return jumps + bends * _UNLISTED

    def pieces(self, lo: float, hi: float) -> Pieces:
        """Return the jumps of step curves, and one line for all that is straight."""
        (first, top), (last, base) = self._at(hi), self._at(lo)
        found = [
            part.jumps(q, i, j)
            for (part, q), i, j in zip(self.parts, first, last, strict=True)
            if part.steps
        ]
        position = np.concatenate([p for p, _ in found]) if found else np.empty(0)
        jump = np.concatenate([j for _, j in found]) if found else np.empty(0)
        rise = top - base - float(jump.sum())
        straight = rise > _ROUNDING[0] + _ROUNDING[1] * self.n
        slope = rise / (hi - lo) if straight else 0.0
        return Pieces(base, slope, position, jump, np.zeros(len(position)))

    def _at(self, s: float) -> tuple[list[Index], float]:
        """Return the last node before q − s, part by part, and the mass."""
        if s not in self._seen:
            while len(self._seen) >= _REMEMBERED:
                del self._seen[next(iter(self._seen))]
            self._seen[s] = self._evaluate(s)
        return self._seen[s]

    def _evaluate(self, s: float) -> tuple[list[Index], float]:
        indices, mass = [], 0.0
        for part, q in self.parts:
            # Nothing falls before c, where min(S(x⁻), S(c)) is S(c) already.
            x = np.maximum(q - s, part.c)
            index = index_before(part.nodes, x)
            value = survival_before(part.nodes, x, index)
            mass += float((np.minimum(value, part.survival) / part.survival).sum())
            indices.append(index)
        return indices, mass
