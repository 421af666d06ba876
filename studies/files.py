"""Files that are there only when they are whole, whatever kills the writer."""

from __future__ import annotations

import os
import re
from pathlib import Path

from consurv import _files

__all__ = ["remove_leftovers", "write_atomically"]

_LEFTOVER = re.compile(r"\..+\.(\d+)-\d+\.part")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that appears when it is whole; its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _files.write_atomically(path, content)


def remove_leftovers(folder: Path) -> int:
    """Remove what writers that were killed left behind; return how many files.

    Parameters
    ----------
    folder : Path
        Looked through with all folders below it.
    """
    removed = 0
    for path in folder.rglob(".*.part"):
        found = _LEFTOVER.fullmatch(path.name)
        if found and not _is_running(int(found.group(1))):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
