"""Records on disk: one JSON file per cell, there only when it is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consurv.errors import ConsurvError
from studies.files import write_atomically
from studies.schema import WrongPart, check_record

__all__ = [
    "FORMAT",
    "VERSION",
    "CorruptRecord",
    "Record",
    "StoredRecords",
    "read_record",
    "read_records",
    "record_path",
    "status_of",
    "write_record",
]

Record = dict[str, Any]

FORMAT, VERSION = "consurv-record", 1
_LARGEST = 2**26  # bytes; real ones have some thousand
_KEYS = ("study", "dataset", "model", "seed", "status", "variants")


class CorruptRecord(ConsurvError, ValueError):  # noqa: N818  (reads as a sentence)
    """A file is not a record, or not the one that was written."""


@dataclass(frozen=True)
class StoredRecords:
    """What a results folder holds.

    Attributes
    ----------
    records : list of dict
        In the order of their paths.
    corrupt : list of Path
        Files that cannot be used; the next run makes their cells anew.
    """

    records: list[Record]
    corrupt: list[Path]


def record_path(folder: Path, study: str, dataset: str, model: str, seed: int) -> Path:
    """Return where the record of a cell lies.

    Examples
    --------
    >>> record_path(Path("results"), "main", "PBC", "deephit", 0).as_posix()
    'results/records/main/PBC/deephit/0.json'
    """
    return folder / "records" / study / dataset / model / f"{seed}.json"


def status_of(record: Record) -> str:
    """Return the status of a record; a variant that failed counts as a failure.

    Examples
    --------
    >>> status_of({"status": "done", "variants": [{"status": "failed"}]})
    'failed'
    """
    broken = any(variant["status"] != "done" for variant in record["variants"])
    return "failed" if broken else str(record["status"])


def write_record(folder: Path, record: Record) -> Path:
    """Write a record so that no reader ever sees half of it.

    Parameters
    ----------
    folder : Path
        The results folder.
    record : dict
        Floats are finite: what is not a number is None.
    """
    names = (record["study"], record["dataset"], record["model"], record["seed"])
    path = record_path(folder, *names)
    whole = {**record, "checksum": _checksum(record)}
    text = json.dumps(whole, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())
    return path


def read_record(path: Path) -> Record:
    """Read a record.

    Raises
    ------
    CorruptRecord
        If the file does not hold the record that was written.
    """
    record = _parsed(path)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise CorruptRecord(f"{path} is not a record of an experiment; remove it")
    if record.get("version") != VERSION:
        raise CorruptRecord(
            f"{path} has version {record.get('version')!r}; this is for {VERSION}"
        )
    missing = [key for key in (*_KEYS, "checksum") if key not in record]
    if missing:
        raise CorruptRecord(f"{path} lacks {', '.join(missing)}")
    if record.pop("checksum") != _checksum(record):
        raise CorruptRecord(
            f"{path} was changed since it was written; remove it, a run makes it anew"
        )
    try:
        check_record(record)
    except WrongPart as error:
        raise CorruptRecord(f"{path} holds what no record does: {error}") from error
    return record


def _parsed(path: Path) -> Any:
    try:
        if not path.is_file() and path.exists():  # a pipe would be waited for
            raise CorruptRecord(f"{path} is not a file")
        if path.stat().st_size > _LARGEST:
            raise CorruptRecord(f"{path} is larger than any record")
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except CorruptRecord:
        raise
    except (ValueError, OSError, RecursionError) as error:
        raise CorruptRecord(f"{path} is not a whole JSON file: {error}") from error


def read_records(folder: Path) -> StoredRecords:
    """Read every record of a results folder.

    Parameters
    ----------
    folder : Path
        The results folder.
    """
    records, corrupt = [], []
    for path in _paths(folder):
        try:
            record = read_record(path)
        except (CorruptRecord, FileNotFoundError):  # or a link to nothing
            corrupt.append(path)
            continue
        names = (record["study"], record["dataset"], record["model"], record["seed"])
        if record_path(folder, *names) == path:
            records.append(record)
        else:  # it speaks of another cell, which may have a record of its own
            corrupt.append(path)
    return StoredRecords(records, corrupt)


def _paths(folder: Path) -> Iterator[Path]:
    yield from sorted((folder / "records").glob("*/*/*/[0-9]*.json"))


def _checksum(record: Record) -> str:
    text = json.dumps(record, sort_keys=True, ensure_ascii=False)
    # Half a character in a crafted file must not be an error of ours.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]
