"""One run at a time in a results folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consurv.errors import ConsurvError

__all__ = ["only_run"]


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder as long as the block lasts.

    Two runs would do all the work twice. The system lets go of the lock when the
    process ends, however it ends. Where there are no such locks nothing is kept out.

    Raises
    ------
    ConsurvError
        If a run is at work there.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConsurvError(
                f"another run is at work in {folder}; wait for it, or give another "
                "folder"
            ) from error
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(held)
