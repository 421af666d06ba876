"""A test bed with known true event times: ``python -m benchmarks.truth``."""

from benchmarks.truth.error import floor, true_error, true_levels
from benchmarks.truth.sample import Sample, simulate
from benchmarks.truth.setting import LEVELS, Setting, settings

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
