"""Time and memory of contestants that take turns."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = ["Times", "peak_memory", "race"]


@dataclass
class Times:
    """Seconds of every round of one contestant."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """CPU seconds of the best round."""
        return min(self.cpu)

    def over(self, other: Times) -> tuple[float, float]:
        """Return how many times longer than *other*: best, median CPU time."""
        medians = statistics.median(self.cpu), statistics.median(other.cpu)
        return self.best / other.best, medians[0] / medians[1]


def race(
    contestants: Mapping[str, Callable[[], object]], rounds: int
) -> dict[str, Times]:
    """Run all contestants in turn, round by round, so that noise hits all alike.

    CPU time is what counts, because other work may run on the machine; with one
    thread it is the wall time of a quiet one. A first round to warm up is not counted.
    """
    times = {name: Times() for name in contestants}
    gc.freeze()  # what is there already need not be looked through in every round
    for turn in range(rounds + 1):
        gc.collect()
        for name, call in contestants.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            if turn:
                times[name].cpu.append(cpu)
                times[name].wall.append(wall)
    gc.unfreeze()
    return times


def peak_memory(call: Callable[[], object]) -> int:
    """Return the bytes allocated at the peak above what was held before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
