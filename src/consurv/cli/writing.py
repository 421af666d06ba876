"""Result tables on disk: written in pieces, there only when they are whole."""

from __future__ import annotations

import gzip
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import pandas as pd

from consurv._files import whole_files
from consurv.datasets.table import table_suffix
from consurv.errors import InvalidInput, MissingDependency

__all__ = [
    "TableWriter",
    "beside",
    "check_place",
    "check_writable",
    "is_report",
    "writing",
    "writing_all",
]


# What a report that consurv wrote has near its beginning.
_REPORT_MARK, _HEAD = b'<meta name="generator" content="consurv ', 4096


class TableWriter(ABC):
    """Takes a table in pieces that have the same columns."""

    @abstractmethod
    def write(self, frame: pd.DataFrame) -> None:
        """Append rows."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


class CsvWriter(TableWriter):
    """A CSV file, compressed if its name ends in .gz."""

    def __init__(self, path: Path, suffix: str) -> None:
        opener = gzip.open if suffix.endswith(".gz") else open
        self._file: IO[str] = opener(path, "wt", encoding="utf-8", newline="")
        self._header = True

    def write(self, frame: pd.DataFrame) -> None:
        """Append rows."""
        frame.to_csv(self._file, header=self._header, index=False)
        self._header = False

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class ParquetWriter(TableWriter):
    """A Parquet file."""

    def __init__(self, path: Path, suffix: str) -> None:
        self._path = path
        self._writer: Any = None

    def write(self, frame: pd.DataFrame) -> None:
        """Append rows."""
        import pyarrow as pa
        from pyarrow import parquet

        schema = None if self._writer is None else self._writer.schema
        table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()


_WRITERS: dict[str, type[CsvWriter] | type[ParquetWriter]] = {
    ".csv": CsvWriter,
    ".csv.gz": CsvWriter,
    ".parquet": ParquetWriter,
    ".pq": ParquetWriter,
}


@contextmanager
def writing(path: Path) -> Iterator[TableWriter]:
    """Open a table for writing; the file appears when the block ends well.

    On any error what was there before stays.
    """
    with writing_all(path) as (writer,):
        yield writer


@contextmanager
def writing_all(*paths: Path) -> Iterator[list[TableWriter]]:
    """Open tables for writing; all files appear when the block ends well, or none."""
    suffixes = [table_suffix(path) for path in paths]
    # All are closed, which may fill the disk, before the first file appears.
    with whole_files(*paths) as parts, ExitStack() as closing:
        writers: list[TableWriter] = []
        for part, suffix in zip(parts, suffixes, strict=True):
            writers.append(_WRITERS[suffix](part, suffix))
            closing.callback(writers[-1].close)
        yield writers


def beside(path: Path, word: str) -> Path:
    """Return the path of a companion: curves.parquet -> curves.<word>.parquet."""
    suffix = table_suffix(path)
    return path.with_name(f"{path.name[: -len(suffix)]}.{word}{suffix}")


def check_writable(path: Path, *, inputs: list[Path], force: bool) -> None:
    """Refuse a table that cannot or should not be written, before work begins."""
    suffix = table_suffix(path)
    if _WRITERS[suffix] is ParquetWriter:
        _check_pyarrow()
    check_place(path, inputs=inputs, force=force)


def check_place(path: Path, *, inputs: list[Path], force: bool) -> None:
    """Refuse a place where no file can or should be written."""
    if not path.parent.is_dir():
        raise InvalidInput(f"the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; give the name of a file")
    if path.resolve() in [given.resolve() for given in inputs]:
        raise InvalidInput(f"{path} is an input; write the results to another file")
    if path.exists() and not force:
        raise InvalidInput(f"{path} exists already; give another name or --force")


def is_report(path: Path) -> bool:
    """Say whether a file is a report that consurv wrote, which may be replaced."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _REPORT_MARK in file.read(_HEAD)


def _check_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingDependency("pyarrow", "cli") from error
