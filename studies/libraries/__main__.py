"""``python -m studies.libraries``: raw and calibrated, split by split, in one table."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from consurv.metrics import concordance_index, d_calibration
from studies.files import write_atomically
from studies.harm.sources import load
from studies.libraries.models import MODELS, calibrate
from studies.limits import one_thread
from studies.protocol import split_table

_DATASETS = "SUPPORT,METABRIC,FLCHAIN"
_SIGNIFICANT = 0.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; cells that are there are not run again."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.libraries", description=__doc__
    )
    parser.add_argument("--datasets", default=_DATASETS)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--adjustment", default="recalibrated")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("results/libraries"))
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    records = []
    for seed in range(asked.seeds):
        for dataset in asked.datasets.split(","):
            for model in asked.models.split(","):
                cell = (dataset, model, seed, asked.adjustment)
                records.append(_kept(asked.out, *cell))
    text = table(records)
    write_atomically(asked.out / "libraries.md", text.encode())
    sys.stdout.write(text)
    return 0


def _kept(
    folder: Path, dataset: str, model: str, seed: int, kind: str
) -> dict[str, Any]:
    name = f"{dataset}-{model.replace(' ', '-')}-{kind}-{seed}.json"
    path = folder / name
    if not path.exists():
        found = run(dataset, model, seed, kind)
        write_atomically(path, json.dumps(found).encode())
        sys.stderr.write(f"{name}: {found}\n")
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def run(dataset: str, model: str, seed: int, adjustment: str) -> dict[str, Any]:
    """Return D-calibration and C-index of one split, raw and calibrated."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        X, y, impute = load(dataset)
        parts = split_table(X, y, seed, False, impute)
        calibrated = calibrate(model, parts.train, seed, adjustment)
        X_test, y_test = parts.test
        if not hasattr(calibrated, "feature_names_in_"):
            X_test = X_test.to_numpy(np.float32)
        found: dict[str, Any] = {"dataset": dataset, "model": model, "seed": seed}
        names = ("raw", "calibrated")
        for name, curves in zip(names, calibrated.predict_both(X_test), strict=True):
            d_cal = d_calibration(y_test, curves)
            found[name] = {
                "p": float(d_cal.p_value),
                "d_cal": float(d_cal),
                "c_index": float(concordance_index(y_test, curves)),
            }
    return found


def table(records: Iterable[dict[str, Any]]) -> str:
    """Return one row for each dataset and model, as Markdown.

    Examples
    --------
    >>> scores = {"p": 0.01, "d_cal": 0.002, "c_index": 0.7}
    >>> record = {"dataset": "A", "model": "m", "raw": scores, "calibrated": scores}
    >>> print(table([record]).splitlines()[-1])
    | A | m | 1 | 0 % | 0 % | 2.00 | 2.00 | 0.7000 | +0.0000 | 0.0000 |
    """
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        cells.setdefault((record["dataset"], record["model"]), []).append(record)
    lines = [
        "| dataset | model | splits | D-cal p > 0.05 raw | calibrated | D-cal × 1000 "
        "raw | calibrated | C-index raw | mean change | largest change |",
        "|" + "---|" * 10,
    ]
    for (dataset, model), rows in sorted(cells.items()):
        raw, new = (_columns(rows, name) for name in ("raw", "calibrated"))
        change = new["c_index"] - raw["c_index"]
        passed = [100 * (c["p"] > _SIGNIFICANT).mean() for c in (raw, new)]
        lines.append(
            f"| {dataset} | {model} | {len(rows)} | {passed[0]:.0f} % | "
            f"{passed[1]:.0f} % | {1000 * raw['d_cal'].mean():.2f} | "
            f"{1000 * new['d_cal'].mean():.2f} | {raw['c_index'].mean():.4f} | "
            f"{change.mean():+.4f} | {np.abs(change).max():.4f} |"
        )
    return "\n".join(lines) + "\n"


def _columns(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    keys = ("p", "d_cal", "c_index")
    return {key: np.array([row[name][key] for row in rows]) for key in keys}


if __name__ == "__main__":
    sys.exit(main())
