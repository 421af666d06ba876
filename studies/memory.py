"""How much memory something takes: of the process, or of Python and numpy alone."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["PeakMemory", "peak_memory"]


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


class PeakMemory:
    """By how many bytes the memory of this process grew at most inside a block.

    Known on Linux alone; elsewhere ``growth`` is None.

    Examples
    --------
    >>> with PeakMemory() as memory:
    ...     _ = b"x" * 50_000_000
    >>> memory.growth is None or memory.growth >= 0
    True
    """

    growth: int | None = None

    def __enter__(self) -> PeakMemory:
        try:
            Path("/proc/self/clear_refs").write_text("5")  # forget the last peak
            self._before = _status("VmRSS")
        except OSError:
            self._before = None
        return self

    def __exit__(self, *exc: object) -> None:
        if self._before is not None:
            peak = _status("VmHWM")
            self.growth = None if peak is None else max(peak - self._before, 0)


def _status(name: str) -> int | None:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return None
