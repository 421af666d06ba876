"""Laws of T given T > c by one Kaplan–Meier curve: exact, for millions of subjects."""

from __future__ import annotations

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import EvenDraws, RememberedMass, unroll
from consurv.conformal.censoring.laws.lookup import KaplanMeierLookup
from consurv.conformal.mass import Pieces
from consurv.conformal.scores import DIFFERENCE, Score

__all__ = ["KaplanMeierLaw"]

# Subjects evaluated at once, so that temporaries stay in the cache.
_BLOCK = 1 << 14


class KaplanMeierLaw(EvenDraws):
    """P(T ≥ x | T > c) = min(1, S(x⁻)/S(c)) for subjects censored at c with S(c) > 0.

    No comparison of x with c is needed: x ≤ c makes the ratio at least 1. It is taken
    as min(S(x⁻), S(c)) times the weight 1/S(c).
    """

    def __init__(self, lookup: KaplanMeierLookup, c: Float, survival: Float) -> None:
        self.lookup, self.c, self.at_c = lookup, c, survival
        self.weight = 1 / survival

    def select(self, rows: Bool) -> KaplanMeierLaw:
        """Return the laws of some of the subjects."""
        return KaplanMeierLaw(self.lookup, self.c[rows], self.at_c[rows])

    def at(self, q: Float, score: Score = DIFFERENCE) -> _KaplanMeierMass:
        """Return the mass for percentile times *q*."""
        return _KaplanMeierMass(self, q, score)

    def inverse(self, level: Float) -> Float:
        """Return about the times at which the curve falls to *level*."""
        return self.lookup.coarse_inverse(level)


class _KaplanMeierMass(RememberedMass):
    """The mass of Kaplan–Meier laws at one level."""

    def __init__(self, law: KaplanMeierLaw, q: Float, score: Score) -> None:
        super().__init__(q, score)
        self.law, self.km, self.lookup = law, law.lookup.km, law.lookup
        self.weight, self.last_time = law.weight, self.km.t_end
        self._q_max = q.max(initial=-np.inf)

    def _draws(self, size: int) -> Float:
        return self.law.draws(size)

    def coarse_mass(self, s: float) -> float:
        """Return the mass at s from a small table of the curve."""
        return sum(
            self._sum(rows, self.lookup.coarse(self.score.reach(self.q[rows], s)))
            for rows in self._blocks()
        )

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
        row, m = unroll(first, last)
        survival, at_c = self.lookup.survival, self.law.at_c[row]
        jump = np.minimum(survival[m], at_c) - np.minimum(survival[m + 1], at_c)
        kept = jump > 0  # event times before c carry no mass
        row, m = row[kept], m[kept]
        position = self.score.of(self.q[row], self.lookup.times[m])
        jump = jump[kept] * self.weight[row]
        steps = Pieces(base, 0.0, position, jump, np.zeros(len(position)))
        return self._with_tail(steps, lo, hi) if self._reaches_tail(lo) else steps

    def _tail(self) -> tuple[Float, Float]:
        """Return the scores at which the straight part of the mass begins and ends."""
        start = np.maximum(self.law.c, self.km.t_max)
        end = np.full(self.n, self.km.t_end)
        return self.score.of(self.q, end), self.score.of(self.q, start)

    def _with_tail(self, steps: Pieces, lo: float, hi: float) -> Pieces:
        """Add the turns of the straight part between t_max (or c) and t_end."""
        # The line goes from (0, 1) to (t_end, 0).
        slope = self.weight * self.score.rate(self.q) / self.km.t_end
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
        return self.km.s_max > 0 and bool(
            self.score.reach(self._q_max, s) > self.km.t_max
        )

    def _evaluate(self, s: float) -> tuple[Index, float]:
        """Return how many event times are < reach(q, s), by subject, and the mass."""
        if np.isinf(s):  # nothing or everything lies below
            index = np.full(self.n, 0 if s > 0 else len(self.lookup.times))
            return index, float(self.n) if s > 0 else 0.0
        # Further up fewer event times are reached: the next place known is a start.
        above = min((seen for seen in self._seen if s < seen < np.inf), default=None)
        known = None if above is None else self._seen[above][0]
        index, mass = np.empty(self.n, dtype=np.intp), 0.0
        for rows in self._blocks():
            x = self.score.reach(self.q[rows], s)
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
        np.minimum(value, self.law.at_c[rows], out=value)
        value *= self.weight[rows]
        return float(value.sum())

    def _blocks(self) -> list[slice]:
        return [slice(i, i + _BLOCK) for i in range(0, self.n, _BLOCK)]


def _within(values: Float, lo: float, hi: float) -> Bool:
    return (values > lo) & (values <= hi)
