"""Conformal subjects as the search sees them, in pieces that fit the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consurv._checks import Float
from consurv.conformal.parts.blocks import Block
from consurv.conformal.recalibration.shapes import FINE_LEVELS, Shapes
from consurv.conformal.recalibration.windows import FREE, Grain, Windows, around
from consurv.curves.chunks import row_chunks
from consurv.outcome import Outcome

__all__ = ["Marks", "Sample", "samples_of", "scale_for"]

Marks = NDArray[np.uint64]
# Rows of a piece: its arrays of one number per subject stay in the cache.
_PIECE = 8192
# Odd numbers that scatter bits (those of the generator splitmix64).
_SCATTER = tuple(
    np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_SHIFTS = tuple(np.uint64(k) for k in (30, 27, 31))


@dataclass(frozen=True)
class Sample:
    """Some subjects with their raw curves and what was seen of them.

    Attributes
    ----------
    shapes : Shapes
    outcome : Outcome
    grain : Grain
    """

    shapes: Shapes
    outcome: Outcome
    grain: Grain = FREE

    @cached_property
    def windows(self) -> Windows:
        """Of the whole follow-up."""
        return Windows.of(self.outcome, self.shapes, self.grain)

    @cached_property
    def seen(self) -> Windows:
        """Nobody is followed past the end of its own curve.

        There the raw law has nothing to say. That is a fixed time given x, so the
        likelihood stays one.
        """
        return self.windows.until(self.shapes.t_end, self.outcome.time)

    @cached_property
    def spread(self) -> tuple[Float, Float]:
        """The times that every subject is spread between where hazards are counted.

        Events over their windows. The others alike: else events near the end of the
        follow-up would be counted where nobody is at risk. On a lattice nothing goes
        past it, and each of the others has one time, twice.
        """
        low, high = self.windows.low, self.windows.high
        if not self.grain.unit:
            rows = np.flatnonzero(~self.outcome.event)
            low, high = low.copy(), high.copy()
            low[rows], high[rows] = around(
                self.shapes.take(rows), self.outcome.time[rows], self.grain.reach
            )
        return low, high

    @cached_property
    def broad(self) -> Float:
        """The probability of ``seen`` under the broad law."""
        return self.seen.broad(self.shapes)

    @cached_property
    def marks(self) -> Marks:
        """Numbers that look random and depend on nothing but the subject itself."""
        shapes = self.shapes
        marks: Marks = self.outcome.event.astype(np.uint64)
        for values in (self.outcome.time, shapes.log_median, shapes.log_width):
            marks ^= values.view(np.uint64)
            marks += _SCATTER[0]
            for shift, factor in zip(_SHIFTS, _SCATTER[1:], strict=False):
                marks ^= marks >> shift
                marks *= factor
            marks ^= marks >> _SHIFTS[-1]
        return marks

    def take(self, rows: Any) -> Sample:
        """Return some subjects."""
        return Sample(self.shapes.take(rows), self.outcome[rows], self.grain)

    @classmethod
    def concatenate(cls, samples: Sequence[Sample]) -> Sample:
        """Join the subjects of several samples."""
        shapes = Shapes.concatenate([sample.shapes for sample in samples])
        outcome = Outcome.concatenate([sample.outcome for sample in samples])
        return cls(shapes, outcome, samples[0].grain)

    def with_grain(self, grain: Grain) -> Sample:
        """Return the subjects with times that tell more, or less."""
        return replace(self, grain=grain) if grain != self.grain else self

    def __len__(self) -> int:
        return len(self.shapes)


def scale_for(largest: float) -> float:
    """Return a power of two above the largest time, to count times in.

    So another unit of time that is a power of two changes no bit.
    """
    return float(2.0 ** np.frexp(largest)[1])


def samples_of(block: Block, scale: float, grain: Grain = FREE) -> list[Sample]:
    """Return the subjects of a block whose curves have a shape, times in a scale."""
    samples = []
    for piece in row_chunks(len(block.outcome), _PIECE):
        reading, some = block.reading[piece], block.outcome[piece]
        shapes, rows = Shapes.read(reading, FINE_LEVELS, scale)
        if rows.size:
            samples.append(Sample(shapes, some[rows].in_unit(scale), grain))
    return samples
