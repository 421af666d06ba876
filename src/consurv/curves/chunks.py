"""Curves of many rows, predicted a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from consurv._rows import counting_from
from consurv.curves.curves import SurvivalCurves

__all__ = ["CHUNK_ROWS", "CHUNK_SUBJECTS", "in_chunks", "row_chunks"]

# Rows predicted at once, if their curves are not long.
CHUNK_ROWS = 2048
# Survival values predicted at once (32 MB), so that long curves come in fewer rows.
_CHUNK_VALUES = 2**22
# Rows of curves that are held as a few numbers each: what is read off them may be
# more, so that a chunk of it is small beside the whole.
CHUNK_SUBJECTS = 2**15
# So few rows are predicted at once without a look at the length of their curves.
_FEW_ROWS = 64
# Rows predicted only to see that length.
_SHOWN_ROWS = 4


def row_chunks(n: int, size: int) -> Iterator[slice]:
    """Cut *n* rows into slices of *size* rows; the last may be shorter.

    Examples
    --------
    >>> list(row_chunks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def in_chunks(
    predict: Callable[[slice], SurvivalCurves],
    n: int,
    max_rows: int = CHUNK_ROWS,
    max_subjects: int = CHUNK_SUBJECTS,
) -> Iterator[tuple[slice, SurvivalCurves]]:
    """Yield slices of *n* rows and their curves, one chunk after the other.

    A chunk of tables has at most *max_rows* rows, and fewer if they would hold more
    than 2²² survival values. Curves that are no tables are a few numbers for each
    subject, however many times they drop at: a chunk has *max_subjects* rows. To see
    how long the curves are, the first four rows are predicted once more; 64 rows or
    fewer come without that look.

    Parameters
    ----------
    predict : callable
        Returns the curves of a slice of rows.
    n : int
    max_rows, max_subjects : int

    Examples
    --------
    >>> import numpy as np
    >>> times = np.arange(1.0, 2**16)
    >>> def predict(rows):
    ...     survival = np.broadcast_to(1 / times, (rows.stop - rows.start, len(times)))
    ...     return SurvivalCurves(times, survival)
    >>> [len(curves) for _, curves in in_chunks(predict, 150)]
    [64, 64, 22]
    """
    size = max_rows
    if n > _FEW_ROWS:
        size = _chunk_size(predict, max_rows, max_subjects)
    for rows in row_chunks(n, size):
        with counting_from(rows.start):
            curves = predict(rows)
        yield rows, curves


def _chunk_size(
    predict: Callable[[slice], SurvivalCurves], max_rows: int, max_subjects: int
) -> int:
    try:
        shown = predict(slice(0, _SHOWN_ROWS))._form
    except Exception:
        # A model may fail on few rows alone; and if it fails on all, the message is to
        # speak of the rows that the user gave.
        return max_rows
    fitting = max(1, _CHUNK_VALUES // shown.n_nodes)
    return min(max_rows, fitting) if shown.is_table else max_subjects
