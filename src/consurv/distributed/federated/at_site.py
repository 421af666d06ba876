"""The subjects of a site, and what is told of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from consurv._checks import Bool, Index
from consurv.conformal import ConformalSurvival
from consurv.conformal.parts.blocks import Block
from consurv.distributed.federated.coarse import coarser
from consurv.distributed.federated.groups import Groups
from consurv.distributed.federated.law_masses import law_masses
from consurv.distributed.federated.on_lattice import OnLattice
from consurv.distributed.federated.papers import Paper, sealed, usable
from consurv.distributed.federated.plan import Plan
from consurv.distributed.federated.ruler import Ruler
from consurv.distributed.federated.tables import outcomes_from_plain
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["AtSite"]

_COARSER = (
    "a coarser lattice for all sites would help, or coarsen (--coarsen), which merges "
    "neighbouring times of this site alone"
)
_FEWER_LEVELS = "without the lowest levels, or with a smaller minimum, it may do"


class AtSite:
    """The subjects of a site, with all times on the lattice.

    Parameters
    ----------
    plan : Plan
    site : str
    model : ConformalSurvival
    X, outcome : table and Outcome
    coarsen : bool
        Whether observed times are merged until no count is too small.
    """

    def __init__(
        self,
        plan: Plan,
        site: str,
        model: ConformalSurvival,
        X: Any,
        outcome: Outcome,
        coarsen: bool,
    ) -> None:
        self.plan, self.site, self.coarsen = plan, site, coarsen
        times = plan.lattice.move(outcome.time)
        if coarsen:
            times = coarser(times, outcome.event, plan.minimum)
        moved = Outcome(time=times, event=outcome.event)
        self._check(_by_time(moved), "counts of observed times", _COARSER)
        self.block: Block = plan.kind.read(
            OnLattice(model.estimator_, plan.lattice),
            (X, moved),
            plan.grid,
            in_training=False,
        )
        self.ruler = Ruler(plan.lattice, self.block.proportional)

    def _check(self, counts: Any, what: str, way_out: str = _FEWER_LEVELS) -> None:
        told = np.asarray(counts)[np.asarray(counts) > 0]
        small = told < self.plan.minimum
        if small.any():
            raise InvalidInput(
                f"{int(small.sum())} of {small.size} {what} at {self.site} lie below "
                f"the minimum of {self.plan.minimum}, and nothing was told; {way_out}"
            )

    def first(self, question: str) -> dict[str, Any]:
        """Return counts by observed time, and by score at each level."""
        event = self.block.outcome.event
        times, table = np.unique(self.block.outcome.time), _by_time(self.block.outcome)
        infinite = [_by_flag(q == np.inf, event) for q in self.block.reading.T]
        self._check(infinite, "counts of infinite percentile times")
        return sealed(
            what="summary",
            round=1,
            question=question,
            site=self.site,
            coarsened=self.coarsen,
            outcomes={
                "times": times.tolist(),
                "events": table[1].tolist(),
                "censored": table[0].tolist(),
            },
            events=[self._groups(p, event) for p in range(len(self.plan.levels))],
            censored=[self._groups(p, ~event) for p in range(len(self.plan.levels))]
            if self.plan.with_laws
            else [],
            infinite=[[int(n[1]), int(n[0])] for n in infinite],
        )

    def _groups(self, p: int, rows: Bool) -> list[list[Any]]:
        finite = rows & (self.block.reading[:, p] < np.inf)
        scores = self.ruler.observed(self.block, p)[finite]
        self._check([len(scores)], "counts of finite percentile times")
        return Groups.of(scores, self.plan.minimum).to_plain()

    def second(self, question: Paper) -> dict[str, Any]:
        """Return the mass of the censored subjects at the places of each level."""
        with usable("the question"):
            curve = outcomes_from_plain(question["outcomes"]).curve()
            places = [np.array(some, dtype=np.float64) for some in question["places"]]
            masses = [
                law_masses(self.block, p, self.ruler, curve, some, self.plan.minimum)
                for p, some in enumerate(places)
            ]
        return sealed(
            what="summary",
            round=2,
            question=question["checksum"],
            site=self.site,
            masses=[mass.to_plain() for mass in masses],
        )


def _by_time(outcome: Outcome) -> Index:
    """Return numbers of censored subjects and of events by time, (2, K)."""
    times, place = np.unique(outcome.time, return_inverse=True)
    flags = ~outcome.event, outcome.event
    return np.array([np.bincount(place[some], minlength=len(times)) for some in flags])


def _by_flag(rows: Bool, event: Bool) -> tuple[int, int]:
    return int((rows & ~event).sum()), int((rows & event).sum())
