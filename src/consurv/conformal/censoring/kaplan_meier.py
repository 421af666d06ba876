"""``"kaplan-meier"``: a censored subject follows S_KM(t | t > c).

The paper draws R times from this law (``n_samples=R``); by default the exact limit
R → ∞ is used, which needs no seed and no R-fold memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.conformal.censoring.base import Block, Contribution, Law, Pieces
from consurv.conformal.censoring.lookup import KaplanMeierLookup
from consurv.conformal.censoring.sampled import SampledLaw

__all__ = ["KaplanMeierLaw", "KaplanMeierRule"]

_GOLDEN = (np.sqrt(5) - 1) / 2
_REMEMBERED = 4
# Subjects evaluated at once, so that temporaries stay in the cache.
_BLOCK = 1 << 14
# Up to so many event times the look-up tables stay there, too.
_IN_CACHE = 1 << 13
# S(c) below which c counts as t_end. The slope of a narrower law would drown those of
# all others in rounding. (Before the tail S is at least 1 over the sample size.)
_AT_THE_END = 1e-9


@dataclass(frozen=True)
class KaplanMeierRule:
    """Censored subjects follow the Kaplan–Meier curve beyond c.

    Parameters
    ----------
    n_samples : int or None
        Draws per censored subject; None is the exact limit.
    """

    n_samples: int | None = None

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Events and subjects censored past the end are points, the others laws."""
        outcome, q = block.outcome, block.percentile_times
        events = np.flatnonzero(outcome.event)
        censored = np.flatnonzero(~outcome.event)
        if not censored.size:
            return Contribution.of_points(events, outcome.time[events])
        lookup = KaplanMeierLookup(block.kaplan_meier)
        if self.n_samples is None and len(lookup.times) > _IN_CACHE:
            # Subjects with close percentile times, side by side in memory, make
            # look-ups fast; nothing else depends on their order.
            censored = censored[np.argsort(q[censored, q.shape[1] // 2])]
        survival = lookup.survival_at(outcome.time[censored])
        # Where the curve is 0 at c the law is a point mass at c; so it is where c
        # comes so close to t_end that rounding alone keeps them apart.
        spread = survival > _AT_THE_END
        points = np.concatenate([events, censored[~spread]])
        censored, survival = censored[spread], survival[spread]
        c = outcome.time[censored]
        law: Law = (
            KaplanMeierLaw(lookup, c, survival)
            if self.n_samples is None
            else SampledLaw(lookup.km.sample(c, self.n_samples, rng))
        )
        return Contribution(points, outcome.time[points], censored, law)


class KaplanMeierLaw:
    """P(T ≥ x | T > c) = min(1, S(x⁻)/S(c)) for subjects censored at c with S(c) > 0.

    No comparison of x with c is needed: x ≤ c makes the ratio at least 1. It is taken
    as min(S(x⁻), S(c)) times the weight 1/S(c).
    """

    def __init__(self, lookup: KaplanMeierLookup, c: Float, survival: Float) -> None:
        self.lookup, self.c, self.survival = lookup, c, survival
        self.weight = 1 / survival
        self._draws: dict[int, Float] = {}

    def select(self, rows: NDArray[np.bool_]) -> KaplanMeierLaw:
        """Return the laws of some of the subjects."""
        return KaplanMeierLaw(self.lookup, self.c[rows], self.survival[rows])

    def at(self, q: Float) -> _KaplanMeierMass:
        """Return the mass for percentile times *q*."""
        return _KaplanMeierMass(self, q)

    def draws(self, size: int) -> Float:
        """Return (n, size) times at evenly spread levels, shifted subject by subject.

        The golden ratio spreads the shifts evenly; they are the same at every level.
        """
        if size not in self._draws:
            shift = (np.arange(len(self.c)) * _GOLDEN) % 1
            share = (shift[:, None] + np.arange(size)) / size
            self._draws[size] = self.lookup.coarse_inverse(
                share * self.survival[:, None]
            )
        return self._draws[size]


class _KaplanMeierMass:
    """The mass of Kaplan–Meier laws at one level."""

    def __init__(self, law: KaplanMeierLaw, q: Float) -> None:
        self.law, self.q, self.n = law, q, len(q)
        self.km, self.lookup, self.weight = law.lookup.km, law.lookup, law.weight
        self.last_time = self.km.t_end
        self._q_max = float(q.max(initial=-np.inf))
        # The search comes back to the last few places for their breakpoints.
        self._seen: dict[float, tuple[NDArray[np.intp], float]] = {}

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        return (self.q[:, None] - self.law.draws(size)).ravel()

    def coarse_mass(self, s: float) -> float:
        """Return the mass at s from a small table of the curve."""
        return sum(
            self._sum(rows, self.lookup.coarse(self.q[rows] - s))
            for rows in self._blocks()
        )

    def mass(self, s: float) -> float:
        """Return the exact mass at s."""
        return self._at(s)[1]

    def n_pieces(self, lo: float, hi: float) -> int:
        """Return how many event times lie in reach of (lo, hi], over all subjects."""
        if np.isinf(lo) and np.isinf(hi):
            return self.n * len(self.lookup.times)
        steps = int(self._at(lo)[0].sum() - self._at(hi)[0].sum())
        if not self._reaches_tail(lo):
            return steps
        return steps + sum(int(_within(x, lo, hi).sum()) for x in self._tail())

    def pieces(self, lo: float, hi: float) -> Pieces:
        """Return jumps at event times and, in the tail, the turns of slope."""
        (first, _), (last, base) = self._at(hi), self._at(lo)
        row = np.flatnonzero(last > first)
        counts = (last - first)[row]
        # Event times first..last-1 of every such row, one after the other.
        start = np.cumsum(counts) - counts
        m = np.arange(int(counts.sum())) + np.repeat(first[row] - start, counts)
        row = np.repeat(row, counts)
        survival, at_c = self.lookup.survival, self.law.survival[row]
        jump = np.minimum(survival[m], at_c) - np.minimum(survival[m + 1], at_c)
        kept = jump > 0  # event times before c carry no mass
        row, m = row[kept], m[kept]
        position = self.q[row] - self.lookup.times[m]
        jump = jump[kept] * self.weight[row]
        steps = Pieces(base, 0.0, position, jump, np.zeros(len(position)))
        return self._with_tail(steps, lo, hi) if self._reaches_tail(lo) else steps

    def _tail(self) -> tuple[Float, Float]:
        """Return the scores at which the straight part of the mass begins and ends."""
        start = np.maximum(self.law.c, self.km.t_max)
        return self.q - self.km.t_end, self.q - start

    def _with_tail(self, steps: Pieces, lo: float, hi: float) -> Pieces:
        """Add the turns of the straight part between t_max (or c) and t_end."""
        slope = self.weight / self.km.t_end  # the line goes from (0, 1) to (t_end, 0)
        begin, end = self._tail()
        begins, ends = _within(begin, lo, hi), _within(end, lo, hi)
        position = np.concatenate([begin[begins], end[ends]])
        turn = np.concatenate([slope[begins], -slope[ends]])
        return Pieces(
            steps.base,
            float(slope[(begin <= lo) & (end > lo)].sum()),
            np.concatenate([steps.position, position]),
            np.concatenate([steps.jump, np.zeros(len(position))]),
            np.concatenate([steps.slope, turn]),
        )

    def _reaches_tail(self, s: float) -> bool:
        return self.km.s_max > 0 and self._q_max - s > self.km.t_max

    def _at(self, s: float) -> tuple[NDArray[np.intp], float]:
        """Return how many event times are < q − s, by subject, and the mass."""
        if s not in self._seen:
            while len(self._seen) >= _REMEMBERED:
                del self._seen[next(iter(self._seen))]
            self._seen[s] = self._evaluate(s)
        return self._seen[s]

    def _evaluate(self, s: float) -> tuple[NDArray[np.intp], float]:
        if np.isinf(s):  # nothing or everything lies below
            index = np.full(self.n, 0 if s > 0 else len(self.lookup.times))
            return index, float(self.n) if s > 0 else 0.0
        # Further up fewer event times are < q − s: the next place known is a start.
        above = min((seen for seen in self._seen if s < seen < np.inf), default=None)
        known = None if above is None else self._seen[above][0]
        index, mass = np.empty(self.n, dtype=np.intp), 0.0
        for rows in self._blocks():
            x = self.q[rows] - s
            found = self.lookup.index(x, None if known is None else known[rows])
            value = self.lookup.survival.take(found, mode="clip")
            if self._reaches_tail(s):
                tail = x > self.km.t_max
                if tail.any():
                    value[tail] = self.km.survival_before(x[tail])
            index[rows], mass = found, mass + self._sum(rows, value)
        return index, mass

    def _sum(self, rows: slice, value: Float) -> float:
        """Add up P(T ≥ x | T > c), where *value* is S(x⁻); overwrites it."""
        np.minimum(value, self.law.survival[rows], out=value)
        value *= self.weight[rows]
        return float(value.sum())

    def _blocks(self) -> list[slice]:
        return [slice(i, i + _BLOCK) for i in range(0, self.n, _BLOCK)]


def _within(values: Float, lo: float, hi: float) -> NDArray[np.bool_]:
    return (values > lo) & (values <= hi)
