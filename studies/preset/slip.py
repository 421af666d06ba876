"""What the slip of the time scale does to the study of objectives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studies.asked import Asked
from studies.names import model_label
from studies.records import read_records
from studies.results import Results
from studies.runner import run
from studies.tables.table import Table, Value

__all__ = ["SCALES", "load_scale", "run_scales", "slip_table"]

STUDY = "objective"
SCALES = ("coded", "corrected")
_PLAIN = "lognormal-likelihood"
# The likelihood, and of each loss that aims at calibration one.
_MODELS = (_PLAIN, "lognormal-crps", "lognormal-x-cal-1e3", "lognormal-sfm-1e3")


def run_scales(
    folder: Path, datasets: Sequence[str], seeds: int, jobs: int = 1
) -> None:
    """Run the study with and without the slip, each in a folder of its own."""
    for scale in SCALES:
        asked = Asked(
            ",".join(datasets),
            ",".join(_MODELS),
            seeds,
            preset="paper",
            time_scale=scale,
        )
        run(asked.configs(STUDY), _place(folder, scale), jobs=jobs)


def load_scale(folder: Path, scale: str) -> Results:
    """Return the records with one of the two scales."""
    return Results(read_records(_place(folder, scale)).records)


def _place(folder: Path, scale: str) -> Path:
    return folder / f"{STUDY}-{scale}"


def slip_table(folder: Path) -> Table:
    """Return the D-cal of every loss, as coded and corrected."""
    found = {scale: load_scale(folder, scale) for scale in SCALES}
    first = found[SCALES[0]]
    rows: list[tuple[Value, ...]] = []
    for dataset in first.datasets(STUDY):
        for model in first.models(STUDY):
            for variant in ("raw", "csd") if model == _PLAIN else ("raw",):
                name = model_label(model) + (" + CSD" if variant == "csd" else "")
                values = [
                    results.interval(STUDY, dataset, model, variant, metric)
                    for metric in ("d_calibration", "c_index")
                    for results in found.values()
                ]
                rows.append((dataset, name, *values))
    return Table(
        "slip",
        "The log-normal network with and without the slip of its time scale",
        "As coded, S is computed on times from 0 to 5 and labelled 0 to the largest "
        "training time, and validation times are not scaled.",
        (
            "dataset",
            "loss",
            "D-cal, as coded",
            "D-cal, corrected",
            "C-index, as coded",
            "C-index, corrected",
        ),
        tuple(rows),
    )
