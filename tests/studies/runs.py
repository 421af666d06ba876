"""A tiny grid that runs in seconds, and what is equal in two runs of it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from studies import StudyConfig, read_records

SETTINGS: dict[str, dict[str, Any]] = {"deephit": {"max_epochs": 3}}
# What may differ between two runs of the same cell.
_TIMES = ("seconds", "started", "fit", "environment")


def tiny(study: str = "main", **changes: Any) -> StudyConfig:
    values = {
        "datasets": ["VALCT", "PBC"],
        "models": ["km", "weibull-aft", "deephit"],
        "seeds": 2,
        "settings": SETTINGS,
    }
    return StudyConfig(study, **{**values, **changes})


def comparable(folder: Path) -> dict[str, str]:
    """All that must be the same in two runs, record by record."""
    stored = read_records(folder)
    assert stored.corrupt == []
    return {_name(record): _without_times(record) for record in stored.records}


def _name(record: dict[str, Any]) -> str:
    return "/".join(str(record[k]) for k in ("study", "dataset", "model", "seed"))


def _without_times(record: dict[str, Any]) -> str:
    record = {k: v for k, v in copy.deepcopy(record).items() if k not in _TIMES}
    for variant in record["variants"]:
        del variant["seconds"], variant["peak_memory"]
    return json.dumps(record, sort_keys=True)
