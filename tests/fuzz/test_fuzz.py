"""A part of the fuzzing in every run: some cases of each target, and old findings."""

from pathlib import Path

import pytest

from tests.fuzz.registry import TARGETS
from tests.fuzz.run import try_target

SEEDS = [
    line.split()
    for line in Path(__file__).with_name("seeds.txt").read_text().splitlines()
    if not line.startswith("#")
]
# Those that train or run the command have fewer cases.
SLOW = {"command": 5, "encoder": 15, "features-in-fit": 10, "units": 8}


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_nothing_is_found(name: str) -> None:
    found = try_target(name, 0, SLOW.get(name, 25))
    assert found is None, str(found)


@pytest.mark.parametrize(("name", "number"), SEEDS)
def test_what_was_found_once_is_mended(name: str, number: str) -> None:
    found = try_target(name, int(number), SLOW.get(name, 25))
    assert found is None, str(found)


def test_old_findings_belong_to_targets() -> None:
    assert {name for name, _ in SEEDS} <= set(TARGETS)
