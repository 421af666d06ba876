"""``"auto"``: a censored subject follows its raw curve, recalibrated by the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from consurv._checks import Float, Index
from consurv.conformal.censoring.hazard_ratios import hazard_ratios
from consurv.conformal.censoring.laws.law import AT_THE_END
from consurv.conformal.censoring.laws.recalibrated import RecalibratedLaw
from consurv.conformal.censoring.raw_curves import RawCurves
from consurv.conformal.censoring.rules.rule import CensoringRule
from consurv.conformal.censoring.strata import RawMedian, Strata
from consurv.conformal.parts.blocks import Block, Contribution, Sweep
from consurv.conformal.parts.partitions import Partitions, as_partitions
from consurv.conformal.parts.ranks import Cells
from consurv.curves.search import row_blocks

__all__ = ["AutoRule"]

# Rows whose nodes are held at once while counting: this many times the cache's.
_ROOM = 16


@dataclass(frozen=True)
class _Seen:
    """Subjects that are finite at some level, and how far these times reach."""

    n: int = field(metadata={"merge": sum})
    n_events: float = field(metadata={"merge": sum})
    largest: float = field(metadata={"merge": max})
    endless: bool = field(metadata={"merge": any})


@dataclass(frozen=True)
class _Look:
    """Ask how many subjects count."""

    def answer(self, block: Block) -> _Seen:
        """Return the numbers of one block."""
        q, known = block.percentile_times, _finite_rows(block).outcome
        finite = q if block.finite else q[q < np.inf]
        largest = float(finite.max(initial=0.0))
        events = known[known.event].total_weight
        return _Seen(len(known), events, largest, not block.finite)


_MEDIANS = RawMedian(finite=True)


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
    anywhere = True
    takes_weights = True
    opening = _Look(), Cells(_MEDIANS)

    def sweeps(
        self, blocks: Any, rng: np.random.Generator
    ) -> Sequence[Contribution] | Sequence[Sweep]:
        """Return what each block contributes once all have been looked at."""
        return self.learn(blocks).sweeps(blocks, rng)

    def learn(self, blocks: Partitions | Sequence[Block]) -> _Recalibrated:
        """Return the rule with the hazard ratios that all blocks together show."""
        subjects = as_partitions(blocks)
        look, cells = subjects.known(_Look()), subjects.known(Cells(_MEDIANS))
        wanted = min(int(look.n_events // self.events_per_stratum), self.max_strata)
        strata = Strata.find(subjects, _MEDIANS, cells, wanted)
        curves = RawCurves(subjects.levels, look.largest if look.endless else None)
        ratios = np.ones((strata.n, len(curves.hazards)))
        if look.n:
            counts = subjects.ask(_Table(strata, curves))
            ratios = hazard_ratios(counts.events, counts.expected, counts.score)
        levels = np.ones((strata.n, len(curves.hazards) + 1))
        levels[:, 1:] = np.exp(-np.cumsum(ratios * curves.widths, axis=1))
        levels[:, -1] = 0.0  # every curve has an end
        return _Recalibrated(strata, curves, levels)


def _finite_rows(block: Block) -> Block:
    """Return the subjects that count at some level: others must not sway the ratios."""
    if block.finite:
        return block
    known = block.percentile_times.min(axis=1) < np.inf
    return replace(
        block,
        reading=block.percentile_times[known],
        outcome=block.outcome[known],
        features=None,
    )


@dataclass(frozen=True)
class _Counts:
    """Events, and those that the raw model expects, by stratum and cell."""

    events: Float = field(metadata={"merge": sum})
    expected: Float = field(metadata={"merge": sum})
    members: Float = field(metadata={"merge": sum})

    @property
    def score(self) -> Float:
        """The normal score of the strata: their order, on the scale of a normal law."""
        middle = np.cumsum(self.members) - self.members / 2
        score: NDArray[np.float64] = ndtri(middle / self.members.sum())
        return score


@dataclass(frozen=True)
class _Table:
    """Ask for events and expected ones."""

    strata: Strata
    curves: RawCurves

    def answer(self, block: Block) -> _Counts:
        """Return the table of one block."""
        block, curves = _finite_rows(block), self.curves
        q, outcome, stratum = (
            block.percentile_times,
            block.outcome,
            self.strata.of(block),
        )
        events, expected = np.zeros((2, self.strata.n, len(curves.hazards)))
        members = np.zeros(self.strata.n)
        for rows in row_blocks(len(q), len(curves.hazards) // _ROOM + 1):
            some, g = outcome[rows], stratum[rows]
            left = curves.place(curves.nodes(q[rows]), some.time, some.event)
            cells, weight = (g[left.row], left.cell), some.weight
            events += self._table(*cells, _times(left.events, weight, left.row))
            # Whoever left in a later cell has passed this one as a whole.
            here = self._table(g, left.first, weight)
            later = here[:, ::-1].cumsum(axis=1)[:, ::-1] - here
            hazard = _times(left.hazard, weight, left.row)
            expected += later * curves.widths + self._table(*cells, hazard)
            members += here.sum(axis=1)
        return _Counts(events, expected, members)

    def _table(self, g: Index, cell: Index, weight: Float | None = None) -> Float:
        shape = self.strata.n, len(self.curves.hazards)
        place = g * shape[1] + cell
        flat = np.bincount(place, weight, minlength=shape[0] * shape[1])
        table: Float = flat.reshape(shape).astype(np.float64)
        return table


def _times(values: Float, weight: Float | None, rows: Index) -> Float:
    return values if weight is None else values * weight[rows]


@dataclass(frozen=True)
class _Recalibrated(CensoringRule):
    """The rule with S* of each stratum at the nodes."""

    anywhere = True
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
