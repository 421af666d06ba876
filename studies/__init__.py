"""The studies of the paper: their records, tables and figures.

They stand beside the library, in a clone of the repository: ``python -m studies``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studies.config import StudyConfig
    from studies.records import StoredRecords, read_record, read_records
    from studies.runner import Observer, RunResult, run
    from studies.toml import read_config

__all__ = [
    "Observer",
    "RunResult",
    "StoredRecords",
    "StudyConfig",
    "read_config",
    "read_record",
    "read_records",
    "run",
]

# Imported when they are asked for, so that the command can be interrupted before.
_HOMES = {
    "studies.config": ("StudyConfig",),
    "studies.records": ("StoredRecords", "read_record", "read_records"),
    "studies.runner": ("Observer", "RunResult", "run"),
    "studies.toml": ("read_config",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'studies' has no attribute {name!r}")
