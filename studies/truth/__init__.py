"""A test bed with known true event times: ``python -m studies.truth``."""

from studies.truth.error import floor, true_error, true_levels
from studies.truth.sample import Sample, simulate
from studies.truth.setting import LEVELS, Setting, settings

__all__ = [
    "LEVELS",
    "Sample",
    "Setting",
    "floor",
    "settings",
    "simulate",
    "true_error",
    "true_levels",
]
