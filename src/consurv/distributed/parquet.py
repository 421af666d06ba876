"""Parquet files and other streams of Arrow batches, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa

from consurv._progress import steps
from consurv.conformal.parts.partitions import Partitions
from consurv.conformal.reading.elsewhere import BlockReader, Columns
from consurv.distributed.batches import BATCH_ROWS, extended, with_columns
from consurv.distributed.files import Source, open_source, own_columns
from consurv.distributed.frame import Frame, gathered
from consurv.distributed.spill import Spilled
from consurv.errors import ConsurvError

__all__ = ["FRAME", "ParquetFrame"]


class ParquetFrame(Frame):
    """Files, or anything else that gives batches of rows.

    Parameters
    ----------
    X : path, pattern, list of paths, pyarrow Dataset or RecordBatchReader

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pd.DataFrame({"a": [1.0]}).to_parquet(f"{folder}/x.parquet")
    ...     ParquetFrame(f"{folder}/*.parquet").names
    ['a']
    """

    def __init__(self, X: Any) -> None:
        self._source: Source = open_source(X)
        self.names = own_columns(self._source.schema)

    @contextmanager
    def subjects(self, read: BlockReader, *, verbose: bool) -> Iterator[Partitions]:
        """Give the rows, with what is read of them in a temporary folder."""
        blocks = partial(self._blocks, read, verbose)
        with Spilled(read.levels, lambda: gathered(blocks())) as subjects:
            yield subjects

    def _blocks(self, read: BlockReader, verbose: bool) -> Iterator[Any]:
        total = self._source.n_rows(read.names)
        with steps("rows predicted", total, verbose) as advance:
            for place, batch in self._source.batches(read.names, BATCH_ROWS):
                with _named(place):
                    yield read(batch.to_pandas(ignore_metadata=True))
                advance(batch.num_rows)
        pa.default_memory_pool().release_unused()  # it would be held to the end

    def with_columns(self, columns: Columns) -> Any:
        """Return a RecordBatchReader; rows are predicted as they are read."""
        schema = self._source.schema

        def predicted() -> Iterator[Any]:
            for place, batch in self._source.batches(schema.names, BATCH_ROWS):
                with _named(place):
                    more = with_columns(batch, columns)
                yield more

        return pa.RecordBatchReader.from_batches(extended(schema, columns), predicted())


@contextmanager
def _named(place: str) -> Iterator[None]:
    """Say where the rows are that are refused."""
    try:
        yield
    except ConsurvError as error:
        raise type(error)(f"{place}: {error}") from error


FRAME = ParquetFrame
