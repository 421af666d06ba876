"""What the coordinator asks, and what it makes of the summaries of all sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consurv._checks import Bool, Float
from consurv._warnings import warn
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.adjustments.shifts import shifts_of
from consurv.conformal.quantile.identified import listed
from consurv.conformal.quantile.search import Quantiles
from consurv.distributed.federated.law_masses import LawMasses
from consurv.distributed.federated.papers import Paper, check_seal, sealed, usable
from consurv.distributed.federated.plan import Plan
from consurv.distributed.federated.ruler import Ruler
from consurv.distributed.federated.search import LevelTables
from consurv.distributed.federated.sorting import sorted_out
from consurv.distributed.federated.tables import FirstTables, outcomes_to_plain
from consurv.distributed.federated.told import Told, ToldRule
from consurv.errors import InvalidInput

__all__ = ["first_question", "proceed"]


def first_question(plan: Plan) -> dict[str, Any]:
    """Return what all sites are asked first.

    Examples
    --------
    >>> first_question(Plan(sites=("a",), levels=(0.5,), edges=(30,)))["round"]
    1
    """
    return sealed(what="question", round=1, plan=plan.to_plain())


def proceed(
    questions: Sequence[Paper], summaries: Mapping[str, Paper]
) -> dict[str, Any] | Adjustment:
    """Return the next question or, at the end, the adjustment.

    Parameters
    ----------
    questions : sequence of mapping
        All that were asked so far.
    summaries : mapping of str to mapping
        All that came back in all rounds, by names to be used in messages.

    Raises
    ------
    InvalidInput
        If a site is missing or there twice, a summary belongs to another question, or
        no level can be told since counts were merged.

    Examples
    --------
    >>> question = first_question(Plan(sites=("a", "b"), levels=(0.5,), edges=(30,)))
    >>> proceed([question], {})
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: round 1 waits for: a, b
    """
    for i, question in enumerate(questions):
        check_seal(question, f"question {i + 1}")
    with usable("the first question"):
        plan = Plan.from_plain(questions[0]["plan"])
    told = sorted_out(plan, questions, summaries)
    names = list(told[0])
    with usable("a summary of the first round"):
        tables = FirstTables.of([told[0][name] for name in names], len(plan.levels))
    coordinator = _Coordinator(plan, tables)
    if not coordinator.needs_laws:
        return coordinator.adjustment([()] * len(plan.levels))
    second = coordinator.second_question(questions[0], told[0])
    if len(questions) == 1:
        return second
    if questions[1]["checksum"] != second["checksum"]:
        raise InvalidInput(
            "the question of round 2 was made of other summaries of round 1 than those "
            "that are there now; remove it, and ask the sites anew"
        )
    with usable("a summary of the second round"):
        sizes = [len(some) for some in second["places"]]
        masses = [
            [
                LawMasses.from_plain(mass, size)
                for mass, size in zip(told[1][name]["masses"], sizes, strict=True)
            ]
            for name in names
        ]
    return coordinator.adjustment(list(zip(*masses, strict=True)))


class _Coordinator:
    """The search, level by level."""

    def __init__(self, plan: Plan, tables: FirstTables) -> None:
        self.plan, self.tables = plan, tables
        self.curve = tables.outcomes.curve()
        self.ruler = Ruler(plan.lattice, plan.adjustment == "log-time")
        none: list[Any] = [()] * len(plan.levels)
        self.levels = [
            LevelTables(*some)
            for some in zip(
                plan.levels, tables.events, tables.censored or none, strict=True
            )
        ]

    @property
    def needs_laws(self) -> bool:
        """Whether the masses of censored subjects have to be asked for."""
        counts = self.tables.outcomes
        return self.plan.with_laws and bool((counts.subjects > counts.events).any())

    def places(self) -> list[Float]:
        """Return for each level the scores among which the quantile is."""
        return [level.places(self.ruler, self.curve) for level in self.levels]

    def second_question(
        self, first: Paper, told: Mapping[str, Paper]
    ) -> dict[str, Any]:
        """Ask for the masses of censored subjects."""
        return sealed(
            what="question",
            round=2,
            plan=self.plan.to_plain(),
            first=first["checksum"],
            outcomes=outcomes_to_plain(self.tables.outcomes),
            places=[some.tolist() for some in self.places()],
            sites={
                site: {"summary": s["checksum"], "coarsened": bool(s["coarsened"])}
                for site, s in told.items()
            },
        )

    def adjustment(self, masses: Sequence[Sequence[LawMasses]]) -> Adjustment:
        """Return the adjustment that all sites together lead to."""
        scores = [
            level.quantile(
                places, laws or [_NONE] * len(level.censored), self.plan.minimum
            )
            for level, places, laws in zip(
                self.levels, self.places(), masses, strict=True
            )
        ]
        told = self._told(scores)
        tables = [
            level for level, known in zip(self.levels, told, strict=True) if known
        ]
        found = np.array(scores, dtype=np.float64)[told]
        ranks = np.array([level.rank for level in tables])
        n = np.array([level.n for level in tables])
        quantiles = Quantiles(
            found,
            ranks,
            n,
            np.array([t.n_events(s) for t, s in zip(tables, found, strict=True)]),
            rounds=1 + self.needs_laws,
            beyond=ranks > n,
        )
        infinite = self.tables.n_infinite[:, : 1 + self.plan.with_laws].sum(axis=1)
        counted = int((quantiles.n + infinite[told]).max())
        levels = self.plan.grid[told]
        shifts = shifts_of(quantiles, levels, counted)
        rule = ToldRule(shifts._replace(n_infinite=int(infinite.max())))
        subjects = Told(levels, self.tables.outcomes, len(self.plan.sites))
        adjustment: Adjustment = self.plan.kind.make(
            subjects,
            rule,
            np.random.default_rng(0),
            kaplan_meier="conformal",
            conformal_set="federated",
            censoring=self.plan.censoring,
        )
        return adjustment

    def _told(self, scores: Sequence[float | None]) -> Bool:
        """Say which levels are told exactly; warn of the others."""
        pairs = zip(scores, self.levels, strict=True)
        # Where nobody counts there is nothing to be told: that is said elsewhere.
        told = np.array([s is not None or level.n < 2 for s, level in pairs])
        levels = self.plan.grid
        way_out = "a coarser lattice or a smaller minimum would help"
        because = f"counts below the minimum of {self.plan.minimum} were merged"
        if not told.any():
            raise InvalidInput(
                f"no level can be told exactly, since {because}; {way_out}"
            )
        if not told.all():
            warn(
                f"the levels {listed(levels[~told])} are left out: they cannot be told "
                f"exactly, since {because}; {way_out}"
            )
        return told


_NONE = LawMasses.from_plain(
    {"kept": [], "before": [], "at": [], "told": [], "full": False}, 0
)
