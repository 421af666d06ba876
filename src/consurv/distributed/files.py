"""Parquet files by name, opened one after the other; what cannot be read is named."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from consurv._features import check_no_repeats
from consurv.errors import InvalidInput

__all__ = ["Source", "found_files", "open_source", "own_columns"]

# Bytes of a column of a file that are read at once.
_BUFFER = 1 << 16
# Little is read ahead: it would be held.
_LITTLE_AHEAD = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}

# What pyarrow says of numbers of a type that would become another.
_NO_FIT = "truncated converting", "not in range"


class Source(Protocol):
    """Batches of rows.

    Attributes
    ----------
    schema : pyarrow Schema
    """

    schema: Any

    def n_rows(self, names: list[Any]) -> int:
        """Return how many rows there are, 0 if nobody knows."""

    def batches(self, names: list[Any], size: int) -> Iterator[tuple[str, Any]]:
        """Yield where rows are, for messages, and the rows, some columns of them."""


def open_source(X: Any) -> Source:
    """Return what gives batches of paths, a Dataset, a Scanner or a reader."""
    if isinstance(X, pads.Scanner):
        X = X.to_reader()
    if isinstance(X, pa.RecordBatchReader):
        return _Stream(X)
    if isinstance(X, pads.Dataset):
        try:
            return _Files(list(X.get_fragments()), X.schema)
        except ValueError:  # it is filtered, and does not say by what
            return _Filtered(X)
    files = found_files(X)
    folder = os.fspath(X) if isinstance(X, str | os.PathLike) else ""
    # Columns may stand in the names of folders, such as site=3, as elsewhere.
    hive = {"partitioning": "hive", "partition_base_dir": folder}
    with _readable(files[0]):
        known = pads.dataset(
            files, format="parquet", **hive if os.path.isdir(folder) else {}
        )
    fragments = list(known.get_fragments())
    return _Files(fragments, _typed(known.schema, fragments))


def _typed(schema: Any, fragments: list[Any]) -> Any:
    """Return the schema of the first file, with types that only others know.

    A file without rows may not say of what type its columns are.
    """
    for fragment in fragments:
        unknown = [f.name for f in schema if pa.types.is_null(f.type)]
        if not unknown:
            break
        with _readable(_path(fragment)):
            given = fragment.physical_schema
        for name in set(unknown) & set(given.names):
            schema = schema.set(schema.get_field_index(name), given.field(name))
    return schema


def found_files(X: Any) -> list[str]:
    """Return the files that a path, a pattern, a folder or a list of them names.

    Raises
    ------
    InvalidInput
        If there is none.

    Examples
    --------
    >>> found_files("no/such/*.parquet")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: no file is called 'no/such/*.parquet'; give names of \
Parquet files, a folder or a pattern
    """
    given = [X] if isinstance(X, str | os.PathLike) else list(X)
    return [name for path in given for name in _found(os.fspath(path))]


def _found(path: str) -> list[str]:
    if os.path.isdir(path):
        inside = [p for p in Path(path).rglob("*") if p.suffix in (".parquet", ".pq")]
        found = sorted(str(p) for p in inside if not p.name.startswith((".", "_")))
    elif os.path.exists(path):
        found = [path]
    else:
        found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise InvalidInput(
            f"no file is called {path!r}; give names of Parquet files, a folder or a "
            "pattern"
        )
    return found


def own_columns(schema: Any) -> list[str]:
    """Return the names of columns, without what pandas wrote as names of rows."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name not in index]


