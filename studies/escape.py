"""Text that means itself in Markdown, whatever it holds."""

from __future__ import annotations

import re

__all__ = ["cell", "fence", "prose"]

# What begins a tag, a comment or a link in angle brackets; "<0.001" does not.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def prose(text: str) -> str:
    """Return text of ours, with names in it, that holds no HTML.

    Examples
    --------
    >>> prose("PBC<script> has p <0.001 in `code`")
    'PBC&lt;script> has p <0.001 in `code`'
    """
    return _TAG.sub("&lt;", text)


def cell(text: str) -> str:
    r"""Return a cell of a table: no HTML, no link, no further column.

    Examples
    --------
    >>> print(cell("a|b [c](http://d) <img>"))
    a\|b [c\](http://d) &lt;img>
    """
    plain = text.replace("\\", "\\\\").replace("|", "\\|").replace("](", "\\](")
    return prose(" ".join(plain.splitlines()))


def fence(text: str) -> str:
    """Return the line around a block of code that the block cannot end.

    Examples
    --------
    >>> fence("a ``` b")
    '````'
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
