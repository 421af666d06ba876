"""A site answers: counts on the lattice, none of them below the minimum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from consurv.conformal import ConformalSurvival, load
from consurv.conformal.reading.columns import OutcomeColumns
from consurv.distributed.federated.at_site import AtSite
from consurv.distributed.federated.papers import Paper, check_seal, digest, usable
from consurv.distributed.federated.plan import Plan
from consurv.errors import InvalidInput

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
    >>> import numpy as np, pandas as pd
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
        there = AtSite(plan, site, model, X, outcome, coarsen)
        return there.first(question["checksum"])
    with usable("the question"):
        known, first = dict(question["sites"][site]), str(question["first"])
    there = AtSite(plan, site, model, X, outcome, bool(known.get("coarsened")))
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
