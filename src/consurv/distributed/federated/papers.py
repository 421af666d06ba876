"""Questions and summaries on paper: plain values, versioned, with a checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from consurv._files import write_atomically
from consurv._versions import __version__
from consurv.errors import InvalidInput

__all__ = [
    "Paper",
    "check_seal",
    "digest",
    "read_paper",
    "sealed",
    "usable",
    "write_paper",
]

FORMAT, VERSION = "consurv-federated", 1
Paper = Mapping[str, Any]


def sealed(**content: Any) -> dict[str, Any]:
    """Return content that says what it is and can be told from any other.

    Examples
    --------
    >>> paper = sealed(round=1)
    >>> check_seal(paper, "question-1.json")["round"]
    1
    >>> check_seal(paper | {"round": 2}, "question-1.json")
    Traceback (most recent call last):
    ...
    consurv.errors.InvalidInput: question-1.json was changed or damaged: its checksum \
is wrong
    """
    paper = {"format": FORMAT, "version": VERSION, **content}
    return paper | {"checksum": _checksum(paper)}


def check_seal(paper: Any, name: str) -> Paper:
    """Return a paper that is whole; *name* is for messages."""
    if not isinstance(paper, Mapping) or paper.get("format") != FORMAT:
        raise InvalidInput(f"{name} is no question or summary of `consurv federate`")
    if paper.get("version") != VERSION:
        raise InvalidInput(
            f"{name} has version {paper.get('version')!r}, and this consurv "
            f"{__version__} reads {VERSION}; all sites need the same"
        )
    rest = {key: value for key, value in paper.items() if key != "checksum"}
    if paper.get("checksum") != _checksum(rest):
        raise InvalidInput(f"{name} was changed or damaged: its checksum is wrong")
    return paper


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def read_paper(path: Path) -> Paper:
    """Return the question or summary in a file."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is damaged: it is no JSON") from error
    return check_seal(content, str(path))


def write_paper(path: Path, paper: Paper) -> None:
    """Write a question or summary; it appears whole or not at all."""
    write_atomically(path, json.dumps(paper, allow_nan=False, sort_keys=True) + "\n")


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Say in one line that something in a paper is not as it must be."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{name} cannot be used: {error}") from error
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} cannot be used: {type(error).__name__} {error}"
        ) from error


def _checksum(paper: Paper) -> str:
    try:
        text = json.dumps(paper, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"it holds what is not plain: {error}") from error
    return hashlib.sha256(text.encode()).hexdigest()
