"""Pages of the repository, gathered into one folder with links that hold there.

In the repository a page of ``docs/`` links to files anywhere, so that it can be read
there. A site has one root: what such links lead to is staged as well, and they are
written anew.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from website.scripts import ROOT, scripts

__all__ = ["relink", "stage", "staged_path"]

# Pages that have a place of their own.
_PLACES = {
    # As an index it would be the front page of its section, in the menu of none.
    "docs/results/README.md": "results/paper.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
}
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)\s*?$|`[^`\n]*`", re.M | re.S)
# Tables of runs: found by their pages, not by the search.
_RECORD = "---\nsearch:\n  exclude: true\n---\n\n"


def stage(target: Path) -> None:
    """Write all pages and what they link to into *target*, which is emptied."""
    for old in target.glob("*"):
        # The gallery is kept: its examples may be up to date.
        if old.name != "gallery":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    sources = [p for p in (ROOT / "docs").rglob("*") if p.is_file()]
    waiting = sources + [ROOT / name for name in _PLACES]
    done: set[Path] = set()
    while waiting:
        source = waiting.pop()
        if source in done:
            continue
        done.add(source)
        place = target / staged_path(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copy(source, place)
            continue
        text, linked = relink(source.read_text(encoding="utf-8"), source)
        head = _RECORD if _is_record(source) and not text.startswith("---") else ""
        place.write_text(head + text, encoding="utf-8")
        waiting += linked


def staged_path(source: Path) -> Path:
    """Return where a file of the repository stands on the site.

    Examples
    --------
    >>> staged_path(ROOT / "docs" / "method.md").as_posix()
    'method.md'
    >>> staged_path(ROOT / "studies" / "truth" / "results" / "truth.md").as_posix()
    'records/studies/truth/results/truth.md'
    """
    path = source.relative_to(ROOT)
    if path.as_posix() in _PLACES:
        return Path(_PLACES[path.as_posix()])
    if path.parts[0] == "docs":
        return Path(*path.parts[1:])
    if source in scripts():
        return Path("gallery", path.name).with_suffix(".md")
    return Path("records", path)


def relink(text: str, source: Path) -> tuple[str, list[Path]]:
    """Return a page with links that hold on the site, and the files that they need.

    Links to what is not there are left as they are, for the strict build to refuse.
    """
    linked: list[Path] = []
    here = staged_path(source).parent

    def turn(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(source.parent / link[1]))
        if target.is_dir() and (target / "README.md").exists():
            target = target / "README.md"
        if not target.is_file() or not target.is_relative_to(ROOT):
            return link[0]
        place = staged_path(target)
        if place.parts[0] != "gallery":
            linked.append(target)
        return Path(os.path.relpath(place, here)).as_posix() + (link[2] or "")

    parts, end = [], 0
    for code in _FENCE.finditer(text):
        parts += [_LINK.sub(turn, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _LINK.sub(turn, text[end:])]), linked


def _is_record(source: Path) -> bool:
    parts = source.relative_to(ROOT).parts
    in_results = parts[:2] == ("docs", "results") and parts[2:] != ("README.md",)
    return in_results or parts[0] in ("studies", "benchmarks")
