"""Files that are there only when they are whole, whatever kills the writer."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

__all__ = ["remove_leftovers", "write_atomically"]

_LEFTOVER = re.compile(r"\..+\.(\d+)-\d+\.part")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there once it is on the disk.

    Parameters
    ----------
    path : Path
        Its folder is made if need be.
    content : bytes
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = f"{os.getpid()}-{threading.get_ident()}"
    part = path.with_name(f".{path.name}.{writer}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
