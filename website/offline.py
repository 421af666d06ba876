"""Pages that can be opened as files: search included."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["open_as_files"]

# The script that starts the search, with the way up to the root before it.
_BUNDLE = re.compile(r'<script src="([./]*)assets/javascripts/bundle')


def open_as_files(site: Path) -> None:
    """Give built pages what they need where no server answers.

    The index of the search becomes a script, since files may not be fetched, and a
    stand-in for workers is loaded before the search starts.
    """
    index = (site / "search.json").read_text(encoding="utf-8")
    script = f"var __index = {index};\n"
    (site / "search.js").write_text(script, encoding="utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        with_worker, n = _BUNDLE.subn(
            r'<script src="\1assets/worker.js"></script>\g<0>', text
        )
        assert n == 1, f"{page} starts no search"
        page.write_text(with_worker, encoding="utf-8")
