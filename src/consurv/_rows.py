"""Row numbers in messages: those of the user's table, also where it comes in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["counting_from", "row_number"]

_first: ContextVar[int] = ContextVar("first", default=0)


@contextmanager
def counting_from(start: int) -> Iterator[None]:
    """Say that what is looked at begins at row *start* of what was looked at before.

    Examples
    --------
    >>> with counting_from(2048), counting_from(64):
    ...     row_number(3)
    2115
    """
    token = _first.set(_first.get() + start)
    try:
        yield
    finally:
        _first.reset(token)


def row_number(row: Any) -> int:
    """Return the number of a row of a chunk in the user's table."""
    return _first.get() + int(row)
