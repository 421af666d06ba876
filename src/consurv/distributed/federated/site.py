"""What a site tells: counts on the lattice, none of them below the minimum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from consurv._checks import Bool, Index
from consurv.conformal import ConformalSurvival, load
from consurv.conformal.blocks import Block
from consurv.conformal.columns import OutcomeColumns
from consurv.distributed.federated.coarse import coarser
from consurv.distributed.federated.groups import Groups
from consurv.distributed.federated.law_masses import law_masses
from consurv.distributed.federated.on_lattice import OnLattice
from consurv.distributed.federated.papers import (
    Paper,
    check_seal,
    digest,
    sealed,
    usable,
)
from consurv.distributed.federated.plan import Plan
from consurv.distributed.federated.ruler import Ruler
from consurv.distributed.federated.tables import outcomes_from_plain
from consurv.errors import InvalidInput
from consurv.outcome import Outcome

__all__ = ["answer"]


def answer(
    question: Paper,
    model: ConformalSurvival | str | Path,
    table: Any,
    *,
    site: str,
    time: Any = "time",
    event: Any = "event",
    coarsen: bool = False,
    minimum: int = 1,
    trust: bool = False,
) -> dict[str, Any]:
    """Return the summary with which a site answers a question.

    Parameters
    ----------
    question : mapping
        As the coordinator gave it.
    model : ConformalSurvival, or the path of a saved one
        The model that all sites have. A file is held against the one in the question.
    table : DataFrame
        The site's own subjects; they stay here.
    site : str
        The name of the site in the question.
    time, event : names of columns
    coarsen : bool, default=False
        Merge neighbouring observed times of this site until no count lies below the
        minimum. Later rounds keep to it by themselves.
    minimum : int, default=1
        What the site itself demands: a question with a smaller minimum is refused.
    trust : bool, default=False
        Read pickles in the model's file, too.

    Returns
    -------
    dict
        Plain numbers, lists and words.

    Raises
    ------
    InvalidInput
        If a count lies below the minimum, the model is another one, or the data are
        not those of the first round.

    Examples
    --------
    >>> import pandas as pd
    >>> from consurv.distributed.federated import Plan, first_question
    >>> table = pd.DataFrame({"x": np.ones(12), "time": np.arange(1, 13), "event": 1})
    >>> model = ConformalSurvival(lambda X: ([8.0], [[0.0]] * len(X)))
    >>> model = model.conformalize(table, time="time", event="event")
    >>> question = first_question(Plan(sites=("a",), levels=(0.5,), edges=(6,)))
    >>> answer(question, model, table, site="a")["outcomes"]
    {'times': [6.0, 12.0], 'events': [6, 6], 'censored': [0, 0]}
    """
    check_seal(question, "the question")
    with usable("the question"):
        plan, number = Plan.from_plain(question["plan"]), int(question["round"])
        if question["what"] != "question" or number not in (1, 2):
            raise InvalidInput(f"it is a {question['what']} of round {number}")
    if site not in plan.sites:
        raise InvalidInput(
            f"{site!r} takes no part; the sites are: {', '.join(plan.sites)}"
        )
    if plan.minimum < minimum:
        raise InvalidInput(
            f"the question has a minimum of {plan.minimum}, and {site} demands "
            f"{minimum}; the coordinator may start anew with it"
        )
    model = _opened(model, plan, trust)
    columns = OutcomeColumns(time, event, _features(model))
    X, outcome = columns.read(table)
    if number == 1:
        there = _There(plan, site, model, X, outcome, coarsen)
        return there.first(question["checksum"])
    with usable("the question"):
        known, first = dict(question["sites"][site]), str(question["first"])
    there = _There(plan, site, model, X, outcome, bool(known.get("coarsened")))
    if there.first(first)["checksum"] != known.get("summary"):
        raise InvalidInput(
            f"the data of {site} are not those of its summary in the first round; "
            "give the same file, or start anew"
        )
    return there.second(question)


def _opened(
    model: ConformalSurvival | str | Path, plan: Plan, trust: bool
) -> ConformalSurvival:
    if isinstance(model, ConformalSurvival):
        return model
    if plan.model and digest(Path(model)) != plan.model:
        raise InvalidInput(
            f"{model} is another model than that of the question; all sites need the "
            "same file"
        )
    return load(model, trust=trust)


def _features(model: ConformalSurvival) -> list[Any] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else list(names)


class _There:
    """The subjects of a site, with all times on the lattice."""

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
        self._check(_by_time(moved), "counts of observed times")
        self.block: Block = plan.kind.read(
            OnLattice(model.estimator_, plan.lattice),
            (X, moved),
            plan.grid,
            in_training=False,
        )
        self.ruler = Ruler(plan.lattice, self.block.proportional)

    def _check(self, counts: Any, what: str) -> None:
        told = np.asarray(counts)[np.asarray(counts) > 0]
        small = told < self.plan.minimum
        if small.any():
            raise InvalidInput(
                f"{int(small.sum())} of {small.size} {what} at {self.site} lie below "
                f"the minimum of {self.plan.minimum}, and nothing was told; a coarser "
                "lattice for all sites would help, or coarsen (--coarsen), which "
                "merges neighbouring times of this site alone"
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
