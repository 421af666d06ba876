"""F and its quantile: the smallest s with N·F(s) ≥ k, found exactly.

With censored subjects spread over a law, F has up to N·M jumps (M event times), far
too many to list. The search lists only those in a tiny interval that is proven to hold
the answer:

1. a sketch, a few draws of each law beside the points, gives a window around s;
2. in the window the points are known exactly and the mass of the laws is close to
   linear, so two cheap estimates predict a bracket (lo, hi];
3. two exact evaluations verify mass(lo) < k ≤ mass(hi), or correct the prediction;
4. the breakpoints inside the bracket are listed and walked through.

Every quantity is a sum over blocks of subjects. Cost: O(N) per level, a handful of
passes; memory: a few arrays of N numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.conformal.blocks import LevelMass, Pieces

__all__ = ["conformal_quantile", "rank", "smallest_score"]

# Up to so many breakpoints are listed without narrowing the bracket further.
FEW_PIECES = 1 << 14
# The first bracket is predicted to hold this much mass on either side of the target;
# it covers the error of the cheap estimates, which is below 0.1 on ordinary data.
FIRST_MARGIN = 0.125
# With the exact mass at one end known, the other is predicted so much better.
GAIN = 8
# A sketch has one score per subject, and more only up to so many in all.
FEW_SCORES = 1 << 12
# Enough to bisect through the exponents of all floats.
MAX_ROUNDS = 2200
EPS = float(np.finfo(np.float64).eps)
# The search comes back to the last few places for their breakpoints.
_REMEMBERED = 4


def rank(level: float, n: int) -> int:
    """Return k = ⌈ρ(N + 1)⌉, guarded against the rounding of ρ.

    >>> rank(0.55, 99), rank(0.1 + 0.2, 9), rank(0.95, 18)
    (55, 3, 19)
    """
    return int(np.ceil(level * (n + 1) * (1 - 1e-13)))


class _Total:
    """The mass of all blocks together at one level."""

    def __init__(self, blocks: Sequence[LevelMass]) -> None:
        self.points = [b.points for b in blocks]
        self.laws = [b.law for b in blocks if b.law is not None and b.law.n]
        self.n = sum(b.n for b in blocks)
        self.fixed = sum(b.fixed for b in blocks)
        self.n_law = sum(law.n for law in self.laws)
        self.last_time = max((law.last_time for law in self.laws), default=0.0)
        self.most_pieces = sum(law.most_pieces for law in self.laws)
        self._seen: dict[float, list[Any]] = {}

    @property
    def reach(self) -> float:
        """The mass, less the fixed one, that no score exceeds."""
        return sum(len(points) for points in self.points) + self.law_mass(np.inf)

    def points_below(self, s: float) -> int:
        return sum(int(np.count_nonzero(points <= s)) for points in self.points)

    def points_within(self, lo: float, hi: float) -> Float:
        parts = [points[(points > lo) & (points <= hi)] for points in self.points]
        return np.sort(np.concatenate(parts))

    def at(self, s: float) -> list[Any]:
        """Return the states of all laws at s."""
        if s not in self._seen:
            # A known place further up is a start for some laws.
            higher = min((x for x in self._seen if s < x < np.inf), default=None)
            above = [None] * len(self.laws) if higher is None else self._seen[higher]
            pairs = zip(self.laws, above, strict=True)
            states = [law.at(s, known) for law, known in pairs]
            while len(self._seen) >= _REMEMBERED:
                del self._seen[next(iter(self._seen))]
            self._seen[s] = states
        return self._seen[s]

    def law_mass(self, s: float) -> float:
        return float(sum(state.mass for state in self.at(s)))

    def coarse_law_mass(self, s: float) -> float:
        return sum(law.coarse_mass(s) for law in self.laws)

    def n_pieces(self, lo: float, hi: float) -> int:
        states = zip(self.laws, self.at(lo), self.at(hi), strict=True)
        return sum(law.n_pieces(first, last) for law, first, last in states)

    def pieces(self, lo: float, hi: float, points: Float, below: int) -> Pieces:
        states = zip(self.laws, self.at(lo), self.at(hi), strict=True)
        parts = [law.pieces(first, last) for law, first, last in states]
        return Pieces(
            base=below + sum(p.base for p in parts),
            base_slope=sum(p.base_slope for p in parts),
            position=np.concatenate([points, *(p.position for p in parts)]),
            jump=np.concatenate([np.ones(len(points)), *(p.jump for p in parts)]),
            slope=np.concatenate([np.zeros(len(points)), *(p.slope for p in parts)]),
        )

    def sketch(self) -> tuple[Float, int]:
        """Return scores of equal weight 1/size that resemble F, and that size."""
        size = min(max(FEW_SCORES // self.n, 1), 16)
        parts = [np.repeat(p, size) if size > 1 else p for p in self.points]
        parts += [law.sketch(size) for law in self.laws]
        return np.concatenate(parts), size


def conformal_quantile(
    blocks: Sequence[LevelMass], level: float
) -> tuple[float, int, int]:
    """Return the conformal quantile of the scores, its rank k and N.

    Where k > N it is the largest score, and NaN where there is none.
    """
    total = _Total(blocks)
    k = rank(level, total.n)
    if not total.n:
        return np.nan, k, 0
    return _smallest_score(total, min(k, total.n)), k, total.n


def smallest_score(blocks: Sequence[LevelMass], k: int) -> float:
    """Return the smallest s at which the mass of all blocks reaches k.

    Parameters
    ----------
    blocks : sequence of LevelMass
        Any split of the subjects, in any order.
    k : int
        Rank, 1 ≤ k ≤ N.

    Returns
    -------
    float
        The point of the jump where the mass jumps over k. Where part of the mass is
        fixed, -inf if that alone reaches k and inf if the mass nowhere does.
    """
    return _smallest_score(_Total(blocks), k)


def _smallest_score(total: _Total, k: int) -> float:
    wanted = k - total.fixed
    target = wanted - (1e-9 + 1e-12 * total.n)
    lo, hi = -np.inf, np.inf
    if total.fixed and not 0 < target <= total.reach:
        return lo if target <= 0 else hi
    if not total.laws:
        i = int(np.ceil(target)) - 1
        return float(np.partition(np.concatenate(total.points), i)[i])
    if total.most_pieces <= FEW_PIECES:
        pieces = total.pieces(lo, hi, np.concatenate(total.points), 0)
    else:
        window = _bracket(total, target)
        lo, hi = window.lo, window.hi
        pieces = total.pieces(lo, hi, window.points, window.below)
    if pieces.base_slope or pieces.slope.any():
        return _walk(pieces, lo, hi, wanted, target)
    return _climb(pieces, hi, target)


def _climb(pieces: Pieces, hi: float, target: float) -> float:
    """Follow jumps alone to the first place that reaches the target."""
    order = np.argsort(pieces.position)
    mass = pieces.base + np.cumsum(pieces.jump[order])
    i = int(np.searchsorted(mass, target))
    return float(pieces.position[order[i]]) if i < len(order) else hi


def _walk(pieces: Pieces, lo: float, hi: float, k: float, target: float) -> float:
    """Follow the mass through its breakpoints to the first place that reaches k."""
    order = np.argsort(pieces.position)
    at = pieces.position[order]
    jump, turn = pieces.jump[order], pieces.slope[order]
    # Index 0 is lo itself; entry i + 1 belongs to breakpoint i.
    slope = pieces.base_slope + np.concatenate([[0.0], np.cumsum(turn)])
    # Cumulated slope changes cancel to rounding, not to zero.
    slope[slope < 1e-12 * max(float(slope.max()), 0.0)] = 0.0
    with np.errstate(invalid="ignore"):
        run = np.diff(np.concatenate([[lo], at, [hi]]))
        rise = np.where(slope > 0, slope * run, 0.0)
    before = pieces.base + np.cumsum(rise) + np.concatenate([[0.0], np.cumsum(jump)])
    # before[i] is the mass just below breakpoint i; the last entry is the mass at hi.
    after = before[:-1] + jump
    i = int(np.searchsorted(np.maximum.accumulate(after), target))
    if before[i] >= target and slope[i] > 0:
        start = lo if i == 0 else float(at[i - 1])
        level = float(before[i] - rise[i])
        end = hi if i == len(at) else float(at[i])
        return min(start + max(k - level, 0.0) / float(slope[i]), end)
    return hi if i == len(at) else float(at[i])


def _bracket(total: _Total, target: float) -> _Window:
    """Return lo < hi with mass(lo) < target ≤ mass(hi) and few breakpoints between."""
    sketch, size = total.sketch()
    window = _Window.from_sketch(total, target, sketch, size)
    limit = max(FEW_PIECES, total.n_law)
    margin = FIRST_MARGIN
    for _ in range(MAX_ROUNDS):
        before = window.hi - window.lo
        # Whether the score of u is at most s is asked as offset − s·rate ≤ u, which
        # rounds differently. The bracket steps aside by more than that, so that a score
        # meant to lie inside does.
        nudge = 8 * EPS * max(abs(window.lo), abs(window.hi), total.last_time)
        # The upper end first: it makes the lower one cheap to evaluate.
        s = window.crossing(target + margin) + nudge
        if not window.excludes(s):
            window.learn(s, total.law_mass(s))
        s = window.crossing(target - margin / GAIN) - nudge
        if not window.excludes(s):
            window.learn(s, total.law_mass(s))
        if window.proven:
            if window.hi - window.lo <= 4 * nudge:
                break
            if total.n_pieces(window.lo, window.hi) <= limit:
                break
            margin /= 4
            if window.hi - window.lo > before / 2:  # the line misleads: bisect
                s = window.lo + (window.hi - window.lo) / 2
                window.learn(s, total.law_mass(s))
        else:
            margin *= 8
    return window


class _Window:
    """An interval thought to hold the answer, in which the laws' mass is taken linear.

    The points inside are known exactly. An end is proven once the exact mass there is
    known to lie on its side of the target.
    """

    points: Float
    below: int

    def __init__(
        self,
        total: _Total,
        target: float,
        ends: tuple[float, float],
        law: tuple[float, float],
    ) -> None:
        self.total, self.target = total, target
        self.lo, self.hi = ends
        self.law_lo, self.law_hi = law
        self.lo_proven = self.hi_proven = False
        self._stride = self.hi - self.lo  # how far to look beyond an end, at least
        self._load_points()

    @classmethod
    def from_sketch(
        cls, total: _Total, target: float, sketch: Float, size: int
    ) -> _Window:
        # One draw in each of `size` strata: the error of a subject's mass is uniform
        # within a stratum, so the sum is off by this standard deviation (in ranks of
        # the sketch); three of them, and one rank to round.
        spread = int(3 * np.sqrt(total.n_law / 12)) + 2
        middle = int(target * size)
        final = len(sketch) - 1
        first, last = max(middle - spread, 0), min(middle + spread, final)
        first = min(first, final)
        # One rank at a time: NumPy has no fast path for two.
        sketch.partition(first)
        lo = float(sketch[first])
        hi = float(np.partition(sketch[first:], last - first)[last - first])
        if lo == hi:  # a heavy tie: any window around it will do
            width = 1e-6 * max(abs(lo), total.last_time)
            lo, hi = lo - width, hi + width
        law = total.coarse_law_mass(lo), total.coarse_law_mass(hi)
        return cls(total, target, (lo, hi), law)

    @property
    def proven(self) -> bool:
        return self.lo_proven and self.hi_proven

    def excludes(self, s: float) -> bool:
        """Say whether the exact mass at s would tell nothing new."""
        return (self.lo_proven and s <= self.lo) or (self.hi_proven and s >= self.hi)

    def crossing(self, target: float) -> float:
        """Predict the smallest s in the window with mass(s) ≥ target."""
        slope = (self.law_hi - self.law_lo) / (self.hi - self.lo)
        base = self.below + self.law_lo
        if base >= target:
            return self.lo
        law = slope * (self.points - self.lo)
        i = int(np.searchsorted(base + law + np.arange(len(law)) + 1, target))
        end = self.points[i] if i < len(law) else self.hi
        if slope > 0:
            end = min(end, self.lo + (target - base - i) / slope)
        return float(max(end, self.lo))

    def learn(self, s: float, law: float) -> None:
        """Cut the window at s, where the exact mass of the laws is *law*."""
        width = self.hi - self.lo
        slope = (self.law_hi - self.law_lo) / width
        lo, hi = self.lo, self.hi
        if self._points_below(s) + law >= self.target:
            if not self.lo_proven:  # keep the slope; go further down if needed
                lo = lo if lo < s else s - self._next_stride()
                self.law_lo = law - slope * (s - lo)
            self.law_hi, self.hi_proven, hi = law, True, s
        else:
            if not self.hi_proven:
                hi = hi if hi > s else s + self._next_stride()
                self.law_hi = law + slope * (hi - s)
            self.law_lo, self.lo_proven, lo = law, True, s
        self._move(lo, hi)

    def _next_stride(self) -> float:
        """Return twice as much as the last time: the answer may be far away."""
        self._stride *= 2
        return self._stride

    def _points_below(self, s: float) -> int:
        if not self.lo <= s <= self.hi:
            return self.total.points_below(s)
        return self.below + int(np.searchsorted(self.points, s, side="right"))

    def _move(self, lo: float, hi: float) -> None:
        if self.lo <= lo and hi <= self.hi:
            first, last = np.searchsorted(self.points, (lo, hi), side="right")
            self.points, self.below = self.points[first:last], self.below + int(first)
            self.lo, self.hi = lo, hi
        else:
            self.lo, self.hi = lo, hi
            self._load_points()

    def _load_points(self) -> None:
        self.points = self.total.points_within(self.lo, self.hi)
        self.below = self.total.points_below(self.lo)
