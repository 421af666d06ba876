"""Picture."""

from pathlib import Path
from studies.bounds.run import Records

__all__ = ["draw"]


def draw(records: Records, path: Path) -> None:
    """x."""
