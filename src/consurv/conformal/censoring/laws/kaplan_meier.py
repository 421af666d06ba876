"""Laws of T given T > c by one Kaplan–Meier curve: exact, for millions of subjects."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Bool, Float, Index
from consurv.conformal.censoring.laws.law import (
    AtScore,
    EvenDraws,
    LineMass,
    unroll,
)
from consurv.conformal.censoring.laws.lookup import KaplanMeierLookup
from consurv.conformal.quantile.masses import EVERYONE, Pieces

__all__ = ["KaplanMeierLaw"]


class KaplanMeierLaw(EvenDraws):
    """P(T ≥ x | T > c) = min(1, S(x⁻)/S(c)) for subjects censored at c with S(c) > 0.

    No comparison of x with c is needed: x ≤ c makes the ratio at least 1. It is taken
    as min(S(x⁻), S(c)) times the weight 1/S(c).
    """

    many_levels = True

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
    """The mass of Kaplan–Meier laws at some levels.

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
        return self.scores(self.law.draws(size)[self._rows])

    def coarse_masses(self, places: Float) -> Float:
        """Return the mass from a small table of the curve."""
        masses = np.empty(places.shape)
        for i, s in enumerate(places.T):
            x = self.offset - s[:, None] * self.rate
            masses[:, i] = self._shares(self.lookup.coarse(x)).sum(axis=1)
        return masses

    def at(self, s: Float, above: AtScore | None) -> AtScore:
        """Return how many event times are < offset − s·rate, and the mass."""
        # Further up fewer event times are reached: the place known is a start.
        x = self.offset - s[:, None] * self.rate
        index = self.lookup.index(x, None if above is None else above.found)
        value = self.lookup.survival.take(index, mode="clip")
        tail = np.flatnonzero(x > self.km.t_max)
        if tail.size and self.km.s_max > 0:
            line = np.maximum(self.km.t_end - x.ravel()[tail], 0.0) / self.km.t_end
            value.ravel()[tail] = np.minimum(line, self.km.s_max)
        return AtScore(s, self.in_units(self._shares(value)), index, tail.size > 0)

    def _shares(self, value: Float) -> Float:
        """Return P(T ≥ x | T > c), where *value* is S(x⁻); overwrites it."""
        np.minimum(value, self.at_c, out=value)
        value *= self.weight
        return value

    def n_pieces(self, lo: AtScore, hi: AtScore) -> Index:
        """Return how many event times lie in reach of (lo, hi], over all subjects."""
        steps: Index = (lo.found - hi.found).sum(axis=1)
        if self.km.s_max > 0 and lo.in_tail:
            for turns in self._tail():
                steps += np.count_nonzero(_within(turns, lo.s, hi.s), axis=1)
        return steps

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return jumps at event times and, in the tail, the turns of slope."""
        place, m = unroll(hi.found.ravel(), lo.found.ravel())
        row = place % self.n
        survival, at_c = self.lookup.survival, self.at_c[row]
        jump = np.minimum(survival[m], at_c) - np.minimum(survival[m + 1], at_c)
        kept = jump > 0  # event times before c carry no mass
        place, row, m = place[kept], row[kept], m[kept]
        level = place // self.n
        position = self.offset[level, row] - self.lookup.times[m]
        position /= self.rate[level, row]
        jump = jump[kept] * self.weight[row]
        none = np.zeros(len(self.offset))
        steps = Pieces(none, level, position, jump, np.zeros(len(position)))
        if not (self.km.s_max > 0 and lo.in_tail):
            return steps
        return self._with_tail(steps, lo.s, hi.s)

    def _tail(self) -> tuple[Float, Float]:
        """Return the scores at which the straight part of the mass begins and ends."""
        start = np.maximum(self.c, self.km.t_max)
        return (self.offset - self.km.t_end) / self.rate, (
            self.offset - start
        ) / self.rate

    def _with_tail(self, steps: Pieces, lo: Float, hi: Float) -> Pieces:
        """Add the turns of the straight part between t_max (or c) and t_end."""
        # The line goes from (0, 1) to (t_end, 0).
        slope = self.weight * self.rate / self.km.t_end
        begin, end = self._tail()
        begins, ends = _within(begin, lo, hi), _within(end, lo, hi)
        position = np.concatenate([begin[begins], end[ends]])
        turn = np.concatenate([slope[begins], -slope[ends]])
        level = np.concatenate([np.nonzero(begins)[0], np.nonzero(ends)[0]])
        at_lo = (begin <= lo[:, None]) & (end > lo[:, None])
        return Pieces(
            np.array(
                [row[there].sum() for row, there in zip(slope, at_lo, strict=True)]
            ),
            np.concatenate([steps.level, level]),
            np.concatenate([steps.position, position]),
            np.concatenate([steps.jump, np.zeros(len(position))]),
            np.concatenate([steps.slope, turn]),
        )


def _within(values: Float, lo: Float, hi: Float) -> Bool:
    return (values > lo[:, None]) & (values <= hi[:, None])
