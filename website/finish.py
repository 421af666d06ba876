"""What built pages get in the end: pictures that open, and no dashes before nothing."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["finish", "finished"]

# A name after which the reference has nothing to say.
_NOTHING = re.compile(r'\s*–\s*(?=<div class="doc-md-description">\s*</div>)')
_LINK_OR_PICTURE = re.compile(r"<a\b[^>]*>.*?</a>|<img\b[^>]*>", re.S)
_SOURCE = re.compile(r'\bsrc="([^"]+)"')


def finish(site: Path) -> None:
    """Finish all pages below *site*."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(finished(text), encoding="utf-8")


def finished(text: str) -> str:
    """Return a page whose pictures are links to themselves.

    So a tap, or Enter, shows a picture in its full size, which on a phone is the only
    one that can be read; a link needs no script. Pictures that lead elsewhere stay.

    Examples
    --------
    >>> finished('<article><img alt="a line" src="a.png"></article>')
    '<article><a class="picture" href="a.png"><img alt="a line" src="a.png"></a>...'
    """
    head, mark, rest = _NOTHING.sub(" ", text).partition("<article")
    return head + mark + _LINK_OR_PICTURE.sub(_opened, rest)


def _opened(found: re.Match[str]) -> str:
    source = _SOURCE.search(found[0])
    if found[0].startswith("<a") or source is None:
        return found[0]
    return f'<a class="picture" href="{source[1]}">{found[0]}</a>'
