"""Scores: how far an observed time lies from a percentile time.

A score falls as the time grows, and every time x has its score: *reach* is the way
back. The conformal quantile b of the scores at a level moves the percentile time to
``reach(q, b)``, so a score is all that tells one kind of shift from another.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from consurv._checks import Float

__all__ = ["DIFFERENCE", "RATIO", "Score"]

_EPS = float(np.finfo(np.float64).eps)


class Score(Protocol):
    """A score s(q, t) that falls linearly in t, and its inverse."""

    def of(self, q: Float, time: Float) -> Float:
        """Return the scores of times."""

    def reach(self, q: Float, s: float) -> Float:
        """Return the times whose score is *s*."""

    def rate(self, q: Float) -> Float | float:
        """Return by how much ``reach`` falls as the score rises by one."""

    def nudge(self, lo: float, hi: float, last_time: float) -> float:
        """Return more than the rounding of a score between lo and hi."""


class _Difference:
    """s = q − t: all subjects move by the same time."""

    def of(self, q: Float, time: Float) -> Float:
        return q - time

    def reach(self, q: Float, s: float) -> Float:
        return q - s

    def rate(self, q: Float) -> float:
        return 1.0

    def nudge(self, lo: float, hi: float, last_time: float) -> float:
        return 8 * _EPS * max(abs(lo), abs(hi), last_time)


class _Ratio:
    """s = −t/q: all subjects move by the same factor −s, in the order of log q − log t.

    Linear in t, where a difference of logarithms would bend; and a change of the unit
    of time changes no bit. *q* is positive.
    """

    def of(self, q: Float, time: Float) -> Float:
        return -time / q

    def reach(self, q: Float, s: float) -> Float:
        return -s * q

    def rate(self, q: Float) -> Float:
        return q

    def nudge(self, lo: float, hi: float, last_time: float) -> float:
        return 8 * _EPS * max(abs(lo), abs(hi))


DIFFERENCE: Score = _Difference()
RATIO: Score = _Ratio()
