"""What a run says of each contestant, over all settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consurv._checks import Float
from studies.bed.judge import Errors
from studies.bed.run import Records

__all__ = ["Summary", "means", "summaries"]

# Worse than raw by more than this counts as harm: in ISE, and in the marginal error.
HARM = {"ise": 0.5, "marginal": 2.0}


@dataclass(frozen=True)
class Summary:
    """Means over settings of the means over repetitions, and harm against raw.

    Attributes
    ----------
    name : str
    errors : Errors
    least_tau : float
    harmed, harmed_marginally : float
        Share of settings in which the ISE (the marginal error) is worse than raw by
        more than ``HARM``.
    worst, worst_marginal : float
        The largest excess over raw.
    worst_in, worst_marginal_in : str
        Where.
    """

    name: str
    errors: Errors
    least_tau: float
    harmed: float
    worst: float
    worst_in: str
    harmed_marginally: float
    worst_marginal: float
    worst_marginal_in: str


def means(records: Records, names: Sequence[str]) -> tuple[list[str], Float]:
    """Return the settings that all *names* have run in, and (names, settings, 5)."""
    settings = [s for s, by in records.items() if all(by.get(n) for n in names)]
    shape = len(names), len(settings), len(Errors._fields)
    table = np.empty(shape)
    for i, name in enumerate(names):
        for j, setting in enumerate(settings):
            values = np.array(list(records[setting][name].values()))
            table[i, j] = values.mean(axis=0)
    return settings, table


def summaries(records: Records, names: Sequence[str]) -> list[Summary]:
    """Return a summary of each contestant; raw must be among the records."""
    wanted = list(dict.fromkeys(["raw", *names]))
    settings, table = means(records, wanted)
    ise, marginal = (Errors._fields.index(name) for name in ("ise", "marginal"))
    found = []
    for name, own in zip(wanted, table, strict=True):
        excess, also = (own[:, k] - table[0][:, k] for k in (ise, marginal))
        found.append(
            Summary(
                name,
                Errors(*np.nanmean(own, axis=0).tolist()),
                float(np.nanmin(own[:, -1])),
                float(np.mean(excess > HARM["ise"])),
                float(excess.max()),
                settings[int(excess.argmax())],
                float(np.mean(also > HARM["marginal"])),
                float(also.max()),
                settings[int(also.argmax())],
            )
        )
    return found
