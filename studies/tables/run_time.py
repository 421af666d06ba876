"""How long cells took, training and the rest apart."""

from __future__ import annotations

from studies.cost import interval_of
from studies.results import Results
from studies.statistics import Interval
from studies.tables.notes import MEAN
from studies.tables.table import Table, Value

__all__ = ["run_time_table", "study_time_table"]


_SHOWN = ("raw", "csd")


def run_time_table(results: Results, study: str = "main") -> Table:
    """Return how long training, adjusting and evaluating took, raw and CSD."""
    rows: list[tuple[Value, ...]] = []
    for dataset in results.datasets(study):
        for model in results.models(study):
            fits = results.fits(study, dataset, model).values()
            training = interval_of([f["seconds"] for f in fits if f.get("seconds")])
            if training is None:
                continue
            steps = [
                _total(results, (study, dataset, model), names)
                for names in (("conformalize",), ("predict", "evaluate"))
            ]
            epochs = interval_of([float(f["n_epochs"]) for f in fits if _epochs(f)])
            share = sum(steps) / training.mean
            rows.append(
                (
                    dataset,
                    results.label(model),
                    training,
                    _rounded(epochs),
                    *(step or None for step in steps),
                    f"{share:.1%}",
                )
            )
    columns = (
        "dataset",
        "model",
        "training",
        "epochs",
        "conformal step",
        "predicting and evaluating",
        "both / training",
    )
    note = (
        f"Seconds per cell. Training: {MEAN[0].lower()}{MEAN[1:]} The other columns "
        "are means over seeds: the conformal step of CSD with the prediction of its "
        "conformal set, and predicting and evaluating the test set, raw and CSD."
    )
    name = f"run_time_{study.replace('-', '_')}"
    title = f"Running time in seconds, study {study}"
    return Table(name, title, note, columns, tuple(rows))


def study_time_table(results: Results) -> Table:
    """Return the wall time of each study; trainings that it shares count once."""
    rows: list[tuple[Value, ...]] = []
    for study in results.studies:
        records = [r for r in results.records if r["study"] == study]
        total = sum(r.get("seconds") or 0.0 for r in records)
        fresh = [r["fit"] for r in records if r.get("fit") and not r["fit"]["reused"]]
        training = sum(fit.get("seconds") or 0.0 for fit in fresh)
        rows.append(
            (study, len(records), len(fresh), training, total - training, total)
        )
    columns = ("study", "cells", "trainings", "training", "all else", "total")
    note = "Wall-clock seconds summed over cells. Fits of another study are used again."
    return Table("study_time", "Seconds by study", note, columns, tuple(rows))


def _epochs(fit: object) -> bool:
    return isinstance(fit, dict) and fit.get("n_epochs") is not None


def _rounded(value: Interval | None) -> Value:
    return None if value is None else round(value.mean)


def _total(
    results: Results, cell: tuple[str, str, str], names: tuple[str, ...]
) -> float:
    """Return the mean seconds of some steps over seeds, raw and CSD together."""
    means = [
        results.interval(*cell, variant, name, "seconds")
        for variant in _SHOWN
        for name in names
    ]
    return sum(mean.mean for mean in means if mean)
