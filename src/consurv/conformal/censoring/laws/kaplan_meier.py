"""Laws of T given T > c by one Kaplan–Meier curve: exact, for millions of subjects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consurv._checks import Bool, Float
from consurv.conformal.censoring.laws.law import (
    AtScore,
    EvenDraws,
    LineMass,
    unroll,
)
from consurv.conformal.censoring.laws.lookup import KaplanMeierLookup
from consurv.conformal.masses import EVERYONE, UNIT, Pieces, in_units

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

    def select(self, rows: Any) -> KaplanMeierLaw:
        """Return the laws of some of the subjects."""
        return KaplanMeierLaw(self.lookup, self.c[rows], self.at_c[rows])

    def at(self, offset: Float, rate: Float, rows: Any = EVERYONE) -> _KaplanMeierMass:
        """Return the mass of *rows* for scores on these lines."""
        return _KaplanMeierMass(self, offset, rate, rows)

    def inverse(self, level: Float) -> Float:
        """Return about the times at which the curve falls to *level*."""
        return self.lookup.coarse_inverse(level)


class _KaplanMeierMass(LineMass):
    """The mass of Kaplan–Meier laws at one level.

    At a score it is known how many event times each subject has passed.
    """

    def __init__(
        self, law: KaplanMeierLaw, offset: Float, rate: Float, rows: Any
    ) -> None:
        self.law, self.km, self.lookup = law, law.lookup.km, law.lookup
        super().__init__(offset, rate, self.km.t_end)
        self.c, self.at_c, self.weight = law.c[rows], law.at_c[rows], law.weight[rows]
        self._rows = rows
        self.most_pieces = self.n * len(self.lookup.times)

    def sketch(self, size: int) -> Float:
        """Return scores of evenly spread draws."""
        times: Float = self.law.draws(size)[self._rows]
        scores: Float = ((self.offset[:, None] - times) / self.rate[:, None]).ravel()
        return scores

    def coarse_masses(self, places: Sequence[float]) -> list[float]:
        """Return the mass from a small table of the curve."""
        masses = np.zeros(len(places))
        for rows in self._blocks():
            for i, s in enumerate(places):
                x = self.offset[rows] - s * self.rate[rows]
                masses[i] += self._shares(rows, self.lookup.coarse(x)).sum()
        found: list[float] = masses.tolist()
        return found

    def at(self, s: float, above: AtScore | None) -> AtScore:
        """Return how many event times are < offset − s·rate, and the mass."""
        if np.isinf(s):  # nothing or everything lies below
            index = np.full(self.n, 0 if s > 0 else len(self.lookup.times))
            return AtScore(s, round(self.n / UNIT) if s > 0 else 0, index)
        # Further up fewer event times are reached: the place known is a start.
        known = None if above is None else above.found
        index, units = np.empty(self.n, dtype=np.intp), 0
        for rows in self._blocks():
            x = self.offset[rows] - s * self.rate[rows]
            found = self.lookup.index(x, None if known is None else known[rows])
            value = self.lookup.survival.take(found, mode="clip")
            if self.km.s_max > 0:
                tail = x > self.km.t_max
                if tail.any():
                    value[tail] = self.km.survival_before(x[tail])
            index[rows], units = found, units + in_units(self._shares(rows, value))
        return AtScore(s, units, index)

    def _shares(self, rows: slice, value: Float) -> Float:
        """Return P(T ≥ x | T > c), where *value* is S(x⁻); overwrites it."""
        np.minimum(value, self.at_c[rows], out=value)
        value *= self.weight[rows]
        return value

    def _blocks(self) -> list[slice]:
        return [slice(i, i + _BLOCK) for i in range(0, self.n, _BLOCK)]

    def n_pieces(self, lo: AtScore, hi: AtScore) -> int:
        """Return how many event times lie in reach of (lo, hi], over all subjects."""
        steps = int(lo.found.sum() - hi.found.sum())
        if not self.km.s_max > 0:
            return steps
        return steps + sum(int(_within(x, lo.s, hi.s).sum()) for x in self._tail())

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return jumps at event times and, in the tail, the turns of slope."""
        row, m = unroll(hi.found, lo.found)
        survival, at_c = self.lookup.survival, self.at_c[row]
        jump = np.minimum(survival[m], at_c) - np.minimum(survival[m + 1], at_c)
        kept = jump > 0  # event times before c carry no mass
        row, m = row[kept], m[kept]
        position = (self.offset[row] - self.lookup.times[m]) / self.rate[row]
        jump = jump[kept] * self.weight[row]
        steps = Pieces(0.0, position, jump, np.zeros(len(position)))
        return self._with_tail(steps, lo.s, hi.s) if self.km.s_max > 0 else steps

    def _tail(self) -> tuple[Float, Float]:
        """Return the scores at which the straight part of the mass begins and ends."""
        start = np.maximum(self.c, self.km.t_max)
        return (self.offset - self.km.t_end) / self.rate, (
            self.offset - start
        ) / self.rate

    def _with_tail(self, steps: Pieces, lo: float, hi: float) -> Pieces:
        """Add the turns of the straight part between t_max (or c) and t_end."""
        # The line goes from (0, 1) to (t_end, 0).
        slope = self.weight * self.rate / self.km.t_end
        begin, end = self._tail()
        begins, ends = _within(begin, lo, hi), _within(end, lo, hi)
        position = np.concatenate([begin[begins], end[ends]])
        turn = np.concatenate([slope[begins], -slope[ends]])
        return Pieces(
            float(slope[(begin <= lo) & (end > lo)].sum()),
            np.concatenate([steps.position, position]),
            np.concatenate([steps.jump, np.zeros(len(position))]),
            np.concatenate([steps.slope, turn]),
        )


def _within(values: Float, lo: float, hi: float) -> Bool:
    return (values > lo) & (values <= hi)
