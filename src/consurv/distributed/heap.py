"""Memory that a worker keeps while it is at work."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["TOLD", "keeping_memory"]

# Dask starts its workers with this: what is free beyond so many bytes goes back.
TOLD = "MALLOC_TRIM_THRESHOLD_"
# Options of glibc's mallopt, and what they are while a task is at work: what may be
# free before it goes back, and what a single array may take of it. The latter is the
# last number where nobody says another.
_TRIM, _MAP = -1, -3
_FREE, _ARRAY, _USUAL = 1 << 27, 1 << 24, 1 << 17


@contextmanager
def keeping_memory() -> Iterator[None]:
    """Let memory that comes and goes stay until the end of a task.

    With arrays of some 100 kB that are made and freed all the time, a worker that gives
    each back at once spends two thirds of its time on getting the next one. At the end
    all goes back, and the worker is as it was told to be. Does nothing where nobody
    told it, or where there is no glibc.

    Examples
    --------
    >>> with keeping_memory():
    ...     sum(len(bytes(200_000)) for _ in range(3))
    600000
    """
    free, array = _told(TOLD, _FREE), _told("MALLOC_MMAP_THRESHOLD_", _USUAL)
    libc = _glibc() if free < _FREE else None
    if libc is None:
        yield
        return
    libc.mallopt(_TRIM, _FREE)
    libc.mallopt(_MAP, _ARRAY)
    try:
        yield
    finally:
        libc.mallopt(_TRIM, free)
        libc.mallopt(_MAP, array)
        libc.malloc_trim(0)


def _told(name: str, usual: int) -> int:
    """Return the number that a process was started with, if it is one."""
    told = os.environ.get(name, "")
    return int(told) if told.isdecimal() else usual


def _glibc() -> Any:
    try:
        libc = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library of that kind
        return None
    known = hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim")
    return libc if known else None
