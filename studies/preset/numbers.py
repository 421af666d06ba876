"""Models without chance, number by number beside runs of the authors' code.

``numbers.csv`` beside this file holds those runs (shi-ang/CSD, 9 levels, 4 to 5 seeds)
of the Weibull regression and of boosting. SUPPORT is left out: their table lacked a
feature (adlsc) that the paper has; without it the numbers are the same there, too.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studies.config import StudyConfig
from studies.files import write_atomically
from studies.measures import MEASURES
from studies.names import model_label
from studies.preset.causes import PAPER
from studies.records import read_records
from studies.results import Results
from studies.runner import run
from studies.tables.table import Table, Value

__all__ = ["make_numbers", "numbers_table", "run_numbers"]

_DIGEST = Path(__file__).with_name("numbers.csv")
_STUDY, _FOLDER, _LEVELS, _SEEDS = "main", "numbers", 9, 5
_MODELS = {"AFT": "weibull-aft", "GB": "gradient-boosting"}
_DATASETS = ("VALCT", "PBC", "GBSG", "METABRIC", "NACD")
_COLUMNS = {
    "c_index": "cindex",
    "d_calibration": "dcal",
    "km_calibration": "kmcal",
    "integrated_brier_score": "ibs",
    "mae_po": "mae_po",
}
_VARIANTS = {"raw": ("raw", ""), "csd": ("csd", str(_LEVELS))}

Key = tuple[str, str, str, str]


def make_numbers(runs: Path, path: Path = _DIGEST) -> None:
    """Write the digest from ``authors_runs.csv``."""
    names = ["dataset", "model", "variant", "seed", *_COLUMNS]
    lines = [",".join(names)]
    with runs.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            model = _MODELS.get(row["model"])
            kind = row["variant"], row["n_quantiles"]
            if model and row["dataset"] in _DATASETS and kind in _VARIANTS.values():
                place = row["dataset"], model, row["variant"], row["seed"]
                lines.append(",".join([*place, *(row[c] for c in _COLUMNS.values())]))
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def run_numbers(folder: Path, datasets: Sequence[str], jobs: int = 1) -> None:
    """Run the preset with 9 levels on the datasets that both have."""
    changes: dict[str, Any] = {**PAPER, "percentiles": _LEVELS, "seeds": _SEEDS}
    own = [name for name in datasets if name in _DATASETS]
    models = list(_MODELS.values())
    run(StudyConfig(_STUDY, own, models, **changes), folder / _FOLDER, jobs=jobs)


def numbers_table(folder: Path) -> Table:
    """Return how far our numbers are from theirs, cell by cell."""
    ours = Results(read_records(folder / _FOLDER).records)
    theirs = dict(_read())
    rows: list[tuple[Value, ...]] = []
    for dataset in ours.datasets(_STUDY):
        for model in _MODELS.values():
            for variant in _VARIANTS:
                row: list[Value] = [dataset, model_label(model), variant]
                for metric in MEASURES:
                    found = ours.values(_STUDY, dataset, model, variant, metric)
                    row.append(_apart(found, theirs, (dataset, model, variant, metric)))
                rows.append(tuple(row))
    return Table(
        "numbers",
        "Models without chance, number by number beside the authors' code",
        "The same rows, seeds 0 to 4, 9 levels. Median over seeds of |ours − theirs| / "
        "theirs, and the largest. Calibrated numbers of theirs come from 1,000 draws "
        "of each censored subject.",
        ("dataset", "model", "curves", *(m.label for m in MEASURES.values())),
        tuple(rows),
    )


def _apart(
    found: dict[int, float], theirs: dict[Key, dict[int, float]], key: Key
) -> str | None:
    known = theirs.get(key, {})
    parts = [abs(found[s] / known[s] - 1) for s in found.keys() & known.keys()]
    if not parts:
        return None
    return f"{_share(float(np.median(parts)))} ({_share(max(parts))})"


def _share(value: float) -> str:
    if value < 1e-5:
        return "0"
    return f"{100 * value:.2g} %"


def _read() -> Iterator[tuple[Key, dict[int, float]]]:
    found: dict[Key, dict[int, float]] = {}
    with _DIGEST.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for metric in _COLUMNS:
                key = row["dataset"], row["model"], row["variant"], metric
                if row[metric]:
                    found.setdefault(key, {})[int(row["seed"])] = float(row[metric])
    yield from found.items()
