"""Conformal subjects as the search sees them, in pieces that fit the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from consurv._checks import Float
from consurv.conformal.blocks import Block
from consurv.conformal.recalibration.shapes import FINE_LEVELS, Shapes
from consurv.conformal.recalibration.windows import Windows, whole_unit
from consurv.curves.chunks import row_chunks
from consurv.outcome import Outcome

__all__ = ["Sample", "Samples", "read_samples", "thin"]

# Rows of a piece: its arrays of one number per subject stay in the cache.
_PIECE = 8192
# Subjects that find the way of the map and choose between the forms, to save time; at
# most twice as many are taken.
_PART = 5000


@dataclass(frozen=True)
class Sample:
    """Some subjects with their raw curves and what was seen of them.

    Attributes
    ----------
    shapes : Shapes
    outcome : Outcome
    windows : Windows
        Of the whole follow-up.
    seen : Windows
        Nobody is followed past the end of its own curve, for there the raw law has
        nothing to say. That is a fixed time given x, so the likelihood stays one.
    broad : ndarray of shape (n,)
        The probability of ``seen`` under the broad law.
    """

    shapes: Shapes
    outcome: Outcome
    windows: Windows
    seen: Windows
    broad: Float

    @classmethod
    def of(cls, shapes: Shapes, outcome: Outcome, unit: float) -> Sample:
        """Return subjects whose times are whole multiples of a unit, if not 0."""
        windows = Windows.of(outcome, shapes, unit)
        seen = windows.until(shapes.t_end, outcome.time)
        return cls(shapes, outcome, windows, seen, seen.broad(shapes))

    def __len__(self) -> int:
        return len(self.shapes)


class Samples(NamedTuple):
    """Subjects in pieces, their times in a scale; and the unit of whole times or 0."""

    samples: list[Sample]
    unit: float
    scale: float


def read_samples(blocks: Sequence[Block]) -> Samples:
    """Return the subjects whose curves have a shape.

    Times are counted in a power of two above the largest, so that another unit of time
    that is a power of two changes no bit. They count as whole only where raw curves
    have drops: models with smooth curves speak of times that were rounded later.
    """
    largest = max(float(block.outcome.time.max()) for block in blocks)
    scale = float(2.0 ** np.frexp(largest)[1])
    pairs: list[tuple[Shapes, Outcome]] = []
    for block in blocks:
        for piece in row_chunks(len(block.outcome), _PIECE):
            reading, some = block.reading[piece], block.outcome[piece]
            shapes, rows = Shapes.read(reading, FINE_LEVELS, scale)
            if rows.size:
                time = some.time[rows] / scale
                pairs.append((shapes, Outcome(time, some.event[rows])))
    stepped = any(shapes.stepped.any() for shapes, _ in pairs)
    unit = whole_unit(outcome for _, outcome in pairs) if stepped else 0.0
    samples = [Sample.of(shapes, outcome, unit) for shapes, outcome in pairs]
    return Samples(samples, unit, scale)


def thin(samples: Sequence[Sample], unit: float) -> list[Sample]:
    """Return every k-th subject as one sample: all if they are few.

    Which ones these are does not depend on the split into blocks.
    """
    n = sum(map(len, samples))
    stride = max(n // _PART, 1)
    if stride == 1:
        return list(samples)
    start, parts = 0, []
    for sample in samples:
        rows: Any = slice(-start % stride, None, stride)
        start += len(sample)
        parts.append((sample.shapes.take(rows), sample.outcome[rows]))
    shapes = Shapes.concatenate([shapes for shapes, _ in parts])
    outcome = Outcome(
        time=np.concatenate([part.time for _, part in parts]),
        event=np.concatenate([part.event for _, part in parts]),
    )
    return [Sample.of(shapes, outcome, unit)]
