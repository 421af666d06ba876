"""All rounds with sites that are callables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from consurv.conformal import ConformalSurvival
from consurv.conformal.adjustments import Adjustment
from consurv.conformal.reading.inputs import read_levels
from consurv.distributed.federated.coordinator import first_question, proceed
from consurv.distributed.federated.papers import Paper
from consurv.distributed.federated.plan import Plan

__all__ = ["adjusted", "federate"]

Site = Callable[[Paper], Paper]


def federate(
    model: ConformalSurvival,
    sites: Mapping[str, Site],
    *,
    edges: ArrayLike,
    minimum: int = 5,
    adjustment: str = "time",
    censoring: str = "kaplan-meier",
    percentiles: int | ArrayLike | None = None,
) -> ConformalSurvival:
    """Return a model that several sites have calibrated together; no row leaves one.

    The numbers are those of all subjects in one place, with all observed times and
    percentile times on the same lattice.

    Parameters
    ----------
    model : ConformalSurvival
        Fitted; all sites have it. Its own adjustment is not used.
    sites : mapping of str to callable
        Takes a question to a site and brings its summary back: at the site it is
        ``answer`` that makes one of the other.
    edges : float or array-like of shape (K,)
        Of the lattice of times; one number is a step.
    minimum : int, default=5
        No site tells of fewer subjects than that, but for none.
    adjustment : {"time", "log-time"}
    censoring : {"kaplan-meier", "uncensored"}
    percentiles : int or array-like of shape (k,), optional
        Levels; by default those of the model.

    Returns
    -------
    ConformalSurvival
        A new one, with the same estimator.

    Raises
    ------
    InvalidInput
        If a site refuses to tell, or no level can be told exactly since counts below
        the minimum were merged.

    Warns
    -----
    CalibrationWarning
        If levels are left out because they cannot be told exactly.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from functools import partial
    >>> from consurv.distributed.federated import answer
    >>> rng = np.random.default_rng(0)
    >>> def subjects(n):
    ...     table = pd.DataFrame({"dose": rng.normal(size=n)})
    ...     return table.assign(time=rng.integers(1, 25, n), event=1)
    >>> def curves(X):
    ...     return [40.0], [[0.0]] * len(X)
    >>> model = ConformalSurvival(curves).conformalize(
    ...     subjects(50), time="time", event="event")
    >>> north = partial(answer, model=model, table=subjects(200), site="north")
    >>> south = partial(answer, model=model, table=subjects(300), site="south")
    >>> together = federate(model, {"north": north, "south": south}, edges=4,
    ...                     percentiles=[0.25, 0.5, 0.75])
    >>> together.n_conformal_, together.shifts_
    (500, array([12.,  8.,  4.]))
    """
    levels = model.levels_ if percentiles is None else read_levels(percentiles)
    plan = Plan(
        sites=tuple(sites),
        levels=tuple(levels),
        edges=tuple(np.atleast_1d(edges)),
        minimum=minimum,
        adjustment=adjustment,
        censoring=censoring,
    )
    questions: list[Paper] = [first_question(plan)]
    summaries: dict[str, Paper] = {}
    while True:
        number = len(questions)
        for site, ask in sites.items():
            summaries[f"the summary of {site} in round {number}"] = ask(questions[-1])
        found = proceed(questions, summaries)
        if isinstance(found, Adjustment):
            return adjusted(model, found)
        questions.append(found)


def adjusted(model: ConformalSurvival, adjustment: Adjustment) -> ConformalSurvival:
    """Return the model with another adjustment; the one that is given stays."""
    found = copy(model)
    found.set_params(
        percentiles=adjustment.levels,
        censoring=adjustment.censoring,
        kaplan_meier="conformal",
    )
    return found.restore(adjustment, conformal_set=adjustment.conformal_set)
