"""Files of the small studies: known by how they begin, and read with a check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from consurv.errors import InvalidInput

__all__ = ["check_owned", "read_json"]

_HEAD = 200


def read_json(path: Path, fits: Callable[[Any], bool]) -> Any:
    """Return what a JSON file holds, or say in one line that a study did not write it.

    Parameters
    ----------
    path : Path
    fits : callable
        Says whether what was read has the form that the study writes; whatever it
        raises means no.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     _ = Path(place, "a.json").write_text("[1]")
    ...     read_json(Path(place, "a.json"), lambda found: found == [1])
    [1]
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        right = fits(found)
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError,
            TypeError, ValueError) as error:  # fmt: skip
        raise InvalidInput(
            f"{path} is no result of this study ({type(error).__name__}); remove it"
        ) from error
    if not right:
        raise InvalidInput(
            f"{path} has another form than this study writes; remove it, or give "
            "another folder"
        )
    return found


def check_owned(
    path: Path, opening: str, *, beside: Sequence[str] = (), force: bool = False
) -> None:
    r"""Refuse to replace a page that the study did not write.

    Parameters
    ----------
    path : Path
        Need not exist.
    opening : str
        Regular expression of how a page of the study begins.
    beside : sequence of str
        Names of files that are written with the page: without it they are foreign.
    force : bool
        Let it be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     page = Path(place, "harm.md")
    ...     _ = page.write_text("12 cells")
    ...     check_owned(page, r"\d+ cells")
    """
    if force:
        return
    if not (path.exists() or path.is_symlink()):
        others = [path.with_name(name) for name in beside]
        foreign = next((p for p in others if p.exists() or p.is_symlink()), None)
        if foreign is not None:
            raise InvalidInput(
                f"{foreign} was not written by this study and would be replaced; give "
                "another folder or --force"
            )
        return
    head = ""
    if path.is_file():
        with path.open("rb") as file:
            head = file.read(_HEAD).decode(errors="replace")
    if not re.match(opening, head):
        raise InvalidInput(
            f"{path} was not written by this study and would be replaced; give another "
            "folder or --force"
        )
