"""The experiments of the paper: studies, their records, tables and figures."""

from consurv.experiments.config import StudyConfig
from consurv.experiments.records import StoredRecords, read_record, read_records
from consurv.experiments.runner import Observer, RunResult, run
from consurv.experiments.toml import read_config

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
