"""Laws given by samples: the paper's way, R draws for each censored subject."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from consurv._checks import Bool, Float
from consurv.conformal.mass import Pieces
from consurv.conformal.scores import DIFFERENCE, Score

__all__ = ["SampledLaw"]

_BLOCK = 1 << 18  # scores formed at once


class SampledLaw:
    """n subjects, each with R equally likely times: (n, R)."""

    def __init__(self, times: Float) -> None:
        self.times = times

    def select(self, rows: Bool) -> SampledLaw:
        """Return the laws of some of the subjects."""
        return SampledLaw(self.times[rows])

    def at(self, q: Float, score: Score = DIFFERENCE) -> _SampledMass:
        """Return the mass for percentile times *q*."""
        return _SampledMass(self.times, q, score)


class _SampledMass:
    """The mass of sampled laws at one level; scores are formed block by block."""

    def __init__(self, times: Float, q: Float, score: Score) -> None:
        self.times, self.q, self.score, self.n = times, q, score, len(q)
        self.last_time = float(times.max(initial=0.0))
        self.weight: float = 1 / times.shape[1]

    def _scores(self) -> Iterator[Float]:
        step = max(_BLOCK // self.times.shape[1], 1)
        for i in range(0, self.n, step):
            rows = slice(i, i + step)
            yield self.score.of(self.q[rows, None], self.times[rows])

    def sketch(self, size: int) -> Float:
        """Return the scores of the first draws, repeated if there are too few."""
        columns = np.arange(size) % self.times.shape[1]
        return self.score.of(self.q[:, None], self.times[:, columns]).ravel()

    def coarse_mass(self, s: float) -> float:
        """Return the mass at s."""
        return self.mass(s)

    def mass(self, s: float) -> float:
        """Return the share of draws whose score is at most s, summed."""
        count = sum(int(np.count_nonzero(b <= s)) for b in self._scores())
        return count * self.weight

    def n_pieces(self, lo: float, hi: float) -> int:
        """Return how many scores lie in (lo, hi]."""
        if np.isneginf(lo) and np.isposinf(hi):
            return int(self.times.size)
        return sum(int(np.count_nonzero((b > lo) & (b <= hi))) for b in self._scores())

    def pieces(self, lo: float, hi: float) -> Pieces:
        """Return the scores in (lo, hi] as jumps of 1/R."""
        found = [b[(b > lo) & (b <= hi)] for b in self._scores()]
        position = np.concatenate(found)
        jump = np.full(len(position), self.weight)
        return Pieces(self.mass(lo), 0.0, position, jump, np.zeros(len(position)))
