"""Files that are there only when they are whole, whatever kills the writer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from consurv._parts import new_part, remove_leftovers_of

__all__ = ["whole_file", "whole_files", "write_atomically"]


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
    with whole_files(path) as (part,):
        yield part


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[Path]]:
    """Give the paths to write to; all files appear when the block ends well, or none.

    Each is on the disk before the first one gets its name, so that a full disk leaves
    all as they were; if a name cannot be given, those given before are taken back.
    What killed writers of the same files left behind is removed.

    Parameters
    ----------
    *paths : Path
        Their folders must be there.

    Yields
    ------
    list of Path
        What the block has to write, one for each path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a, b = Path(folder) / "a.txt", Path(folder) / "b.txt"
    ...     with whole_files(a, b) as parts:
    ...         for part in parts:
    ...             _ = part.write_text("whole")
    ...         a.exists()
    ...     a.exists(), b.exists()
    False
    (True, True)
    """
    for path in paths:
        remove_leftovers_of(path)
    # Two processes, or two threads of one, may write the same file: the last one wins.
    parts = [new_part(path) for path in paths]
    try:
        yield parts
        for part in parts:
            with part.open("rb+") as file:
                os.fsync(file.fileno())  # on the disk before it gets its name
        _name_all(parts, paths)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _name_all(parts: Sequence[Path], paths: Sequence[Path]) -> None:
    """Give all parts their names; on an error put back what was there before."""
    with ExitStack() as before:
        for part, path in zip(parts[:-1], paths[:-1], strict=True):
            undo = _kept(path, before)
            part.replace(path)
            before.push(undo)
        parts[-1].replace(paths[-1])


def _kept(path: Path, stack: ExitStack) -> Callable[..., None]:
    """Keep what is at *path* as long as the stack; return what puts it back."""
    kept = new_part(path) if path.exists() else None
    if kept is not None:
        stack.callback(kept.unlink, missing_ok=True)
        try:
            os.link(path, kept)
        except OSError:  # a file system without links
            shutil.copy2(path, kept)

    def undo(kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        if kept is None:
            path.unlink(missing_ok=True)
        else:
            kept.replace(path)

    return undo


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
