"""Files that are there only when they are whole, whatever kills the writer."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole_file", "write_atomically"]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the path to write to; the file appears at *path* when the block ends well.

    Until then it is beside its place, as a hidden file whose name ends in .part; on any
    error it is removed and what was at *path* stays.

    Parameters
    ----------
    path : Path
        Its folder must be there.

    Yields
    ------
    Path
        What the block has to write, with any means; the permissions are those of any
        other new file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "table.txt"
    ...     with whole_file(target) as part:
    ...         _ = part.write_text("whole")
    ...     target.read_text()
    'whole'
    """
    # Two processes, or two threads of one, may write the same file: the last one wins.
    writer = f"{os.getpid()}-{threading.get_ident()}"
    part = path.with_name(f".{path.name}.{writer}.part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())  # on the disk before it gets its name
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write a whole file at once; text becomes UTF-8 with its line ends as they are.

    Parameters
    ----------
    path : Path
        Its folder must be there.
    content : bytes or str
    """
    data = content.encode() if isinstance(content, str) else content
    with whole_file(path) as part:
        part.write_bytes(data)
