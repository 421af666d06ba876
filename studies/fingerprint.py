"""A short text that changes with what was asked."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["fingerprint"]


def fingerprint(asked: dict[str, Any]) -> str:
    """Return a hash of a dictionary; the order of its keys does not matter.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": (2,)}) == fingerprint({"b": [2], "a": 1})
    True
    """
    text = json.dumps(asked, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
