"""What the repetitions of a run come to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from studies.bounds.contestants import COVERAGE
from studies.bounds.run import SCREENING, Records

__all__ = ["Cell", "FalseShare", "cell", "false_discoveries", "settings_of"]


class Cell(NamedTuple):
    """One contestant in one setting; NaN where it always refused.

    Attributes
    ----------
    n, n_refused : int
        Repetitions, and those of them in which there was no bound.
    coverage, standard_error : float
    error : float
        Mean of |coverage − .9| over the repetitions.
    mean, median : float
        Means over the repetitions of mean and median bound.
    """

    n: int
    n_refused: int
    coverage: float
    standard_error: float
    error: float
    mean: float
    median: float


class FalseShare(NamedTuple):
    """Screening in one setting: means over the repetitions."""

    n: int
    false: float
    standard_error: float
    flagged: float


def settings_of(records: Records, group: str) -> list[str]:
    """Return the settings of a paper, in the order of the run."""
    return [name for name in records if name.startswith(f"{group} ")]


def cell(records: Records, setting: str, contestant: str) -> Cell:
    """Return the summary of a contestant in a setting."""
    runs = [found.get(contestant, []) for found in records[setting].values()]
    seen = np.array([run for run in runs if run]).reshape(-1, 3)
    if not len(seen):
        return Cell(len(runs), len(runs), *[float("nan")] * 5)
    coverage = seen[:, 0]
    return Cell(
        len(runs),
        len(runs) - len(seen),
        float(coverage.mean()),
        float(coverage.std() / np.sqrt(len(coverage))),
        float(np.abs(coverage - COVERAGE).mean()),
        float(seen[:, 1].mean()),
        float(seen[:, 2].mean()),
    )


def false_discoveries(records: Records, setting: str) -> FalseShare:
    """Return what became of screening in a setting."""
    runs = [r[SCREENING] for r in records[setting].values() if r.get(SCREENING)]
    if not runs:
        return FalseShare(0, *[float("nan")] * 3)
    shares = np.array(runs)
    error = float(shares[:, 0].std() / np.sqrt(len(shares)))
    false, flagged = shares[:, :2].mean(axis=0)
    return FalseShare(len(shares), float(false), error, float(flagged))
