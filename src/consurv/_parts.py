"""Names of files that are still being written, and what killed writers left."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import threading
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["new_part", "remove_leftovers", "remove_leftovers_of"]

_PART = re.compile(
    r"\.(?P<name>.+)\.(?P<pid>\d+)-\d+(-(?P<host>[0-9a-f]{8})-[0-9a-f]{8})?\.part",
    re.DOTALL,
)
# Nobody writes at one file for a day without writing to it.
_DAY = 24 * 60 * 60


def new_part(path: Path) -> Path:
    """Return a hidden name beside *path* that nobody else has or can foresee.

    Examples
    --------
    >>> part = new_part(Path("folder", "table.csv"))
    >>> part.parent.name, part.name[:11], part.suffix
    ('folder', '.table.csv.', '.part')
    """
    writer = f"{os.getpid()}-{threading.get_ident()}-{_host()}-{secrets.token_hex(4)}"
    return path.with_name(f".{path.name}.{writer}.part")


def remove_leftovers_of(path: Path) -> int:
    """Remove what writers of one file that were killed left beside it."""
    beginning = f".{path.name}."
    try:
        there = [p for p in path.parent.iterdir() if p.name.startswith(beginning)]
    except OSError:  # who writes there will say it better
        return 0
    return _remove(there, path.name)


def remove_leftovers(folder: Path) -> int:
    """Remove what writers that were killed left behind; return how many files.

    Parameters
    ----------
    folder : Path
        Looked through with all folders below it.
    """
    return _remove(folder.rglob(".*.part"))


def _remove(paths: Iterable[Path], name: str | None = None) -> int:
    removed = 0
    for path in paths:
        found = _PART.fullmatch(path.name)
        if found and name in (None, found["name"]) and _is_stale(path, found):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _is_stale(path: Path, found: re.Match[str]) -> bool:
    try:
        old = time.time() - path.lstat().st_mtime > _DAY
    except OSError:  # it has got its name meanwhile
        return False
    # A number of a process says nothing about one on another machine.
    here = found["host"] in (None, _host()) and os.name == "posix"
    return old or (here and not _is_running(int(found["pid"])))


def _host() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
