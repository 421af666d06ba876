"""Laws given by samples: the paper's way, R draws for each censored subject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from consurv._checks import Float
from consurv.conformal.censoring.laws.law import AtScore, LineMass
from consurv.conformal.masses import EVERYONE, UNIT, Pieces

__all__ = ["SampledLaw"]

_BLOCK = 1 << 18  # scores formed at once


class SampledLaw:
    """n subjects, each with R equally likely times: (n, R)."""

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
            yield (self.offset[rows, None] - self.times[rows]) / self.rate[rows, None]

    def sketch(self, size: int) -> Float:
        """Return the scores of the first draws, repeated if there are too few."""
        times = self.times[:, np.arange(size) % self.times.shape[1]]
        return ((self.offset[:, None] - times) / self.rate[:, None]).ravel()

    def at(self, s: float, above: AtScore | None) -> AtScore:
        """Return the share of draws whose score is at most s, summed."""
        count = sum(int(np.count_nonzero(b <= s)) for b in self._scores())
        return AtScore(s, round(count * self.weight / UNIT), count)

    def n_pieces(self, lo: AtScore, hi: AtScore) -> int:
        """Return how many scores lie in (lo, hi]."""
        return int(hi.found - lo.found)

    def pieces(self, lo: AtScore, hi: AtScore) -> Pieces:
        """Return the scores in (lo, hi] as jumps of 1/R."""
        found = [b[(b > lo.s) & (b <= hi.s)] for b in self._scores()]
        position = np.concatenate(found)
        jump = np.full(len(position), self.weight)
        return Pieces(0.0, position, jump, np.zeros(len(position)))
