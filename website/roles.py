"""What mkdocstrings loads: every docstring in the words of the site."""

from __future__ import annotations

from typing import Any

import griffe

from website.words import apart, plain

__all__ = ["Roles"]


class Roles(griffe.Extension):
    """Turn the references of every docstring that is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring:
            parameters = getattr(obj, "parameters", ())
            names = [p.name for p in parameters if p.name != "self"]
            obj.docstring.value = plain(apart(obj.docstring.value, names))
