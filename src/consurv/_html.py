"""Small tables that notebooks show in place of objects."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

__all__ = ["facts_table"]


def facts_table(facts: Mapping[str, object]) -> str:
    """Return facts by name as a table of HTML.

    Examples
    --------
    >>> facts_table({"curves": "raw & calibrated"})
    '<table><tr><td>curves</td><td>raw &amp; calibrated</td></tr></table>'
    """
    rows = (
        f"<tr><td>{escape(name)}</td><td>{escape(str(fact))}</td></tr>"
        for name, fact in facts.items()
    )
    return f"<table>{''.join(rows)}</table>"
