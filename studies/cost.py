"""What the adjustment costs beside the training: seconds and memory, by seed."""

from __future__ import annotations

from studies.results import Results
from studies.statistics import Interval, mean_interval

__all__ = [
    "STUDY",
    "cost_rules",
    "extra_seconds",
    "interval_of",
    "peak_memory",
    "relative_time",
    "shift_seconds",
]

STUDY = "cost"


def cost_rules(results: Results) -> list[str]:
    """Return the censoring rules of the study in their fixed order."""
    return [name for name in results.variants(STUDY) if name != "raw"]


def extra_seconds(results: Results, dataset: str, model: str, rule: str) -> list[float]:
    """Return the seconds of the conformal step, one number per seed.

    It predicts the conformal set and finds the shifts.
    """
    found = results.values(STUDY, dataset, model, rule, "conformalize", "seconds")
    return list(found.values())


def shift_seconds(results: Results, dataset: str, model: str, rule: str) -> list[float]:
    """Return the seconds of finding the shifts alone, one number per seed."""
    found = results.values(STUDY, dataset, model, rule, "shifts", "seconds")
    return list(found.values())


def relative_time(results: Results, dataset: str, model: str, rule: str) -> list[float]:
    """Return (training + conformal step) / training, one number per seed."""
    extra = results.values(STUDY, dataset, model, rule, "conformalize", "seconds")
    fits = results.fits(STUDY, dataset, model)
    training = {seed: float(f["seconds"]) for seed, f in fits.items() if f["seconds"]}
    return [1 + s / training[seed] for seed, s in extra.items() if seed in training]


def peak_memory(results: Results, dataset: str, model: str, rule: str) -> list[float]:
    """Return the peak memory of the conformal step in bytes, one number per seed."""
    runs = results.runs(STUDY, dataset, model, rule).values()
    return [float(run["peak_memory"]) for run in runs if run.get("peak_memory")]


def interval_of(values: list[float]) -> Interval | None:
    """Return mean and interval, or ``None`` without values."""
    return mean_interval(values) if values else None
