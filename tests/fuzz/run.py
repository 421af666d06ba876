"""Runs targets on many drawn cases, and says what was found and how to see it again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import tests.fuzz.targets
from tests.fuzz.oracle import Finding
from tests.fuzz.registry import TARGETS, Draw

__all__ = ["Found", "fuzz", "try_target"]

assert tests.fuzz.targets  # importing them registers them


@dataclass(frozen=True)
class Found:
    """A fault, smallest case first, and the seed that leads to it."""

    target: str
    seed: int
    n_cases: int
    finding: Finding

    def __str__(self) -> str:
        return f"{self.target} {self.seed} {self.n_cases}: {self.finding}"


def try_target(name: str, number: int, n_cases: int) -> Found | None:
    """Judge cases that a seed draws; return what was found, if anything was."""

    @seed(number)
    @settings(
        max_examples=n_cases,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        draw: Draw = lambda strategy: data.draw(strategy)  # noqa: E731
        TARGETS[name](draw)

    try:
        run()
    except Finding as finding:
        return Found(name, number, n_cases, finding)
    return None


def fuzz(
    names: Sequence[str], seconds: float, first: int = 0, n_cases: int = 100
) -> Iterator[Found | None]:
    """Go round the targets with seed after seed until the time is up."""
    end = time.monotonic() + seconds
    number = first
    while time.monotonic() < end:
        for name in names:
            if time.monotonic() > end:
                return
            yield try_target(name, number, n_cases)
        number += 1
