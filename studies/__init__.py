"""The studies of the paper: their records, tables and figures.

They stand beside the library, in a clone of the repository: ``python -m studies``.
"""

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
