"""Laws given by samples: the paper's way, R draws for each censored subject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.laws.law import AtScore, LineMass
from consurv.conformal.quantile.masses import EVERYONE, UNIT, Pieces

__all__ = ["SampledLaw"]

_BLOCK = 1 << 18  # scores formed at once


class SampledLaw:
    """n subjects, each with R equally likely times: (n, R)."""

    many_levels = False

    def __init__(self, times: Float) -> None:
        self.times = times

    def select(self, rows: Any) -> SampledLaw:
        """Return the laws of some of the subjects."""
        return SampledLaw(self.times[rows])

    def at(self, offset: Float, rate: Float, rows: Any = EVERYONE) -> _SampledMass:
        """Return the mass of *rows* for scores on these lines."""
        return _SampledMass(self.times[rows], offset, rate)


class _SampledMass(LineMass):
    """The mass of sampled laws at one level; scores are formed block by block."""

    def __init__(self, times: Float, offset: Float, rate: Float) -> None:
        super().__init__(offset, rate, float(times.max(initial=0.0)))
        self.times, self.most_pieces = times, int(times.size)
        self.weight: float = 1 / times.shape[1]

    def _scores(self) -> Iterator[Float]:
        step = max(_BLOCK // self.times.shape[1], 1)
        for i in range(0, self.n, step):
            rows = slice(i, i + step)
            offset, rate = self.offset[0, rows, None], self.rate[0, rows, None]
            yield (offset - self.times[rows]) / rate

    def sketch(self, size: int) -> Float:
        """Return the scores of the first draws, repeated if there are too few."""
        return self.scores(self.times[:, np.arange(size) % self.times.shape[1]])

    def at(self, s: Float, above: AtScore | None) -> AtScore:
        """Return the share of draws whose score is at most s, summed."""
        count = sum(int(np.count_nonzero(b <= s)) for b in self._scores())
        whole, left = divmod(count, self.times.shape[1])
        units = np.array([[whole, round(left * self.weight / UNIT)]])
        return AtScore(s, units, count)

    def n_pieces(self, lo: AtScore, hi: AtScore) -> Index:
        """Return how many scores lie in (lo, hi]."""
        return np.array([hi.found - lo.found])

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return the scores in (lo, hi] as jumps of 1/R."""
        found = [b[(b > lo.s) & (b <= hi.s)] for b in self._scores()]
        position = np.concatenate([np.empty(0), *found])
        jump, none = np.full(len(position), self.weight), np.zeros(len(position))
        return Pieces(np.zeros(1), none.astype(np.intp), position, jump, none)
