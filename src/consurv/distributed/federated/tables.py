"""What all sites have told, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consurv._checks import Index
from consurv.conformal.parts.partitions import OutcomeCounts
from consurv.conformal.quantile.questions import merge
from consurv.distributed.federated.groups import Groups

__all__ = ["FirstTables", "outcomes_from_plain", "outcomes_to_plain"]


def outcomes_to_plain(counts: OutcomeCounts) -> dict[str, Any]:
    """Return counts by observed time as lists."""
    return {
        "times": counts.times.tolist(),
        "events": counts.events.tolist(),
        "censored": (counts.subjects - counts.events).tolist(),
    }


def outcomes_from_plain(values: Mapping[str, Any]) -> OutcomeCounts:
    """Return the counts that ``outcomes_to_plain`` gave."""
    times = np.array(values["times"], dtype=np.float64)
    events, censored = (np.array(values[n], np.int64) for n in ("events", "censored"))
    if not len(times) == len(events) == len(censored) or np.any(np.diff(times) <= 0):
        raise ValueError("counts of observed times do not fit together")
    return OutcomeCounts(times, events + censored, events)


@dataclass(frozen=True)
class FirstTables:
    """The summaries of the first round.

    Attributes
    ----------
    outcomes : OutcomeCounts
        Of all sites together.
    events, censored : list of list of Groups
        By level, then by site.
    n_infinite : ndarray of int of shape (P, 2)
        Events and censored subjects whose percentile times are infinite.
    """

    outcomes: OutcomeCounts
    events: list[list[Groups]]
    censored: list[list[Groups]]
    n_infinite: Index

    @classmethod
    def of(cls, summaries: Sequence[Mapping[str, Any]], n_levels: int) -> FirstTables:
        """Put the summaries of all sites together."""
        outcomes = merge([outcomes_from_plain(s["outcomes"]) for s in summaries])
        infinite = [np.array(s["infinite"], np.int64) for s in summaries]
        found: list[list[list[Groups]]] = []
        for name in ("events", "censored"):
            told = [[Groups.from_plain(g) for g in s[name]] for s in summaries]
            if any(len(some) not in (n_levels, 0) for some in told):
                raise ValueError("it tells of other levels than those asked for")
            found.append([list(some) for some in zip(*told, strict=True)])
        return cls(outcomes, found[0], found[1], np.sum(infinite, axis=0))
