"""``"auto"``: a censored subject follows its raw curve, recalibrated by the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from consurv._checks import Float, Index
from consurv.conformal.blocks import Block, Contribution, Sweep
from consurv.conformal.censoring.hazard_ratios import hazard_ratios
from consurv.conformal.censoring.laws.law import AT_THE_END
from consurv.conformal.censoring.laws.recalibrated import RecalibratedLaw
from consurv.conformal.censoring.raw_curves import RawCurves
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.censoring.strata import Strata
from consurv.curves.search import row_blocks

__all__ = ["AutoRule"]

# Rows whose nodes are held at once while counting: this many times the cache's.
_ROOM = 16


@dataclass(frozen=True)
class AutoRule(CensoringRule):
    """P(T ≥ t | T > c) = S*(t)/S*(c), S* the raw curve with its hazard recalibrated.

    The raw cumulative hazard is cut into cells (at the levels, and some beyond the
    lowest), the subjects into strata of about the same raw median. In each, the events
    are compared with the number that the raw model expects among the same subjects,
    and S* is the raw curve with its hazard multiplied by the ratio, so far as the data
    can tell it from noise (``recalibration.py``). The law does not depend on the
    shifts; subjects with an event count as they are.

    Parameters
    ----------
    events_per_stratum : int
        There are so many strata that each has about this many events.
    max_strata : int
        But no more than so many.

    Examples
    --------
    Of four subjects the second is censored at 2, before its median 4:

    >>> from consurv import Outcome, conformal_shifts
    >>> q = [[5.0], [4.0], [6.0], [7.0]]
    >>> y = Outcome(time=[3, 2, 6, 9], event=[1, 0, 1, 1])
    >>> conformal_shifts(q, [0.5], y, censoring="auto")
    array([2.])
    """

    events_per_stratum: int = 10
    max_strata: int = 20

    rests_on = "raw curves"

    def sweeps(
        self, blocks: Sequence[Block], rng: np.random.Generator
    ) -> Sequence[Contribution] | Sequence[Sweep]:
        """Return what each block contributes once all have been looked at."""
        return self.learn(blocks).sweeps(blocks, rng)

    def learn(self, blocks: Sequence[Block]) -> _Recalibrated:
        """Return the rule with the hazard ratios that all blocks together show."""
        blocks = [_finite_rows(block) for block in blocks]
        n_events = sum(block.outcome.n_events for block in blocks)
        wanted = min(n_events // self.events_per_stratum, self.max_strata)
        strata = Strata(blocks, max(wanted, 1))
        curves = RawCurves(blocks[0].levels)
        shape = strata.n, len(curves.hazards)
        counts = _Counts(shape)
        for block in blocks:
            counts.add(block, strata.of(block), curves)
        ratios = hazard_ratios(counts.events, counts.expected, counts.score)
        levels = np.ones((strata.n, len(curves.hazards) + 1))
        levels[:, 1:] = np.exp(-np.cumsum(ratios * curves.widths, axis=1))
        levels[:, -1] = 0.0  # every curve has an end
        return _Recalibrated(strata, curves, levels)


def _finite_rows(block: Block) -> Block:
    """Return the subjects that count at some level: others must not sway the ratios."""
    known = block.percentile_times.min(axis=1) < np.inf
    if known.all() or not known.any():
        return block
    return replace(
        block,
        reading=block.percentile_times[known],
        outcome=block.outcome[known],
        features=None,
    )


class _Counts:
    """Events, and those that the raw model expects, by stratum and cell."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self.events, self.expected = np.zeros(shape), np.zeros(shape)
        self._members = np.zeros(shape[0])

    def add(self, block: Block, stratum: Index, curves: RawCurves) -> None:
        q, outcome = block.percentile_times, block.outcome
        for rows in row_blocks(len(q), len(curves.hazards) // _ROOM + 1):
            time, event, g = outcome.time[rows], outcome.event[rows], stratum[rows]
            left = curves.place(curves.nodes(q[rows]), time, event)
            cells = g[left.row], left.cell
            self.events += self._table(*cells, left.events)
            # Whoever left in a later cell has passed this one as a whole.
            here = self._table(g, left.first)
            later = here[:, ::-1].cumsum(axis=1)[:, ::-1] - here
            self.expected += later * curves.widths + self._table(*cells, left.hazard)
            self._members += here.sum(axis=1)

    def _table(self, g: Index, cell: Index, weight: Float | None = None) -> Float:
        place = g * self._shape[1] + cell
        flat = np.bincount(place, weight, minlength=self._shape[0] * self._shape[1])
        table: Float = flat.reshape(self._shape).astype(np.float64)
        return table

    @property
    def score(self) -> Float:
        """The normal score of the strata: their order, on the scale of a normal law."""
        middle = np.cumsum(self._members) - self._members / 2
        score: NDArray[np.float64] = ndtri(middle / self._members.sum())
        return score


@dataclass(frozen=True)
class _Recalibrated(CensoringRule):
    """The rule with S* of each stratum at the nodes."""

    strata: Strata
    curves: RawCurves
    levels: Float

    def contribution(self, block: Block, rng: np.random.Generator) -> Contribution:
        """Return points for events and laws for censored subjects."""
        outcome = block.outcome
        events = np.flatnonzero(outcome.event)
        censored = np.flatnonzero(~outcome.event)
        if not censored.size:
            return Contribution.of_points(block, events, outcome.time[events])
        law = RecalibratedLaw(
            self.curves.nodes(block.percentile_times, censored),
            self.levels,
            self.strata.of(block)[censored],
            outcome.time[censored],
        )
        spread = law.at_c > AT_THE_END
        points = np.concatenate([events, censored[~spread]])
        law = law if spread.all() else law.select(spread)
        return Contribution(block, points, outcome.time[points], censored[spread], law)