class _Files:
    """Files of one schema, that of the first."""

    def __init__(self, fragments: list[Any], schema: Any) -> None:
        self._fragments, self.schema = fragments, schema
        check_no_repeats(schema.names, _path(fragments[0]) if fragments else "X")

    def n_rows(self, names: list[Any]) -> int:
        """Return how many rows there are, from the ends of the files."""
        n = 0
        for fragment in self._fragments:
            with _readable(_path(fragment)):
                self._check(fragment, names)
                n += fragment.count_rows()
        return n

    def batches(self, names: list[Any], size: int) -> Iterator[tuple[str, Any]]:
        """Yield batches of one file after the other."""
        for fragment in self._fragments:
            path, start = _path(fragment), 0
            with _readable(path):
                self._check(fragment, names)
                wanted = pa.schema([self.schema.field(name) for name in names])
                for batch in _batches(fragment, wanted, self.schema, size):
                    place = path if not start else f"{path}, rows from {start} on"
                    yield place, batch
                    start += batch.num_rows

    def _check(self, fragment: Any, names: list[Any]) -> None:
        """Refuse a file whose columns are others than those of the first."""
        given = fragment.physical_schema
        folders = pads.get_partition_keys(fragment.partition_expression)
        for name in names:
            wanted = self.schema.field(name).type
            i = given.get_field_index(name)
            if i < 0 and name in folders:
                continue
            if i < 0:
                raise InvalidInput(
                    f"{_path(fragment)} lacks the column {name!r}, which "
                    f"{_path(self._fragments[0])} has"
                )
            if _kind(given.field(i).type) not in (_kind(wanted), "null"):
                raise InvalidInput(
                    f"{_path(fragment)} has another schema: its column {name!r} is "
                    f"{given.field(i).type}, and {wanted} in "
                    f"{_path(self._fragments[0])}"
                )


def _batches(fragment: Any, wanted: Any, schema: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a file, page by page where it is as it should be.

    What the scanner of a dataset can do more, it does with a whole row group in memory.
    """
    file = _paged(fragment, wanted)
    if file is not None:
        with file:
            names = wanted.names
            for batch in file.iter_batches(size, columns=names, use_threads=False):
                yield batch.select(names)
        return
    how = None
    if isinstance(fragment, pads.ParquetFileFragment):
        how = pads.ParquetFragmentScanOptions(
            use_buffered_stream=True, pre_buffer=False
        )
    yield from fragment.to_batches(
        schema=schema,
        columns=wanted.names,
        batch_size=size,
        fragment_scan_options=how,
        **_LITTLE_AHEAD,
    )


def _paged(fragment: Any, wanted: Any) -> Any:
    """Return a whole Parquet file whose columns are of the types that are wanted."""
    if not isinstance(fragment, pads.ParquetFileFragment):
        return None
    file = pq.ParquetFile(fragment.open(), buffer_size=_BUFFER, pre_buffer=False)
    given = file.schema_arrow
    here = all(given.get_field_index(name) >= 0 for name in wanted.names)
    alike = here and all(given.field(f.name).type == f.type for f in wanted)
    if alike and fragment.num_row_groups == file.num_row_groups:
        return file
    file.close(force=True)
    return None


class _Filtered:
    """Some of the rows of a Dataset."""

    def __init__(self, dataset: Any) -> None:
        self._dataset, self.schema = dataset, dataset.schema

    def n_rows(self, names: list[Any]) -> int:
        return int(self._dataset.count_rows())

    def batches(self, names: list[Any], size: int) -> Iterator[tuple[str, Any]]:
        start = 0
        for batch in self._dataset.to_batches(
            columns=names, batch_size=size, **_LITTLE_AHEAD
        ):
            yield f"X, rows from {start} on", batch
            start += batch.num_rows


class _Stream:
    """Batches that come once."""

    def __init__(self, reader: Any) -> None:
        self._reader, self.schema = reader, reader.schema

    def n_rows(self, names: list[Any]) -> int:
        return 0

    def batches(self, names: list[Any], size: int) -> Iterator[tuple[str, Any]]:
        start = 0
        for batch in self._reader:
            yield f"X, rows from {start} on", batch.select(names)
            start += batch.num_rows


def _path(fragment: Any) -> str:
    return str(getattr(fragment, "path", "X"))


def _kind(kind: Any) -> str:
    """Return what a type is to those who do not mind how many bits it has."""
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    texts = (types.is_string, types.is_large_string, types.is_dictionary)
    return "text" if any(is_text(kind) for is_text in texts) else str(kind)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except InvalidInput:
        raise
    except (pa.ArrowException, OSError) as error:
        words = " ".join(str(error).split())
        if any(said in words for said in _NO_FIT):
            raise InvalidInput(
                f"{path} has numbers that the types of the first file cannot hold: "
                f"{words}; write all files with the same types"
            ) from error
        raise InvalidInput(f"{path} cannot be read as Parquet: {words}") from error
