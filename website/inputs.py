"""Whether the site that was built is that of the files as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from website.scripts import ROOT

__all__ = ["digest"]

_FOLDERS = ("docs", "examples", "src", "website", "studies", "benchmarks")
_KINDS = {".md", ".py", ".css", ".js", ".svg", ".png", ".csv", ".R", ".txt"}


def digest() -> str:
    """Return a mark that changes with any file that the site is made from."""
    mark = hashlib.sha256()
    for path in _files():
        mark.update(path.relative_to(ROOT).as_posix().encode())
        mark.update(path.read_bytes())
    return mark.hexdigest()


def _files() -> Iterator[Path]:
    yield ROOT / "mkdocs.yml"
    yield from sorted(ROOT.glob("*.md"))
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in _KINDS and path.is_file():
                yield path
