"""Files that are there only when they are whole, whatever kills the writer."""

from __future__ import annotations

from pathlib import Path

from consurv import _files
from consurv._parts import remove_leftovers

__all__ = ["remove_leftovers", "write_atomically"]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that appears when it is whole; its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _files.write_atomically(path, content)
