"""Every contestant in every setting, over the seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from studies.truth.contestants import contestants
from studies.truth.error import error_of
from studies.truth.sample import simulate
from studies.truth.setting import Setting

__all__ = ["SettingErrors", "run", "standard_error"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class SettingErrors:
    """The true errors in one setting, × 10³.

    Attributes
    ----------
    setting : Setting
    errors : dict of str to ndarray of shape (n_seeds,)
        By contestant.
    """

    setting: Setting
    errors: dict[str, Float]

    def mean(self, name: str) -> float:
        """Return the mean over seeds."""
        return float(self.errors[name].mean())

    def standard_error(self, name: str) -> float:
        """Return the standard error of the mean; NaN for a single seed."""
        return standard_error(self.errors[name])


def standard_error(values: Float) -> float:
    """Return the standard error of the mean of independent values."""
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def run(
    settings: Sequence[Setting],
    names: Sequence[str],
    seeds: Sequence[int],
    jobs: int = 1,
) -> Iterator[SettingErrors]:
    """Yield the errors of each setting, in order, as they are ready."""
    task = delayed(_errors)
    parallel = Parallel(n_jobs=jobs, return_as="generator")
    yield from parallel(task(setting, names, seeds) for setting in settings)


def _errors(
    setting: Setting, names: Sequence[str], seeds: Sequence[int]
) -> SettingErrors:
    chosen = {name: contestants()[name] for name in names}
    found: dict[str, list[float]] = {name: [] for name in names}
    for seed in seeds:
        sample = simulate(setting, seed)
        for name, contestant in chosen.items():
            found[name].append(error_of(contestant(setting, sample)))
    return SettingErrors(setting, {k: np.array(v) for k, v in found.items()})
