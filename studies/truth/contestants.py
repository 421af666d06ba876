"""What is compared: every censoring rule, CiPOT, no adjustment, and an oracle."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from consurv import Outcome, conformal_shifts
from consurv.conformal.adjustments.levels import conformal_levels
from consurv.conformal.censoring.rules import RULES
from consurv.errors import CalibrationWarning
from studies.truth.error import population, true_levels
from studies.truth.sample import Sample
from studies.truth.setting import LEVELS, Setting

__all__ = ["PAPER", "Contestant", "contestants"]

Float = NDArray[np.float64]
Contestant = Callable[[Setting, Sample], Float]
"""From a setting and a conformal set to the levels really attained, (19,)."""

PAPER = "kaplan-meier"


def contestants() -> dict[str, Contestant]:
    """Return the contestants by name; every registered rule is one."""
    rules = {name: partial(_rule, name) for name in RULES}
    return {"raw": _raw, "oracle": _oracle, **rules, "cipot": _cipot}


def _raw(setting: Setting, sample: Sample) -> Float:
    return true_levels(setting, np.zeros(len(LEVELS)))


def _oracle(setting: Setting, sample: Sample) -> Float:
    """Conformal shifts from the true times."""
    truth = Outcome(time=sample.true_time, event=np.ones(setting.n, dtype=np.bool_))
    return _shifted(setting, sample, truth, "uncensored")


def _rule(name: str, setting: Setting, sample: Sample) -> Float:
    return _shifted(setting, sample, sample.outcome, name)


def _shifted(setting: Setting, sample: Sample, outcome: Outcome, rule: str) -> Float:
    with warnings.catch_warnings():
        # Rules say which levels the data do not identify; the error shows it here.
        warnings.simplefilter("ignore", CalibrationWarning)
        shifts = conformal_shifts(
            sample.percentile_times, LEVELS, outcome, censoring=rule
        )
    return true_levels(setting, shifts)


def _cipot(setting: Setting, sample: Sample) -> Float:
    """Move the levels instead of the times (``adjustment="level"``)."""
    moved = conformal_levels(sample.survival, LEVELS, sample.outcome.event)
    x, _ = population(setting)
    times = setting.percentile_times(moved, x)
    attained: Float = setting.true_survival(times, x).mean(axis=0)
    return attained
