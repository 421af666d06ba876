"""``"self-consistent"``: a censored subject follows its own adjusted curve beyond c."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consurv._checks import Float, Index
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.censoring.sweep import CurveSweep, check_events
from consurv.conformal.parts.blocks import Block, Sweep

__all__ = ["SelfConsistentRule"]


class SelfConsistentRule(CensoringRule):
    """P(T ≥ t | T > c) = S'(t)/S'(c), S' the curve that the shifts themselves make.

    D-calibration counts censored subjects in this way, so that of the conformal set
    comes out as wanted at every level. It is right if the model's dependence on the
    covariates is, whatever they have to do with censoring.

    Examples
    --------
    Of four subjects the second is censored at 2, before its median 4:

    >>> from consurv import Outcome, conformal_shifts
    >>> q = [[5.0], [4.0], [6.0], [7.0]]
    >>> y = Outcome(time=[3, 2, 6, 9], event=[1, 0, 1, 1])
    >>> conformal_shifts(q, [0.5], y, censoring="self-consistent")
    array([2.])
    """

    def sweeps(
        self, blocks: Sequence[Block], rng: np.random.Generator
    ) -> Sequence[Sweep]:
        """Return a sweep for each block."""
        check_events(blocks, "self-consistent")
        return [
            CurveSweep(block, _NoHead(block.outcome.time[~block.outcome.event]))
            for block in blocks
        ]


class _NoHead:
    """Curves speak from c on."""

    def __init__(self, c: Float) -> None:
        self.anchor, self.weight = c, np.ones(len(c))

    def before(self, rows: Index, x: Float) -> Float:
        """Return 1: no time lies between c and the anchor."""
        return np.ones(len(rows))

    def inverse(self, rows: Index, level: Float) -> Float:
        """Return c."""
        return self.anchor[rows]

    def jumps(self, rows: Index, near: Float, far: Float) -> tuple[Index, Float, Float]:
        """Return no atoms."""
        return np.empty(0, dtype=np.intp), np.empty(0), np.empty(0)
