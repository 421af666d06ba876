"""What is wrong with built pages: dead links, and anything from another machine."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["faults"]

_LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src"}
_LOADED_LINKS = ("stylesheet", "icon", "preload", "preconnect", "modulepreload")


class _Page(HTMLParser):
    """What a page has to be checked for: ids, links, what it loads, its pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.wordless: list[str] = []
        self.starred: list[str] = []
        self._emphasised = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.update(given[name] for name in ("id", "name") if name in given)
        self._emphasised = tag == "em"
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt", "").strip():
            self.wordless.append(given.get("src", ""))
        if tag in _LOADED and _LOADED[tag] in given:
            self.loaded.append(given[_LOADED[tag]])
        if tag == "link" and set(given.get("rel", "").split()) & set(_LOADED_LINKS):
            self.loaded.append(given.get("href", ""))

    def handle_data(self, data: str) -> None:
        """Note what became emphasis though its stars are symbols, as in q(ρ*|x)."""
        if self._emphasised and data[:1] in tuple("|),.;:="):
            self.starred.append(data)
        self._emphasised = False


def faults(site: Path) -> list[str]:
    """Return a line for each fault of the pages below *site*."""
    paths = [p for p in sorted(site.rglob("*.html")) if p.name != "404.html"]
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in paths}
    found: list[str] = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: no alt text for {src}" for src in page.wordless]
        found += [f"{name}: stars make emphasis of {words}" for words in page.starred]
        for target in page.loaded:
            if urlsplit(target).netloc:
                found.append(f"{name}: loads {target} from another machine")
        found += [f"{name}: {fault}" for fault in _dead(path, page, pages)]
    return found


def _dead(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for target in dict.fromkeys([*page.links, *page.loaded]):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if file.is_dir():
            file = file / "index.html"
        if not file.exists():
            yield f"{target} leads nowhere"
        elif file in pages and not _has(pages[file], parts.fragment):
            yield f"{target} has no such heading"


def _has(page: _Page, fragment: str) -> bool:
    return not fragment or unquote(fragment) in page.ids
