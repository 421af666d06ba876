"""What conformalizing costs: seconds over repeated runs, and peak memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

__all__ = ["peak_memory", "seconds_of"]

_REPEATS = 3


def seconds_of(work: Callable[[], Any]) -> float:
    """Return the median seconds of three runs, after one that does not count.

    Examples
    --------
    >>> seconds_of(lambda: sum(range(10))) < 1
    True
    """
    work()
    taken = []
    for _ in range(_REPEATS):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return median(taken)


def peak_memory(work: Callable[[], Any]) -> int:
    """Return the most bytes that Python and numpy held at once beyond the start.

    Examples
    --------
    >>> peak_memory(lambda: bytearray(10**6)) >= 10**6
    True
    """
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
