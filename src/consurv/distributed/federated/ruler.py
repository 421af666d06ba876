"""Scores of times on a lattice: few different ones, which all sites write alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from consurv.conformal.parts.blocks import Block
from consurv.conformal.parts.lattice import Lattice
from consurv.errors import InvalidInput

__all__ = ["Ruler"]

# Scores that are closer than this, as a share of a cell (or of the score itself, where
# it is a ratio), are one: 0.3 − 0.2 and 0.2 − 0.1.
_BITS = 36
# Times are on a breakpoint if rounding alone keeps them apart.
_CLOSE = 1e-9
# The score of a percentile time of 0, where scores are ratios.
_NOTHING = -(2.0**40)
_MOST_SCORES = 1 << 22


@dataclass(frozen=True)
class Ruler:
    """What scores can be.

    Parameters
    ----------
    lattice : Lattice
    proportional : bool
        Whether scores are −t/q, and not q − t.

    Examples
    --------
    >>> ruler = Ruler(Lattice([0.1]), proportional=False)
    >>> ruler.rounded(np.array([0.3 - 0.2, 0.2 - 0.1])).tolist()
    [0.1, 0.1]
    >>> ruler.places(np.array([0.2]), 0.1).round(3)
    array([-0.2, -0.1, 0. , 0.1])
    """

    lattice: Lattice
    proportional: bool

    def rounded(self, scores: Float) -> Float:
        """Return scores as all write them."""
        if self.proportional:
            mantissa, exponent = np.frexp(scores)
            found: Float = np.ldexp(np.rint(mantissa * 2.0**_BITS), exponent - _BITS)
            return found
        unit = self.lattice.finest * 2.0**-_BITS
        return np.rint(scores / unit) * unit

    def observed(self, block: Block, p: int) -> Float:
        """Return the scores of observed times at the p-th level."""
        offset, rate = block.line(block.reading[:, p])
        return self.rounded((offset - block.outcome.time) / rate)

    def times(self, block: Block, p: int, score: float, breaks: Float) -> Float:
        """Return the times with a score at the p-th level, on *breaks* if close."""
        offset, rate = block.line(block.reading[:, p])
        x: Float = np.maximum(offset - score * rate, 0.0)
        above = np.searchsorted(breaks, x).clip(0, len(breaks) - 1)
        for place in (above, np.maximum(above - 1, 0)):
            near = np.abs(breaks[place] - x) <= _CLOSE * breaks[place]
            x = np.where(near, breaks[place], x)
        return x

    def places(self, breaks: Float, last: float) -> Float:
        """Return all scores up to *last* at which something can happen.

        Parameters
        ----------
        breaks : ndarray
            Times at which something does.
        last : float
        """
        if self.proportional:
            if last >= 0:
                raise InvalidInput("no ratio of times is below 0")
            q = self.lattice.up_to(float(breaks.max() / -last))
        else:
            q = np.append(0.0, self.lattice.up_to(float(breaks.max() + last)))
        if q.size * breaks.size > _MOST_SCORES:
            raise InvalidInput(
                f"the lattice has {q.size * breaks.size:,} scores; name a coarser one"
            )
        if self.proportional:
            scores = np.append(_NOTHING, -np.divide.outer(breaks, q).ravel())
        else:
            scores = np.subtract.outer(q, breaks).ravel()
        found = np.unique(self.rounded(scores))
        return found[found <= last]
