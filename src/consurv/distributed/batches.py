"""Arrow batches with what was predicted of their rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from consurv.conformal.reading.elsewhere import Columns

__all__ = ["BATCH_ROWS", "extended", "with_columns"]

# Rows that are read and predicted at once.
BATCH_ROWS = 1 << 13


def with_columns(batch: Any, columns: Columns) -> Any:
    """Return a batch with columns of predictions after its own, which stay as they are.

    Examples
    --------
    >>> double = Columns(["b"], ["a"], lambda X: 2.0 * X.to_numpy())
    >>> with_columns(pa.RecordBatch.from_pydict({"a": [1.5]}), double).to_pydict()
    {'a': [1.5], 'b': [3.0]}
    """
    rows = batch.select(columns.features).to_pandas(ignore_metadata=True)
    values = columns(rows)
    more = [pa.array(column, pa.float64()) for column in values.T]
    schema = extended(batch.schema, columns)
    return pa.RecordBatch.from_arrays([*batch.columns, *more], schema=schema)


def extended(schema: Any, columns: Columns) -> Any:
    """Return the schema of a table with columns of predictions."""
    return pa.schema([*schema, *(pa.field(n, pa.float64()) for n in columns.names)])
